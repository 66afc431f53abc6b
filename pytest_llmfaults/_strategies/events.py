"""Edits of a stream: of its events, of how they are written, and of the packets in which they come.

Paths begin with the number of an event; the end mark, where there is one, is the last: ``-1``. What was done is applied
in that order, whatever the order it was given in: events, how they are written, bytes, packets.
"""

from __future__ import annotations

import codecs
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_llmfaults._faults import Fault, Healthy
from pytest_llmfaults._reply import Chunk, Pause, Reply
from pytest_llmfaults._strategies.changes import Change
from pytest_llmfaults._strategies.edits import Edit
from pytest_llmfaults._wires import Stream
from pytest_llmfaults._wires._encoding import Event, encoded
from pytest_llmfaults._wires._sse import SSE, Framing, sse
from pytest_llmfaults.errors import DoesNotApply, InvalidUse

__all__ = ["framed", "insert", "packets", "streaming", "swap", "written"]

_LINE_ENDS: Final = ("\n", "\r\n", "\r")
_SPACES: Final = ("", " ")
_BLANKS: Final = (0, 1, 2)
_KINDS: Final = ("framed", "packets")
"""Edits of which a stream has one at most."""


def swap(index: int) -> Edit:
    """Exchange an event with the one behind it."""
    return Edit("swap", (_number("index", index),))


def insert(index: int, *, value: Any) -> Edit:
    """Put an event whose data are the JSON of ``value`` before the event ``index``."""
    return Edit("insert", (_number("index", index),), ("value", value))


def framed(*, line_end: str | None = None, space: str | None = None, blank: int | None = None) -> Edit:
    r"""Write the events in another way; give one of these.

    Args:
        line_end: ``\n`` (the usual one), ``\r\n`` or ``\r``.
        space: what stands behind the colon: ``" "`` (as usual) or nothing.
        blank: how many empty lines end an event: 1 (as usual), 2, or 0, which runs all events into one.
    """
    given: dict[str, Any] = {"line_end": line_end, "space": space, "blank": blank}
    allowed = {"line_end": _LINE_ENDS, "space": _SPACES, "blank": _BLANKS}
    chosen = [(name, value) for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        msg = f"framed() takes one of line_end=, space= and blank=; got {len(chosen)}."
        raise InvalidUse(msg)
    name, value = chosen[0]
    if isinstance(value, bool) or value not in allowed[name]:
        msg = f"{name}={value!r} is not allowed. It is one of {', '.join(map(repr, allowed[name]))}."
        raise InvalidUse(msg)
    return Edit("framed", (), (name, value))


def packets(*, size: int) -> Edit:
    """Send the bytes in packets of this size, wherever events begin and end; 1 is byte by byte."""
    if _number("size", size) < 1:
        msg = f"size={size!r} is not allowed: a packet has 1 byte or more."
        raise InvalidUse(msg)
    return Edit("packets", (), ("size", size))


def _number(name: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        msg = f"{name}={value!r} is not an integer."
        raise InvalidUse(msg)
    return value


def streaming(base: Healthy) -> Healthy:
    """Return the same answer, as a stream."""
    request = base.wire.asks.for_stream(base.request)
    return dataclasses.replace(base, request=request).as_asked()


def written(base: Healthy, changes: Sequence[Change]) -> Reply:
    """Return the stream after all changes.

    Args:
        base: the healthy reply, which is a stream.
        changes: edits, and one fault at most, which takes the place of edits of events.

    Raises:
        DoesNotApply: one of them finds no place or changes nothing, or two do not go together.
    """
    edits = [change for change in changes if isinstance(change, Edit)]
    faults = [change for change in changes if isinstance(change, Fault)]
    bytewise = [edit for edit in edits if edit.crosses]
    of_events = [edit for edit in edits if edit.kind not in _KINDS and not edit.crosses]
    framing, size = (_only(edits, kind) for kind in _KINDS)
    if len(faults) > 1 or (faults and (of_events or framing)):
        msg = f"{', '.join(map(repr, changes))} do not go together: a fault changes events, and so does the other."
        raise DoesNotApply(msg)
    reply = faults[0].reply(_unstreamed(base)) if faults else _sent(base, of_events, framing)
    for edit in bytewise:
        reply = _crossing(base, reply, edit)
    if size is not None:
        reply = _packed(reply, size)
    if changes and reply == base.reply:
        msg = f"{', '.join(map(repr, changes))} changes nothing in this stream."
        raise DoesNotApply(msg)
    return reply


def _unstreamed(base: Healthy) -> Healthy:
    """Return what a fault begins with: the answer to a request for a stream, before it is one."""
    return base if base.whole is None else dataclasses.replace(base, reply=base.whole, whole=None)


def _only(edits: Sequence[Edit], kind: str) -> Edit | None:
    found = [edit for edit in edits if edit.kind == kind]
    if len(found) > 1:
        msg = f"{', '.join(map(repr, found))} do not go together: a stream has one at most."
        raise DoesNotApply(msg)
    return found[0] if found else None


def _sent(base: Healthy, edits: Sequence[Edit], framing: Edit | None) -> Reply:
    stream = _stream(base)
    events: Any = [*base.chunks(), *stream.events(())]
    for edit in edits:
        events = _MOVES[edit.kind](events, edit) if edit.kind in _MOVES else edit.of(events)
    if not isinstance(events, list):
        msg = f"{', '.join(map(repr, edits))} leaves no events."
        raise DoesNotApply(msg)
    encoding = stream.encoding
    if framing is not None and framing.detail is not None:
        if encoding is not SSE:
            msg = f"{framing!r} does not apply: the wire {base.wire.name} streams {encoding.name}."
            raise DoesNotApply(msg)
        encoding = sse(Framing(**dict([framing.detail])))
    made = (event if isinstance(event, Event) else stream.event(event) for event in events)
    return encoded(stream.opened(made), encoding, base.wire.headers)


def _stream(base: Healthy) -> Stream:
    if base.wire.stream is None:
        msg = f"the wire {base.wire.name} has no stream."
        raise DoesNotApply(msg)
    return base.wire.stream


def _swapped(events: list[Any], edit: Edit) -> list[Any]:
    index = _within(edit, len(events) - 2)
    return [*events[:index], events[index + 1], events[index], *events[index + 2 :]]


def _inserted(events: list[Any], edit: Edit) -> list[Any]:
    index = _within(edit, len(events))
    return [*events[:index], edit.detail[1] if edit.detail else None, *events[index:]]


_MOVES: Final[Mapping[str, Callable[[list[Any], Edit], list[Any]]]] = {"swap": _swapped, "insert": _inserted}


def _within(edit: Edit, last: int) -> int:
    index = edit.path[0]
    if isinstance(index, str) or not 0 <= index <= last:
        msg = f"{edit!r} does not apply: the last place for it in this stream is {last}."
        raise DoesNotApply(msg)
    return index


def _crossing(base: Healthy, reply: Reply, edit: Edit) -> Reply:
    """Return the reply after an edit of bytes, in the packets that it had."""
    encoding = _stream(base).encoding
    if edit.kind == "encode" and not encoding.is_text:
        msg = f"{edit!r} does not apply: the wire {base.wire.name} streams {encoding.name}, which is no text."
        raise DoesNotApply(msg)
    changed = edit.reply(dataclasses.replace(base, reply=reply))
    if edit.kind == "cut":
        return dataclasses.replace(changed, chunks=tuple(_shortened(reply.chunks, len(changed.body))))
    if edit.kind == "encode" and edit.detail is not None:
        return dataclasses.replace(changed, chunks=tuple(_encoded(reply.chunks, edit.detail[1])))
    return changed


def _shortened(chunks: Sequence[Chunk], left: int) -> Iterator[Chunk]:
    for chunk in chunks:
        if left <= 0:
            return
        yield chunk if isinstance(chunk, Pause) else chunk[:left]
        left -= 0 if isinstance(chunk, Pause) else len(chunk)


def _encoded(chunks: Sequence[Chunk], to: str) -> Iterator[Chunk]:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    encoder = codecs.getincrementalencoder(to)(errors="backslashreplace")
    for chunk in chunks:
        yield chunk if isinstance(chunk, Pause) else encoder.encode(decoder.decode(chunk))


def _packed(reply: Reply, edit: Edit) -> Reply:
    if any(isinstance(chunk, Pause) for chunk in reply.chunks):
        msg = f"{edit!r} does not apply: this stream has pauses between its packets."
        raise DoesNotApply(msg)
    size, body = int(edit.detail[1]) if edit.detail else 1, reply.body
    return dataclasses.replace(reply, chunks=tuple(body[at : at + size] for at in range(0, len(body), size)))
