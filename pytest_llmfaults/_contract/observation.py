"""One call of the subject under one injection, reduced to what a contract can hold."""

from __future__ import annotations

import dataclasses
from typing import Final

__all__ = ["DOES_NOT_APPLY", "FOREVER", "Behaviour", "Observation", "Span"]

DOES_NOT_APPLY = "does not apply"
"""The sentence of a fault that makes no sense for the requests of this subject."""

FOREVER: Final = ("waits for ever", "spins for ever")
"""Beginnings of the outcomes that never end."""


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """Seconds of virtual time, from what the lowest random draw gives to what the highest gives.

    Attributes:
        low: seconds.
        high: seconds, the same when nothing is random.
    """

    low: float
    high: float


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a subject did under one injection.

    Attributes:
        attempts: requests that left the SDK.
        waits: the gap after each attempt but the last.
        elapsed: the whole call.
        outcome: ``same as ok``, ``returns ...``, ``raises Public from Cause``, ``waits for ever``, ...
        changed: whether a later request differed from the first.
        after_output: whether the same was asked again after a stream had begun to answer.
        after: what ``after=`` said of side effects, or None.
        module: the module of the class that was raised, or None. Shown and ranked, never signed.
    """

    attempts: int
    waits: tuple[Span, ...]
    elapsed: Span
    outcome: str
    changed: bool = False
    after_output: bool = False
    after: str | None = None
    module: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Behaviour:
    """What a subject does under a fault, as two sentences.

    Attributes:
        persists: while the fault persists.
        once: when it happens once and the healthy reply follows; the same sentence where that makes no difference.
    """

    persists: str
    once: str
