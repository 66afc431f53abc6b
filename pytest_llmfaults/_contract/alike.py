"""Which behaviours count as the same when variants are compared: a line that is equal for all that are alike.

It says what a sentence says, with the kind of a value for the value (see ``kind``), and a call's time only where it is
long: how long a reply takes is the gateway's doing.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._contract.kind import Kinds
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.observe import Seen
from pytest_llmfaults._contract.rank import LONG_SECONDS
from pytest_llmfaults._contract.sentence import Parts, number, parse, sentence
from pytest_llmfaults._contract.study import Case
from pytest_llmfaults._contract.words import AS_OK

__all__ = ["Alike", "lines_of", "pieces"]

_RETURNS: Final = "returns "
_LONG: Final = f", longer than {number(LONG_SECONDS)} s in all"
_OBJECT: Final = re.compile(rf"(.*{_RETURNS}\w+)\((.*)\)(.*)")


class Alike:
    """Reduces what was observed to what it has in common with its like."""

    def __init__(self, ok: Seen, describe: Callable[[Any], str] | None) -> None:
        """Compare with the healthy call; ``describe`` is what a person says about values."""
        self._ok = ok
        self._kinds = Kinds(ok.called, describe)

    @property
    def version(self) -> int:
        """Another number says that lines of before may be out of date."""
        return self._kinds.known

    def learn(self, case: Case) -> None:
        """Learn from what was observed which words are the client's own."""
        for seen in (case.persists, case.once):
            if seen is not None:
                self._kinds.learn(seen.called)

    @property
    def healthy(self) -> Behaviour:
        """The lines of what does as the healthy call does."""
        line = self._line(self._ok)
        return Behaviour(line, line)

    def of(self, case: Case) -> Behaviour | None:
        """Return the two lines of a fault or variant, or None where it does not apply."""
        if case.persists is None or case.once is None:
            return None
        return Behaviour(self._line(case.persists), self._line(case.once))

    def _line(self, seen: Seen) -> str:
        parts = parse(sentence(seen.observation))
        called = seen.called
        if called.error is None and seen.observation.outcome in {AS_OK, called.outcome}:
            kind = self._kinds.of(called)
            parts = dataclasses.replace(parts, outcome=AS_OK if kind == self._kinds.healthy else _RETURNS + kind)
        return _reduced(parts)


def lines_of(what: Behaviour) -> Behaviour | None:
    """Return the two lines of what was signed, or None where a value is in it, which has to be seen again."""
    parts = parse(what.persists), parse(what.once)
    if any(_RETURNS in one.outcome for one in parts):
        return None
    return Behaviour(_reduced(parts[0]), _reduced(parts[1]))


def pieces(line: str) -> tuple[str, frozenset[str]]:
    """Take a line apart: what comes of any change, and what several changes may each add.

    These are how an object differs from the healthy one, and that the call takes long.
    """
    rest, long, _ = line.partition(_LONG)
    added = {_LONG} if long else set()
    found = _OBJECT.fullmatch(rest)
    if found is None:
        return rest, frozenset(added)
    return f"{found[1]}(){found[3]}", frozenset({*found[2].split(", "), *added})


def _reduced(parts: Parts) -> str:
    text = dataclasses.replace(parts, waited=None).text
    return f"{text}{_LONG}" if parts.total.high > LONG_SECONDS else text
