"""Drawing from tables: a few bytes an example, each of which shrinks to something simpler.

Bytes are drawn evenly, whatever their number, and one draw is quick. Byte by byte they say: which healthy reply, which
place, which change there (two bytes), which part of it, whether there is a second change, and the same of that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import Fault
from pytest_llmfaults._strategies.bases import Asked, bases
from pytest_llmfaults._strategies.changes import Change
from pytest_llmfaults._strategies.table import Context, Entry, Place, View, places
from pytest_llmfaults._strategies.values import Drawn
from pytest_llmfaults._strategies.variant import Variant
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["Table", "drawn_from", "scaled", "simpler", "singles", "tables"]

T = TypeVar("T")

_BYTES: Final = 10
_FIXED: Final[Mapping[str, int]] = {"healthy": 5, "parsed": 22, "other": 8}
"""How many of 256 places are of this kind, whatever it weighs."""
_TEXTS: Final[Mapping[str, int]] = {**_FIXED, "healthy": 40}
"""The same where only the text in one slot is drawn: code behind a parser is to get through, too."""
_FIRST: Final = 14
"""How often the first healthy reply is changed, where each of the others is once."""
_TWO: Final = 240
"""From this byte on there is a second change."""
_DIRECT: Final = 16
"""Below this byte the byte before it is the index of a change; so that each is near in shrinking."""
_PARTS: Final = 24
"""Below this byte only a part of a fault that changes several places is done."""
_TRIED: Final[Mapping[int, int]] = {0: 0, 1: 1, _PARTS - 1: 2, _PARTS - 2: 3, _PARTS // 2: 4, _PARTS // 3: 5}
"""Bytes that shrinking is sure to try, and the part that each stands for."""


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A healthy reply, its places, and the place that each byte stands for."""

    context: Context
    places: tuple[Place, ...]
    by_byte: tuple[Place, ...]


def tables(
    wire: str,
    view: View,
    rows: tuple[Fault, ...],
    request: Asked | None,
    answer: Answer | None,
    slot: str | None = None,
) -> tuple[Table, ...]:
    """Make a table for each healthy reply, or take those made before."""
    found = bases(wire, request, answer)
    key = (wire, view, slot, *(row.name for row in rows), *((base.request.body, base.reply) for base in found.values()))
    if key not in _kept:
        _kept[key] = tuple(
            _table(Context(base, kind, request, answer), view, rows, slot) for kind, base in found.items()
        )
    return _kept[key]


_kept: Final[dict[object, tuple[Table, ...]]] = {}


def _table(context: Context, view: View, rows: tuple[Fault, ...], slot: str | None) -> Table:
    found = tuple(places(context, view, rows, slot))
    return Table(context, found, _by_byte(found, _TEXTS if view == "text" else _FIXED))


def _by_byte(found: tuple[Place, ...], shares: Mapping[str, int]) -> tuple[Place, ...]:
    """Give each place some of the 256 bytes by its weight, at least one; some kinds have a fixed number."""
    fixed = sum(shares.get(place.name, 0) for place in found)
    whole = sum(place.weight for place in found if place.name not in shares) or 1
    room = 256 - fixed
    runs: list[Place] = []
    for place in found:
        runs += [place] * (shares.get(place.name) or max(1, round(place.weight * room / whole)))
    return tuple(runs)


def scaled(number: int, bits: int, items: Sequence[T]) -> T:
    """Return the item that a number of so many bits falls on."""
    return items[number * len(items) >> bits]


def drawn_from(found: tuple[Table, ...], finish: Callable[[Drawn], T]) -> SearchStrategy[T]:
    """Return a strategy: a change of one of the healthy replies, now and then two of them."""
    replies = [found[0]] * _FIRST + list(found[1:])

    def made(data: bytes) -> T:
        table = scaled(data[0], 8, replies)
        one = _entry(scaled(data[1], 8, table.by_byte), data[2], data[3], data[4])
        if data[5] < _TWO:
            return finish(one)
        two = _entry(scaled(data[6], 8, table.by_byte), data[7], data[8], data[9])
        return finish(_both(table.context, one, two))

    return st.binary(min_size=_BYTES, max_size=_BYTES).map(made)


def _entry(place: Place, high: int, low: int, part: int) -> Entry:
    """Return a change at a place, by its weight; of one that changes several places perhaps only a part."""
    if low < _DIRECT and high < len(place.entries):
        entry = place.entries[high]
    else:
        entry = place.entries[scaled(high << 8 | low, 16, place.indexes)]
    if not entry.parts or part >= _PARTS:
        return entry
    return entry.parts[_TRIED.get(part, part) % len(entry.parts)]


def _both(context: Context, one: Entry, two: Entry) -> Drawn:
    """Do one change after the other, what needs JSON first; a change that finds no place is left out."""
    if not one.changes:
        return two
    if not two.changes or one.changes == two.changes:
        return one
    ordered: list[Change] = sorted((*one.changes, *two.changes), key=_breaks)
    try:
        both = context.variant(tuple(ordered))
    except DoesNotApply:
        return one
    return one if both.reply.header("location") else both


def _breaks(change: Change) -> int:
    """Say how little is left of the JSON after a change."""
    if isinstance(change, Fault):
        return {"body": 2, "transport": 3, "status": 2, "control": 1}.get(change.family, 0)
    return 2 if change.on_bytes else 0


def singles(found: tuple[Table, ...]) -> Iterator[Variant]:
    """Yield every variant of one change, the simplest first: place by place edits, parts of faults, and faults.

    Of further healthy replies only the places are taken where they are not as the first one.
    """
    for table in found:
        for place in table.places:
            if table is not found[0] and _is_as_in(found[0], table, place.name):
                continue
            parts = [part for entry in place.entries for part in entry.parts]
            edits = [entry for entry in place.entries if not _is_fault(entry)]
            faults = [entry for entry in place.entries if _is_fault(entry)]
            yield from (entry.variant for entry in (*edits, *parts, *faults) if entry.changes)


def _is_as_in(first: Table, other: Table, name: str) -> bool:
    """Tell whether there is the same at a place of two healthy replies."""
    if name not in other.context.base.wire.slots:
        return any(place.name == name for place in first.places)
    return bool(first.context.base.value(name) == other.context.base.value(name))


def simpler(found: tuple[Table, ...], one: Variant) -> Iterator[Variant]:
    """Yield the variants with a simpler change for one of several, at the same place."""
    table = next(table for table in found if table.context.of == one.of)
    for index, change in enumerate(one.changes):
        for entry in _before(table, change):
            try:
                yield table.context.variant((*one.changes[:index], *entry.changes, *one.changes[index + 1 :]))
            except DoesNotApply:
                continue


def _before(table: Table, change: Change) -> Sequence[Entry]:
    for place in table.places:
        for index, entry in enumerate(place.entries):
            if entry.changes == (change,):
                return place.entries[:index]
    return ()


def _is_fault(entry: Entry) -> bool:
    return any(isinstance(change, Fault) for change in entry.changes)
