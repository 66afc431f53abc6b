"""Discovery: variants grouped by what the subject does under them, each group with its smallest example.

First variants are drawn, those that public reports name more often. Then every single change is looked at, the simplest
first, so that the first of a group is its smallest. What takes two changes is made smaller place by place.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable

from pytest_llmfaults._contract.explore import Explorer, Known, Looking, Sighting
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.study import Steps, Study, checking_state
from pytest_llmfaults._strategies.variant import Variant

__all__ = ["Discovered", "Group", "Plan", "Tell", "discovering"]

Tell = Callable[[str, int, int], object]
"""Told what is done, how many variants were looked at, and how many groups there are."""


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Variants that behave alike.

    Attributes:
        smallest: the simplest of them, with what was observed.
        variants: how many there are.
        known: whether it is the healthy call's behaviour or one that is signed.
    """

    smallest: Sighting
    variants: int
    known: bool

    @property
    def lines(self) -> Behaviour:
        """What they have in common."""
        return self.smallest.lines or self.smallest.case.behaviour


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
    if complete:
        complete = yield from _walk(explorer, plan, order)
    if complete:
        complete = yield from _shrink(explorer, plan, order)
    yield from checking_state(explorer.subject, explorer.baseline)
    counts = Counter(one.lines for one in explorer.seen.values())
    smallest = _without_sums(explorer, _smallest(explorer, order))
    for one in smallest:
        yield from explorer.repeating(one)
    groups = tuple(Group(one, counts[one.lines], known.knows(one)) for one in smallest)
    study = Study(explorer.baseline, tuple(one.case for one in explorer.seen.values()))
    return Discovered(groups, len(explorer.seen), complete, study)


def _draw(explorer: Explorer, plan: Plan) -> Steps[bool]:
    """Look at what is drawn."""
    try:
        for variant in plan.drawn:
            if not plan.in_time():
                return False
            if not variant.is_healthy:
                yield from explorer.looking_at(variant)
                _tell(explorer, plan, "drawing variants")
    finally:
        plan.drawn.close()
    return True


def _walk(explorer: Explorer, plan: Plan, order: dict[str, int]) -> Steps[bool]:
    """Look at every single change, and note in which order they come."""
    for variant in plan.singles():
        if not plan.in_time():
            return False
        sighting = yield from explorer.looking_at(variant)
        order.setdefault(sighting.name, len(order))
        _tell(explorer, plan, "trying every single change")
    return True


def _shrink(explorer: Explorer, plan: Plan, order: dict[str, int]) -> Steps[bool]:
    """Make what takes several changes smaller."""
    for found in _smallest(explorer, order):
        best = found
        while len(best.variant.changes) > 1:
            smaller = yield from _one_smaller(explorer, plan, best)
            if smaller is None:
                break
            best = smaller
        if not plan.in_time():
            return False
        order.setdefault(best.name, len(order))
    return True


def _one_smaller(explorer: Explorer, plan: Plan, best: Sighting) -> Steps[Sighting | None]:
    for variant in plan.simpler(best.variant):
        if not plan.in_time():
            return None
        sighting = yield from explorer.looking_at(variant)
        if sighting.lines == best.lines:
            return sighting
    return None


def _smallest(explorer: Explorer, order: dict[str, int]) -> list[Sighting]:
    """Return the smallest of each group, the simplest first; what stands in no order comes last, by its line."""

    def size(one: Sighting) -> tuple[int, int, int, str]:
        return len(one.variant.changes), order.get(one.name, len(order)), len(one.name), one.name

    found: dict[Behaviour, Sighting] = {}
    for one in sorted(explorer.seen.values(), key=size):
        if one.lines is not None:
            found.setdefault(one.lines, one)
    return list(found.values())


def _without_sums(explorer: Explorer, found: list[Sighting]) -> list[Sighting]:
    """Leave out two changes of which each does by itself what both do side by side."""
    singles = Known(explorer.healthy)
    for one in found:
        if len(one.variant.changes) == 1:
            singles.add(one.lines, one.case.behaviour)
    return [one for one in found if len(one.variant.changes) == 1 or not singles.knows(one)]


def _tell(explorer: Explorer, plan: Plan, what: str) -> None:
    plan.tell(what, len(explorer.seen), len(explorer.lines))
