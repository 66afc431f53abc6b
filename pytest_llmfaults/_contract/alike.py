"""Which behaviours count as the same when variants are compared: a line that is equal for all that are alike.

It says what a sentence says, with the kind of a value for the value (see ``kind``), and a call's time only where it is
long: how long a reply takes is the gateway's doing.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Final

from pytest_llmfaults._contract.kind import Kinds
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.observe import Seen
from pytest_llmfaults._contract.rank import LONG_SECONDS
from pytest_llmfaults._contract.sentence import Parts, number, parse, sentence
from pytest_llmfaults._contract.study import Case
from pytest_llmfaults._contract.words import AS_OK

__all__ = ["Alike", "pieces"]

_RETURNS: Final = "returns "
_OBJECT: Final = re.compile(rf"(.*{_RETURNS}\w+)\((.*)\)(.*)")


class Alike:
    """Reduces what was observed to what it has in common with its like."""

    def __init__(self, ok: Seen, describe: Any) -> None:
        """Compare with the healthy call; ``describe`` is what a person says about values."""
        self._kinds = Kinds(ok.called, describe)
        self.healthy = self._line(ok)

    def of(self, case: Case) -> Behaviour | None:
        """Return the two lines of a fault or variant, or None where it does not apply."""
        if case.persists is None or case.once is None:
            return None
        return Behaviour(self._line(case.persists), self._line(case.once))

    def of_signed(self, what: Behaviour) -> Behaviour | None:
        """Return the two lines of what was signed, or None where a value is in it that has to be seen again."""
        if _holds_a_value(what):
            return None
        return Behaviour(_reduced(parse(what.persists)), _reduced(parse(what.once)))

    def _line(self, seen: Seen) -> str:
        parts = parse(sentence(seen.observation))
        called = seen.called
        if called.error is None and seen.observation.outcome in {AS_OK, called.outcome}:
            kind = self._kinds.of(called)
            parts = dataclasses.replace(parts, outcome=AS_OK if kind == self._kinds.healthy else _RETURNS + kind)
        return _reduced(parts)


def pieces(line: str) -> tuple[str, frozenset[str]]:
    """Take a line apart: what it says but for how an object differs from the healthy one, and these differences."""
    found = _OBJECT.fullmatch(line)
    if found is None:
        return line, frozenset()
    return f"{found[1]}(){found[3]}", frozenset(found[2].split(", "))


def _holds_a_value(what: Behaviour) -> bool:
    """Tell whether one of the sentences holds a value that was returned."""
    return any(_RETURNS in parse(text).outcome for text in (what.persists, what.once))


def _reduced(parts: Parts) -> str:
    long = parts.total.high > LONG_SECONDS
    text = dataclasses.replace(parts, waited=None).text
    return f"{text}, longer than {number(LONG_SECONDS)} s in all" if long else text
