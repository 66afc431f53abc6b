"""Signed and observed: what differs, as values, and what the contract is once some of it is accepted.

Three steps that never mix: ``compare`` computes, ``show`` says, ``accept`` applies. None of them writes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal, TypeAlias

from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.selection import is_newer, on_some
from pytest_llmfaults.errors import InvalidUse, nearest

__all__ = ["CATEGORIES", "INTERRUPT", "OK", "Category", "Change", "Changes", "accept", "categories", "compare"]

Category: TypeAlias = Literal["new", "changed", "stale", "newer"]

CATEGORIES: Final[tuple[Category, ...]] = ("changed", "new", "stale")
"""What can be signed, each by itself."""

OK: Final = "ok"
"""Stands for the healthy call where the name of a fault stands else."""

INTERRUPT: Final = "interrupt"
"""Stands for an interrupt inside the transport where the name of a fault stands else."""


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """One fault that is not as it was signed.

    Attributes:
        category: ``new`` (observed, not in the file), ``changed``, ``stale`` (in the file, not observed any more), or
            ``newer`` (a row of a later edition than the file's: counted, never held).
        fault: its name; ``ok`` for the healthy call, ``interrupt`` for an interrupt.
        signed: what was signed, or None.
        observed: what was observed, or None.
    """

    category: Category
    fault: str
    signed: Behaviour | None
    observed: Behaviour | None


@dataclasses.dataclass(frozen=True, slots=True)
class Changes:
    """All that differs.

    Attributes:
        items: the changes; the healthy call and the interrupt first, then sorted by fault.
        held: how many faults are as they were signed.
    """

    items: tuple[Change, ...]
    held: int

    def of(self, *wanted: Category) -> tuple[Change, ...]:
        """Return the changes of these categories."""
        return tuple(change for change in self.items if change.category in wanted)

    @property
    def broken(self) -> bool:
        """Whether a run must fail: anything differs, but for rows that are newer than the contract."""
        return any(change.category != "newer" for change in self.items)


def categories(text: str) -> tuple[Category, ...]:
    """Read a list of categories, ``new,stale``; ``all`` is each of them.

    Raises:
        InvalidUse: one of them is none.
    """
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in CATEGORIES and word != "all":
            allowed = (*CATEGORIES, "all")
            msg = f"{word!r} is not a category.{nearest(word, allowed)} Allowed, with commas: {', '.join(allowed)}."
            raise InvalidUse(msg)
    return tuple(category for category in CATEGORIES if category in words or "all" in words)


def compare(
    signed: Contract | None,
    observed: Contract,
    *,
    since: Mapping[str, int],
    selection: Collection[str] | None = None,
) -> Changes:
    """Compute what differs.

    Args:
        signed: what the file says; None where there is none.
        observed: what was seen just now.
        since: each row of the catalogue with the edition that brought it.
        selection: names of the faults that this run answers for; what is outside is not looked at. None is all of
            the catalogue and all of the file.
    """
    if signed is None:
        return Changes(tuple(_first(observed, selection)), held=0)
    items = [*_calls(signed, observed)]
    held = 0
    for name in _looked_at(signed, observed, since, selection):
        category = _category(name, signed, observed, since)
        if category is None:
            held += name in observed.behaviours
        else:
            items.append(Change(category, name, signed.behaviours.get(name), observed.behaviours.get(name)))
    return Changes(tuple(items), held)


def accept(
    signed: Contract | None, observed: Contract, changes: Changes, accepted: Collection[Category]
) -> Contract | None:
    """Return the contract once the changes of these categories are accepted; what is not accepted stays as signed.

    Rows of a later edition come in with ``new``, once all that this run answers for were observed, and with them the
    edition. The versions are noted anew once all of the contract holds with them.

    Args:
        signed: what the file says; None where there is none.
        observed: what was seen just now.
        changes: what ``compare`` said of the two.
        accepted: the categories.

    Returns:
        ``signed`` itself where nothing is accepted.
    """
    newer = changes.of("newer")
    upgrade = "new" in accepted and bool(newer) and all(change.observed for change in newer)
    taken = [*changes.of(*(category for category in CATEGORIES if category in accepted)), *(newer if upgrade else ())]
    drop = "stale" in accepted and signed is not None and bool(signed.removed or _elsewhere(signed, observed))
    if signed is None:
        return _applied(dataclasses.replace(observed, behaviours={}), taken) if taken else None
    if not taken and not drop:
        return signed
    following = _applied(signed, taken)
    if drop:
        gone = _elsewhere(following, observed)
        kept = {name: what for name, what in following.behaviours.items() if name not in gone}
        families = {name.partition(".")[0] for name in kept}
        editions = {family: edition for family, edition in following.editions.items() if family in families}
        following = dataclasses.replace(following, removed={}, behaviours=kept, editions=editions)
    if upgrade:
        following = dataclasses.replace(following, catalogue=observed.catalogue)
    if "new" in accepted:  # a family that comes in brings its edition along; of one that is in, only an upgrade does
        before = {} if upgrade else following.editions
        following = dataclasses.replace(following, editions={**following.editions, **observed.editions, **before})
    following = dataclasses.replace(following, wires=tuple(sorted({*following.wires, *observed.wires})))
    if _all_holds(following, observed):
        following = dataclasses.replace(following, versions=observed.versions, wires=observed.wires)
    return following


def _first(observed: Contract, selection: Collection[str] | None) -> Iterable[Change]:
    """Say that all is new."""
    yield Change("new", OK, None, _call(observed.ok))
    if observed.interrupt is not None:
        yield Change("new", INTERRUPT, None, _call(observed.interrupt))
    for name, behaviour in sorted(observed.behaviours.items()):
        if selection is None or name in selection:
            yield Change("new", name, None, behaviour)


def _calls(signed: Contract, observed: Contract) -> Iterable[Change]:
    """Compare the healthy call and the interrupt."""
    if signed.ok != observed.ok:
        yield Change("changed", OK, _call(signed.ok), _call(observed.ok))
    if observed.interrupt is not None and signed.interrupt is None:
        yield Change("new", INTERRUPT, None, _call(observed.interrupt))
    elif observed.interrupt is not None and signed.interrupt is not None and signed.interrupt != observed.interrupt:
        yield Change("changed", INTERRUPT, _call(signed.interrupt), _call(observed.interrupt))


def _call(sentence: str) -> Behaviour:
    return Behaviour(sentence, sentence)


def _looked_at(
    signed: Contract, observed: Contract, since: Mapping[str, int], selection: Collection[str] | None
) -> list[str]:
    newer = (name for name in since if _is_newer(name, signed, since))
    names = {*signed.behaviours, *observed.behaviours, *newer}
    return sorted(name for name in names if selection is None or name in selection)


def _category(name: str, signed: Contract, observed: Contract, since: Mapping[str, int]) -> Category | None:
    before, now = signed.behaviours.get(name), observed.behaviours.get(name)
    if before is None:
        return "newer" if _is_newer(name, signed, since) else "new"
    if now is None:
        return "stale"
    return None if before == now else "changed"


def _is_newer(name: str, signed: Contract, since: Mapping[str, int]) -> bool:
    return is_newer(name, since.get(name, 0), signed.catalogue, signed.editions)


def _applied(contract: Contract, taken: Iterable[Change]) -> Contract:
    behaviours = dict(contract.behaviours)
    calls: dict[str, str] = {}
    for change in taken:
        if change.observed is None:
            behaviours.pop(change.fault, None)
        elif change.fault in {OK, INTERRUPT}:
            calls[change.fault] = change.observed.persists
        else:
            behaviours[change.fault] = change.observed
    return dataclasses.replace(
        contract,
        behaviours=behaviours,
        ok=calls.get(OK, contract.ok),
        interrupt=calls.get(INTERRUPT, contract.interrupt),
    )


def _elsewhere(signed: Contract, observed: Contract) -> set[str]:
    """Return what was signed of faults that the wires which the code asks on now do not have."""
    unseen = signed.behaviours.keys() - observed.behaviours.keys()
    return {name for name in unseen if not on_some(name, observed.wires)}


def _all_holds(contract: Contract, observed: Contract) -> bool:
    return contract.ok == observed.ok and all(
        observed.behaviours.get(name) == what for name, what in contract.behaviours.items()
    )
