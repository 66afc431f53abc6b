"""An observation as one sentence, and a sentence taken apart again.

``4 attempts, waits 1..2 2..4 4..8 s, waited 247..254 s, raises GatewayError from Timeout``

The order of the clauses never varies: attempts, waits (where there are gaps), waited (the whole call, where that is not
the sum of the waits), ``request changed``, ``retried after output`` (of a stream), the outcome, and ``then`` the side
effects.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_llmfaults._contract.observation import DOES_NOT_APPLY, FOREVER, Behaviour, Observation, Span
from pytest_llmfaults.errors import ContractError

__all__ = ["LONGEST", "Parts", "behaviour", "number", "parse", "plain", "sentence", "span", "spans"]

LONGEST: Final = 300
"""Characters of a text in a sentence; what is longer is cut, and a digest of the whole stands for the rest."""

_REPEATS: Final = 4
_THEN: Final = ", then "

_NUMBER: Final = r"(?:\d+(?:\.\d+)?|inf)"
_SPAN: Final = rf"{_NUMBER}(?:\.\.{_NUMBER})?"
_RUN: Final = rf"{_SPAN}(?: \(\d+ times\))?"
_SENTENCE: Final = re.compile(
    r"(?P<attempts>\d+) attempts?"
    rf"(?:, waits (?P<waits>{_RUN}(?: {_RUN})*) s)?"
    rf"(?:, waited (?P<waited>{_SPAN}) s)?"
    r"(?P<changed>, request changed)?"
    r"(?P<after_output>, retried after output)?"
    r", (?P<rest>.+)",
)
_ONE_RUN: Final = re.compile(rf"(?P<span>{_SPAN})(?: \((?P<times>\d+) times\))?")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a sentence says, clause by clause.

    Attributes:
        attempts: requests that left the SDK.
        waits: the gap after each attempt but the last.
        waited: the whole call, where that is not the sum of the waits.
        changed: whether a later request differed from the first.
        after_output: whether the same was asked again after a stream had begun to answer.
        outcome: ``same as ok``, ``returns ...``, ``raises ...``.
        after: the side effects, or None.
    """

    attempts: int
    waits: tuple[Span, ...] = ()
    waited: Span | None = None
    changed: bool = False
    after_output: bool = False
    outcome: str
    after: str | None = None

    @property
    def total(self) -> Span:
        """The whole call, in seconds."""
        return self.waited or _sum(self.waits)

    @property
    def text(self) -> str:
        """The sentence."""
        if self.outcome == DOES_NOT_APPLY:
            return DOES_NOT_APPLY
        clauses = [f"{self.attempts} attempt{'' if self.attempts == 1 else 's'}"]
        if self.waits:
            clauses.append(f"waits {spans(self.waits)} s")
        if self.waited is not None:
            clauses.append(f"waited {span(self.waited)} s")
        if self.changed:
            clauses.append("request changed")
        if self.after_output:
            clauses.append("retried after output")
        clauses.append(self.outcome)
        if self.after is not None:
            clauses.append(f"then {self.after}")
        return ", ".join(clauses)


def sentence(observation: Observation) -> str:
    """Say what was observed in one line; the same behaviour always gives the same line."""
    total = _sum(observation.waits)
    # What never ends takes as long as it is watched: until the last timer of somebody else is due.
    same = span(total) == span(observation.elapsed) or observation.outcome.startswith(FOREVER)
    outcome = plain(observation.outcome).replace(_THEN, "; then ")
    return Parts(
        attempts=observation.attempts,
        waits=observation.waits,
        waited=None if same else observation.elapsed,
        changed=observation.changed,
        after_output=observation.after_output,
        outcome=outcome,
        after=None if observation.after is None else plain(observation.after),
    ).text


def behaviour(persists: Observation, once: Observation | None = None) -> Behaviour:
    """Put the two observations of a fault together.

    Args:
        persists: while the fault persists.
        once: when it happens once; None where that was not asked, or makes no difference.
    """
    first = sentence(persists)
    return Behaviour(first, first if once is None else sentence(once))


def parse(text: str) -> Parts:
    """Take a sentence apart.

    Raises:
        ContractError: it is not one.
    """
    if text == DOES_NOT_APPLY:
        return Parts(attempts=0, outcome=DOES_NOT_APPLY)
    found = _SENTENCE.fullmatch(text)
    if found is None:
        msg = (
            f"{text!r} is not the sentence of a behaviour. One reads '1 attempt, same as ok' or "
            f"'2 attempts, waits 1..2 s, raises TimeoutError', or {DOES_NOT_APPLY!r}."
        )
        raise ContractError(msg)
    outcome, then, after = found["rest"].partition(_THEN)
    return Parts(
        attempts=int(found["attempts"]),
        waits=tuple(_runs(found["waits"] or "")),
        waited=_span_of(found["waited"]) if found["waited"] else None,
        changed=found["changed"] is not None,
        after_output=found["after_output"] is not None,
        outcome=outcome,
        after=after if then else None,
    )


def plain(text: str, longest: int = LONGEST) -> str:
    """Return ``text`` as one printable line, cut where it is longer than ``longest`` characters."""
    line = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
    if len(line) <= longest:
        return line
    digest = hashlib.blake2b(line.encode(), digest_size=4).hexdigest()
    tail = f"... ({len(line)} characters, {digest})"
    return line[: longest - len(tail)] + tail


def number(seconds: float) -> str:
    """Write seconds to three significant digits, without an exponent."""
    if not math.isfinite(seconds):
        return "inf"
    value = round(seconds, 6)  # what is less than a microsecond is an artefact of adding up
    if value <= 0:
        return "0"
    digits = 2 - math.floor(math.log10(value))
    text = f"{round(value, digits):.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def span(seconds: Span) -> str:
    """Write a range of seconds, ``1..2``; one number when both ends are the same."""
    low, high = number(min(seconds.low, seconds.high)), number(max(seconds.low, seconds.high))
    return low if low == high else f"{low}..{high}"


def spans(waits: Iterable[Span]) -> str:
    """Write the waits one after the other; four and more equal ones as ``8 (46 times)``."""
    words: list[str] = []
    for text, run in itertools.groupby(map(span, waits)):
        times = len(list(run))
        words += [f"{text} ({times} times)"] if times >= _REPEATS else [text] * times
    return " ".join(words)


def _sum(waits: Iterable[Span]) -> Span:
    waits = tuple(waits)
    return Span(math.fsum(wait.low for wait in waits), math.fsum(wait.high for wait in waits))


def _runs(text: str) -> Iterator[Span]:
    for run in _ONE_RUN.finditer(text):
        yield from itertools.repeat(_span_of(run["span"]), int(run["times"] or 1))


def _span_of(text: str) -> Span:
    low, _, high = text.partition("..")
    return Span(float(low), float(high or low))
