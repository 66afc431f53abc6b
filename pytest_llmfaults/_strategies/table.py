"""Tables: everything that can be done to one healthy reply, with weights, made once and then drawn from by index."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE, Fault, Healthy, Parameter, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._strategies.bases import Asked
from pytest_llmfaults._strategies.changes import Change, applied
from pytest_llmfaults._strategies.edits import PARSED, Edit
from pytest_llmfaults._strategies.places import Spot, differences, on_bytes, spots
from pytest_llmfaults._strategies.slots import slot_paths
from pytest_llmfaults._strategies.variant import Variant, made, slot_of
from pytest_llmfaults._strategies.weights import reports
from pytest_llmfaults._wires import Need
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["Context", "Entry", "Place", "View", "places", "shows", "smallest"]

View = Literal["reply", "body", "envelope", "text"]
"""What of a reply is drawn: all of it, its bytes, its JSON, or the text in one slot."""

_LARGE: Final = 1000
"""Numbers above this make long replies; a table then takes the least that a fault allows."""
_REPORTED: Final = 32
_MOST_REPORTS: Final = 4
_ELSEWHERE: Final = 14
_ASKED_FOR: Final = 2
"""Weights: of a fault reported on this wire, reported on another one, and of what the request asks for."""
_ORDER: Final = ("healthy", "slot", "other", "parsed", "whole", "control", "body", "status", "transport")


@dataclasses.dataclass(frozen=True, slots=True)
class Context:
    """What a variant is made of besides its changes."""

    base: Healthy
    of: str
    request: Asked | None
    answer: Answer | None

    def variant(self, changes: tuple[Change, ...], reply: Reply | None = None) -> Variant:
        """Make a variant; ``reply`` is what is known to come of it."""
        reply = reply or applied(self.base, changes)
        return made(self.base, changes, reply, self.of, self.request, self.answer)


class Entry:
    """One thing that can be done, the reply after it, and its single differences where it makes several."""

    __slots__ = ("__dict__", "changes", "context", "parts", "reply", "weight")

    def __init__(self, context: Context, changes: tuple[Change, ...], reply: Reply, weight: int) -> None:
        """Take what was computed."""
        self.context = context
        self.changes = changes
        self.reply = reply
        self.weight = weight
        self.parts: tuple[Entry, ...] = ()

    @functools.cached_property
    def variant(self) -> Variant:
        """The variant that this is."""
        return self.context.variant(self.changes, self.reply)

    def __deepcopy__(self, _memo: object) -> Entry:
        """Return itself: nothing in it changes."""
        return self


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where something can be done.

    Attributes:
        name: of the slot, or of the kind of place.
        entries: what can be done there, the simplest first.
        indexes: indexes of ``entries``, each as often as it weighs.
    """

    name: str
    entries: tuple[Entry, ...]
    indexes: tuple[int, ...]

    @property
    def weight(self) -> int:
        """How often it is drawn."""
        return len(self.indexes)


def places(context: Context, view: View, rows: Iterable[Fault], slot: str | None = None) -> list[Place]:
    """Return the places of a healthy reply, the simplest first.

    Args:
        context: the healthy reply.
        view: what will be drawn; changes that do not show there are left out.
        rows: the faults of the catalogue that may be drawn.
        slot: only changes of this slot.
    """
    base = context.base
    seen = _Seen(base, view, slot)
    found: dict[tuple[str, str], dict[Any, Entry]] = {}
    for kind, change, reply in _played(base, tuple(rows)):
        sight = seen.sight(reply)
        if sight is None or sight == seen.healthy:
            continue
        entries = found.setdefault(_place(base, kind, change), {})
        _add(entries, sight, Entry(context, (change,), reply, _weight(base, change)))
    healthy = Place("healthy", (Entry(context, (), base.reply, 1),), (0,))
    ordered = sorted(found.items(), key=lambda item: (_ORDER.index(item[0][0]), _is_large(base, item[0][1])))
    return [healthy, *(_made(context, name, entries.values(), seen) for (_, name), entries in ordered)]


def shows(bases: Iterable[Healthy], view: View, row: Fault) -> bool:
    """Tell whether a fault can be seen in what is drawn, by itself or in what looks like it."""
    for base in bases:
        seen = _Seen(base, view, None)
        reply = _reply(base, row) if _holds(base, row.needs) else None
        if reply is not None and seen.sight(reply) not in (None, seen.healthy):
            return True
    return False


def _is_large(base: Healthy, name: str) -> bool:
    return name in base.wire.slots and isinstance(base.value(name), (dict, list))


def _add(entries: dict[Any, Entry], sight: Any, entry: Entry) -> None:
    """Keep what looks alike once; a fault, which has a name, rather than an edit."""
    old = entries.get(sight)
    if old is not None and isinstance(old.changes[0], Fault):
        return
    entries[sight] = entry


_Played = tuple[str, Change, Reply]
_kept: Final[dict[object, list[_Played]]] = {}


def _played(base: Healthy, rows: tuple[Fault, ...]) -> list[_Played]:
    """Return what can be done to a reply with what comes of it; played once for all views."""
    key = (base.wire, base.request.body, base.reply, tuple(row.name for row in rows))
    if key not in _kept:
        held = {needs for needs in {row.needs for row in rows} if _holds(base, needs)}
        fitting = smallest(row for row in rows if row.needs in held)
        changes: list[tuple[str, Change]] = [*_edits(base), *(("row", row) for row in fitting)]
        _kept[key] = [(kind, one, reply) for kind, one in changes if (reply := _reply(base, one)) is not None]
    return _kept[key]


def _edits(base: Healthy) -> Iterator[tuple[str, Edit]]:
    for spot in spots(base):
        parsed = any(step is PARSED for step in spot.path)
        kind = "slot" if spot.slot else "parsed" if parsed else "other"
        for edit in spot.edits():
            yield kind, edit
    for edit in Spot((), base.envelope(), None).edits():
        yield "whole", edit
    for edit in on_bytes(base):
        yield "body", edit


def smallest(rows: Iterable[Fault]) -> Iterator[Fault]:
    """Yield faults, those that make long replies with the least that they allow."""
    for row in rows:
        least = {one.name: int(one.minimum) for one in row.parameters if _is_large_number(one)}
        yield row.with_values(least) if least else row


def _is_large_number(parameter: Parameter) -> bool:
    large = isinstance(parameter.default, int) and parameter.default > _LARGE
    return large or parameter.name == "megabytes"


def _holds(base: Healthy, needs: Need | None) -> bool:
    """Tell whether a healthy reply holds what a fault needs."""
    try:
        return healthy(base.wire, base.request, base.answer, needs=needs).reply == base.reply
    except DoesNotApply:
        return False


def _place(base: Healthy, kind: str, change: Change) -> tuple[str, str]:
    """Return the kind and the name of the place that a change belongs to."""
    if isinstance(change, Edit):
        return kind, (slot_of(base, change) or kind) if kind == "slot" else kind
    slot = slot_of(base, change)
    if slot is not None:
        return "slot", slot
    kind = "whole" if change.family == "envelope" else change.family
    return (kind if kind in _ORDER else "other"), kind


def _reply(base: Healthy, change: Change) -> Reply | None:
    try:
        return applied(base, (change,))
    except DoesNotApply:
        return None


def _weight(base: Healthy, change: Change) -> int:
    """Weigh a change by the public reports of it, and of what the request asks for more."""
    if isinstance(change, Edit):
        return 2 if slot_of(base, change) in _reported_slots(base.wire.name) else 1
    here, elsewhere = reports(change.name, base.wire.name)
    weight = _REPORTED + 2 * min(here, _MOST_REPORTS) if here else _ELSEWHERE if elsewhere else 1
    return weight * _ASKED_FOR if change.needs else weight


@functools.cache
def _reported_slots(wire: str) -> frozenset[str | None]:
    return frozenset(row.slot for row in CATALOGUE.own.values() if reports(row.name, wire)[0])


class _Seen:
    """Looks at replies in one view."""

    def __init__(self, base: Healthy, view: View, slot: str | None) -> None:
        self.view = view
        self.path = slot_paths(base)[slot] if slot else ()
        self.envelope = base.envelope()
        self.healthy = self.sight(base.reply)

    def sight(self, reply: Reply) -> Any:
        """Return what is seen, as something to compare, or None when nothing is."""
        if self.view == "reply":
            return reply
        if reply.status != 200 or reply.connection != "accepted" or reply.ending != "clean" or reply.raw_head:
            return None
        if self.view == "body":
            return reply.body
        value = self.value(reply.body)
        if value is _NO_JSON:
            return None
        if self.view == "envelope":
            return json.dumps(value)
        return self.text(value)

    def value(self, body: bytes) -> Any:
        """Return the body as JSON."""
        try:
            return json.loads(body.decode())
        except (ValueError, RecursionError):
            return _NO_JSON

    def text(self, value: Any) -> str | None:
        """Return the text in the slot that is looked at."""
        try:
            for key in self.path:
                value = value[key]
        except (LookupError, TypeError):
            return None
        return value if isinstance(value, str) else None


_NO_JSON: Final = object()


def _made(context: Context, name: str, entries: Iterable[Entry], seen: _Seen) -> Place:
    ordered = sorted(entries, key=lambda entry: isinstance(entry.changes[0], Fault))
    for entry in ordered:
        entry.parts = tuple(_parts(context, entry, seen))
    indexes = tuple(index for index, entry in enumerate(ordered) for _ in range(entry.weight))
    return Place(name, tuple(ordered), indexes)


def _parts(context: Context, entry: Entry, seen: _Seen) -> Iterator[Entry]:
    """Yield the single differences of a fault that changes several places."""
    value = seen.value(entry.reply.body) if seen.view != "text" else _NO_JSON
    if not isinstance(entry.changes[0], Fault) or value is _NO_JSON:
        return
    edits = differences(seen.envelope, value)
    if len(edits) < 2:
        return
    slot = slot_of(context.base, entry.changes[0])
    for edit in sorted(edits, key=lambda edit: slot_of(context.base, edit) != slot):
        reply = _reply(context.base, edit)
        if reply is not None:
            yield Entry(context, (edit,), reply, 1)
