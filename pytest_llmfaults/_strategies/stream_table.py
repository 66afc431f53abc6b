"""Tables of streams: all that can be done to a healthy stream, made once and then drawn from by index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import Fault, Healthy, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._strategies.bases import Asked
from pytest_llmfaults._strategies.changes import Change
from pytest_llmfaults._strategies.draw import Table
from pytest_llmfaults._strategies.edits import Edit, duplicate, put, remove, reverse
from pytest_llmfaults._strategies.events import framed, insert, packets, swap, written
from pytest_llmfaults._strategies.places import Spot, on_bytes
from pytest_llmfaults._strategies.stream_variant import StreamContext, StreamVariant, stream_bases
from pytest_llmfaults._strategies.table import Entry, Place, smallest
from pytest_llmfaults._strategies.values import Drawn, whole
from pytest_llmfaults._wires import Path
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["drawn_stream", "shows", "tables"]

_SHARES: Final[Mapping[str, int]] = {
    "healthy": 8,
    "removed": 20,
    "repeated": 14,
    "moved": 13,
    "nulled": 14,
    "inserted": 18,
    "inside": 34,
    "framing": 13,
    "packets": 24,
    "bytes": 14,
    "stream": 40,
    "fault": 44,
}
"""How many of 256 streams are changed in this way, the simplest first."""
_SIZES: Final = (1, 2, 3, 5, 7, 16, 64, 300, 1500, 65_536)
"""Of packets, in bytes; the last one holds a whole stream."""
_NAMED: Final = frozenset({"choices", "delta", "content", "tool_calls", "function", "finish_reason", "usage"})
"""Keys at which more is tried."""
_MOST_SOURCES: Final = 4
_OF_THE_ANSWER: Final = frozenset({"answer", "only"})
"""How rows meet a stream that do another thing to another answer; the rest is done to the first healthy stream only."""


def tables(wire: str, rows: tuple[Fault, ...], request: Asked | None, answer: Answer | None) -> tuple[Table, ...]:
    """Make a table for each healthy stream, or take those made before.

    Raises:
        InvalidUse: an argument is not what it may be, or the wire does not stream.
    """
    found = stream_bases(wire, request, answer)
    key = (wire, *(row.name for row in rows), *((base.request.body, base.reply) for base in found.values()))
    if key not in _kept:
        shapes: set[object] = set()
        made = []
        for kind, base in found.items():
            made.append(_table(StreamContext(base, kind, request, answer), rows, shapes))
            rows = tuple(row for row in rows if row.streamed in _OF_THE_ANSWER)
        _kept[key] = tuple(made)
    return _kept[key]


_kept: Final[dict[object, tuple[Table, ...]]] = {}


def drawn_stream(drawn: Drawn) -> StreamVariant:
    """Return the stream that was drawn."""
    found = whole(drawn)
    if not isinstance(found, StreamVariant):
        msg = f"{found!r} was not drawn from a table of streams"
        raise TypeError(msg)
    return found


def shows(found: tuple[Table, ...], row: Fault) -> bool:
    """Tell whether a fault can be seen in what is drawn, by itself or in what looks like it."""
    bases = (table.context.base for table in found)
    return any(_holds(base, row) and _new(base, row, {base.reply}) is not None for base in bases)


def _table(context: StreamContext, rows: tuple[Fault, ...], shapes: set[object]) -> Table:
    base = context.base
    seen = {base.reply}
    found = [Place("healthy", (Entry(context, (), base.reply, 1),), (0,))]
    for name, changes in _changes(base, rows, shapes).items():
        entries = [
            Entry(context, (change,), reply, _weight(change))
            for change in changes
            if (reply := _new(base, change, seen)) is not None
        ]
        indexes = [index for index, entry in enumerate(entries) for _ in range(entry.weight)]
        if entries:
            found.append(Place(name, tuple(entries), tuple(indexes)))
    healthy, *runs = [place for place in found for _ in range(_SHARES[place.name])]
    least = _SHARES["healthy"] - 1
    runs = [*runs[least:], *runs[:least]]
    # Shrinking is sure to try 0 and 1: healthy, and an event that is gone.
    return Table(context, tuple(found), (healthy, *(runs[byte * len(runs) // 255] for byte in range(255))))


def _new(base: Healthy, change: Change, seen: set[Reply]) -> Reply | None:
    """Return what comes of a change, or None when it is no stream, or came of another one."""
    try:
        reply = written(base, (change,))
    except DoesNotApply:
        return None
    if reply in seen or reply.status != 200 or reply.connection != "accepted" or reply.raw_head or reply.head_bytes:
        return None
    seen.add(reply)
    return reply


def _weight(change: Change) -> int:
    """Weigh a fault by how many reports it cites."""
    return 1 + min(len(change.sources), _MOST_SOURCES) if isinstance(change, Fault) else 1


def _changes(base: Healthy, rows: tuple[Fault, ...], shapes: set[object]) -> Mapping[str, Iterable[Change]]:
    """Return what can be done, by kind; of what looks alike the first is kept."""
    chunks = base.chunks()
    count = len(chunks)
    held = [row for row in rows if _holds(base, row)]
    return {
        "removed": [remove(-1), *map(remove, range(count))],
        "repeated": [duplicate(-1), *map(duplicate, range(count))],
        "moved": [*map(swap, range(count)), reverse()],
        "nulled": [put(index, value=None) for index in range(count)],
        "inserted": [insert(index, value=value) for value in _foreign(base) for index in range(count + 2)],
        "inside": _inside(chunks, shapes),
        "framing": [
            framed(line_end="\r\n"),
            framed(space=""),
            framed(blank=2),
            framed(line_end="\r"),
            framed(blank=0),
        ],
        "packets": [packets(size=size) for size in _SIZES],
        "bytes": (edit for edit in on_bytes(base) if edit.kind != "foreign"),
        "stream": smallest(row for row in held if row.family == "stream"),
        "fault": smallest(row for row in held if row.family != "stream"),
    }


def _foreign(base: Healthy) -> tuple[Any, ...]:
    """Return what may stand among the events of any wire: nothing, an object of nothing, an error."""
    return None, {}, base.wire.error(500, "The server had an error.", None)


def _holds(base: Healthy, row: Fault) -> bool:
    """Tell whether a healthy stream holds what a fault needs."""
    try:
        asked = healthy(base.wire, base.request, base.answer, needs=row.needs).as_asked()
    except DoesNotApply:
        return False
    return asked.reply == base.reply


def _inside(chunks: list[Any], shapes: set[object]) -> Iterator[Edit]:
    """Yield edits of one place in one chunk; of chunks of the same shape only the first is edited."""
    for index, chunk in enumerate(chunks):
        places = list(_walk((index,), chunk))
        shape = tuple((path[1:], type(value), value == "") for path, value in places)
        if shape not in shapes:
            shapes.add(shape)
            for path, value in places:
                yield from Spot(path, value, str(path[-1]) if path[-1] in _NAMED else None).edits()


def _walk(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if len(path) > 1:
        yield path, value
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, (dict, list)):
        members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in members:
        yield from _walk((*path, key), inner)
