"""A whole search: the healthy call, what is due, what is known, then the variants. Hypothesis is imported here."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.discover import Discovered, Plan, Tell, discovering
from pytest_llmfaults._contract.due import Due, meeting
from pytest_llmfaults._contract.explore import Explorer, Fuzzed, Known, Looking, fuzzing, knowing
from pytest_llmfaults._contract.study import Baseline, Steps, Study, checking_state
from pytest_llmfaults._faults import faults

if TYPE_CHECKING:
    from pytest_llmfaults._strategies.draw import Table
    from pytest_llmfaults._strategies.search import Effort

__all__ = ["DRAWN", "SECONDS", "Ground", "discovery", "fuzzed"]

DRAWN: Final = 1000
"""Variants that a discovery draws."""

SECONDS: Final = 60.0
"""True time that a discovery takes at most."""

_MOST_FINDINGS: Final = 50
"""Behaviours that are signed in one go."""


@dataclasses.dataclass(frozen=True, slots=True)
class Ground:
    """What a search stands on.

    Attributes:
        subject: what is called.
        baseline: what it does without a fault.
        signed: what is signed; None is nothing.
        study: what was observed already in this test; None is nothing.
        families: the faults that may be among the changes; None is all.
    """

    subject: Subject
    baseline: Baseline
    signed: Contract | None
    study: Study | None
    families: tuple[str, ...] | None


def fuzzed(ground: Ground, effort: Effort, *, every: bool) -> Steps[tuple[Fuzzed, Due]]:
    """Look for a variant that behaves like nothing known, or for one of each kind.

    Raises:
        ContractError: the subject keeps state.
    """
    from pytest_llmfaults._strategies import draw, search, values

    explorer, tables, known = yield from _prepared(ground)
    strategy = draw.drawn_from(tables, values.whole)

    def looks() -> Iterator[Looking]:
        for _ in range(_MOST_FINDINGS if every else 1):
            yield search.fuzzed(strategy, effort)

    found = yield from fuzzing(explorer, looks(), known)
    yield from checking_state(ground.subject, ground.baseline)
    return found, explorer.due


def discovery(ground: Ground, effort: Effort, *, seconds: float, tell: Tell) -> Steps[tuple[Discovered, Due]]:
    """Group variants by what the subject does.

    Raises:
        ContractError: the subject keeps state.
    """
    from pytest_llmfaults._strategies import draw, search, values

    explorer, tables, known = yield from _prepared(ground)
    deadline = time.monotonic() + seconds
    plan = Plan(
        drawn=search.drawn(draw.drawn_from(tables, values.whole), effort),
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

    due = yield from meeting(ground.subject)
    rows = () if ground.families == () else faults(*(ground.families or ()))
    tables = draw.tables(due.wire, "reply", rows, due.request, due.answer)
    explorer = Explorer(ground.subject, ground.baseline, due)
    known = yield from knowing(explorer, ground.signed, ground.study)
    return explorer, tables, known


def _due_first(tables: tuple[Table, ...], due: Due) -> tuple[Table, ...]:
    """Put changes of the reply that is due before those of others."""
    return tuple(sorted(tables, key=lambda table: due.kinds[table.context.of] is not None))
