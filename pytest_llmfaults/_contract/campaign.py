"""A whole search: the healthy call, what is due, what is known, then the variants. Hypothesis is imported here."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.discover import Discovered, Plan, Tell, discovering
from pytest_llmfaults._contract.due import Due, meeting
from pytest_llmfaults._contract.explore import Explorer, Fuzzed, Known, Looking, fuzzing, knowing
from pytest_llmfaults._contract.study import Baseline, Steps, Study, checking_state
from pytest_llmfaults._faults import faults
from pytest_llmfaults.errors import InvalidUse

if TYPE_CHECKING:
    from pytest_llmfaults._strategies.draw import Table

__all__ = ["DRAWN", "SECONDS", "Ground", "Limits", "discovery", "fuzzed", "patterns"]

DRAWN: Final = 1000
"""Variants that a discovery draws."""

SECONDS: Final = 60.0
"""True time that a discovery takes at most."""

_MOST_FINDINGS: Final = 50
"""Behaviours that are signed in one go."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far a search goes.

    Attributes:
        families: the faults that may be among the changes; None is all, and empty is none.
        examples: how many variants are drawn; None is what the profile of Hypothesis says.
        seed: decides what is drawn.
        seconds: true time that a discovery may take.
    """

    families: tuple[str, ...] | None = None
    examples: int | None = None
    seed: int = 0
    seconds: float = SECONDS

    def __post_init__(self) -> None:
        """Refuse what is no limit.

        Raises:
            InvalidUse: the text says what is allowed.
        """
        for name, value in (("max_examples", self.examples), ("seed", self.seed)):
            least = 1 if name == "max_examples" else 0
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
                msg = f"{name}={value!r} is not allowed: it is an integer from {least}."
                raise InvalidUse(msg)
        if not isinstance(self.seconds, (int, float)) or isinstance(self.seconds, bool) or not self.seconds > 0:
            msg = f"seconds={self.seconds!r} is not allowed: it is a number above 0, such as 60."
            raise InvalidUse(msg)
        faults(*(self.families or ()))


def patterns(families: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return names of families as a tuple; None stays None.

    Raises:
        InvalidUse: one is no name.
    """
    if families is None:
        return None
    names = (families,) if isinstance(families, str) else tuple(families)
    for name in names:
        if not isinstance(name, str):
            msg = f"families={name!r} is not a name of a family or fault, such as 'envelope'."
            raise InvalidUse(msg)
    return names


@dataclasses.dataclass(frozen=True, slots=True)
class Ground:
    """What a search stands on.

    Attributes:
        subject: what is called.
        baseline: what it does without a fault.
        signed: what is signed; None is nothing.
        study: what was observed already in this test; None is nothing.
        limits: how far it goes.
    """

    subject: Subject
    baseline: Baseline
    signed: Contract | None
    study: Study | None
    limits: Limits


def fuzzed(ground: Ground, *, same: bool, key: bytes, every: bool) -> Steps[tuple[Fuzzed, Due]]:
    """Look for a variant that behaves like nothing known.

    Args:
        ground: what it stands on.
        same: whether each run draws the same, and nothing is kept.
        key: what the example database keeps a finding under.
        every: whether to go on until nothing is found, for one of each kind.

    Raises:
        ContractError: the subject keeps state.
    """
    from pytest_llmfaults._strategies import draw, search, values

    explorer, tables, known = yield from _prepared(ground)
    strategy = draw.drawn_from(tables, values.whole)
    effort = search.Effort(examples=ground.limits.examples, same=same, key=key)

    def looks() -> Iterator[Looking]:
        for _ in range(_MOST_FINDINGS if every else 1):
            yield search.fuzzed(strategy, effort)

    found = yield from fuzzing(explorer, looks(), known)
    yield from checking_state(ground.subject, ground.baseline)
    return found, explorer.due


def discovery(ground: Ground, *, tell: Tell) -> Steps[tuple[Discovered, Due]]:
    """Group variants by what the subject does.

    Raises:
        ContractError: the subject keeps state.
    """
    from pytest_llmfaults._strategies import draw, search, values

    explorer, tables, known = yield from _prepared(ground)
    limits = ground.limits
    deadline = time.monotonic() + limits.seconds
    plan = Plan(
        drawn=search.drawn(draw.drawn_from(tables, values.whole), limits.examples or DRAWN, limits.seed),
        singles=lambda: draw.singles(_due_first(tables, explorer.due)),
        simpler=lambda one: draw.simpler(tables, one),
        in_time=lambda: time.monotonic() < deadline,
        tell=tell,
    )
    found = yield from discovering(explorer, plan, known)
    return found, explorer.due


def _prepared(ground: Ground) -> Steps[tuple[Explorer, tuple[Table, ...], Known]]:
    """Find out what is due, make the tables of what can be done to it, and get to know what is signed."""
    from pytest_llmfaults._strategies import draw

    due = yield from meeting(ground.subject, ground.baseline)
    families, signed = ground.limits.families, ground.signed
    edition = None if signed is None else signed.catalogue
    stream = due.request.get("stream") is True
    rows = () if families == () else faults(*(families or ()), edition=edition, stream=stream)
    tables = draw.tables(due.wire, "reply", rows, due.request, due.answer)
    explorer = Explorer(ground.subject, ground.baseline, due)
    known = yield from knowing(explorer, signed, ground.study)
    return explorer, tables, known


def _due_first(tables: tuple[Table, ...], due: Due) -> tuple[Table, ...]:
    """Put changes of the reply that is due before those of others."""
    return tuple(sorted(tables, key=lambda table: due.kinds[table.context.of] is not None))
