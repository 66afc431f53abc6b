"""Discovery: variants grouped by what the subject does under them, each group with its smallest example.

First variants are drawn, those that public reports name more often. Then every single change is looked at, the simplest
first, so that the first of a group is its smallest. What takes two changes is made smaller place by place.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable

from pytest_llmfaults._contract.explore import Explorer, Known, Looking, Sighting
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.study import Steps, Study, checking_state
from pytest_llmfaults._strategies.variant import Variant, variant
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["Discovered", "Group", "Plan", "Tell", "discovering"]

Tell = Callable[[str, int], object]
"""Told what is done, and how many variants were looked at."""


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Variants that behave alike.

    Attributes:
        lines: what they have in common.
        smallest: the simplest of them, with what was observed.
        members: all of them, in the order in which they were seen.
        known: whether it is the healthy call's behaviour or one that is signed.
    """

    lines: Behaviour
    smallest: Sighting
    members: tuple[Sighting, ...]
    known: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Discovered:
    """All that was discovered.

    Attributes:
        groups: in the order of their smallest examples, the simplest first.
        variants: how many different variants were looked at.
        complete: whether there was time for all of it.
        study: every variant that was looked at, as a study of rows.
    """

    groups: tuple[Group, ...]
    variants: int
    complete: bool
    study: Study


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """What to look at, and for how long.

    Attributes:
        drawn: variants that are drawn.
        singles: makes every variant of one change, the simplest first.
        simpler: makes the variants that are a little simpler than one of several changes.
        in_time: whether there is time left.
        tell: told of the progress.
    """

    drawn: Looking
    singles: Callable[[], Iterable[Variant]]
    simpler: Callable[[Variant], Iterable[Variant]]
    in_time: Callable[[], bool]
    tell: Tell


def discovering(explorer: Explorer, plan: Plan, known: Known) -> Steps[Discovered]:
    """Look at variants and group them.

    Raises:
        ContractError: the subject keeps state.
    """
    order: dict[str, int] = {}
    complete = yield from _draw(explorer, plan)
    yield from _divide(explorer, order)
    if complete:
        complete = yield from _walk(explorer, plan, order)
    if complete:
        complete = yield from _shrink(explorer, plan, order)
    yield from checking_state(explorer.subject, explorer.baseline)
    groups: list[Group] = []
    for lines, one, members in _without_sums(explorer, _smallest(explorer, order)):
        yield from explorer.repeating(one)
        groups.append(Group(lines, one, tuple(members), known.knows(one)))
    study = Study(explorer.baseline, tuple(one.case for one in explorer.seen.values()))
    return Discovered(tuple(groups), len(explorer.seen), complete, study)


def _draw(explorer: Explorer, plan: Plan) -> Steps[bool]:
    """Look at what is drawn."""
    try:
        for one in plan.drawn:
            if not plan.in_time():
                return False
            if not one.is_healthy:
                yield from explorer.looking_at(one)
                _tell(explorer, plan, "drawing variants")
    finally:
        plan.drawn.close()
    return True


def _divide(explorer: Explorer, order: dict[str, int]) -> Steps[None]:
    """Look at each change alone where a group was only seen under several: one of them is often enough."""
    for _, found, _ in _smallest(explorer, order):
        if len(found.variant.changes) > 1:
            for change in found.variant.changes:
                one = found.variant
                with contextlib.suppress(DoesNotApply):
                    alone = variant(one.wire, change, of=one.of, request=one.request, answer=one.answer)
                    yield from explorer.looking_at(alone)


def _walk(explorer: Explorer, plan: Plan, order: dict[str, int]) -> Steps[bool]:
    """Look at every single change, and note in which order they come."""
    for one in plan.singles():
        if not plan.in_time():
            return False
        sighting = yield from explorer.looking_at(one)
        order.setdefault(sighting.name, len(order))
        _tell(explorer, plan, "trying every single change")
    return True


def _shrink(explorer: Explorer, plan: Plan, order: dict[str, int]) -> Steps[bool]:
    """Make what takes several changes smaller."""
    explorer.learns = False
    for _, found, _ in _smallest(explorer, order):
        best: Sighting | None = found
        while best is not None and len(best.variant.changes) > 1:
            order.setdefault(best.name, -len(order))  # a smaller one comes before those that it was made of
            best = yield from _one_smaller(explorer, plan, best)
        if not plan.in_time():
            return False
    return True


def _one_smaller(explorer: Explorer, plan: Plan, best: Sighting) -> Steps[Sighting | None]:
    lines = explorer.lines(best.case)
    for one in plan.simpler(best.variant):
        if not plan.in_time():
            return None
        sighting = yield from explorer.looking_at(one)
        if explorer.lines(sighting.case) == lines:
            return sighting
    return None


_Smallest = tuple[Behaviour, Sighting, list[Sighting]]
"""What a group has in common, its smallest, and all of it."""


def _smallest(explorer: Explorer, order: dict[str, int]) -> list[_Smallest]:
    """Return the groups, the simplest first; what stands in no order comes last, by its line."""

    def size(one: Sighting) -> tuple[int, int, int, str]:
        return len(one.variant.changes), order.get(one.name, len(order)), len(one.name), one.name

    found = [(lines, min(group, key=size), group) for lines, group in explorer.groups().items()]
    return sorted(found, key=lambda one: size(one[1]))


def _without_sums(explorer: Explorer, found: list[_Smallest]) -> list[_Smallest]:
    """Leave out two changes of which each does by itself what both do side by side."""
    singles = Known(explorer)
    for _, one, _ in found:
        if len(one.variant.changes) == 1:
            singles.add(one.case)
    return [one for one in found if len(one[1].variant.changes) == 1 or not singles.knows(one[1])]


def _tell(explorer: Explorer, plan: Plan, what: str) -> None:
    plan.tell(what, len(explorer.seen))
