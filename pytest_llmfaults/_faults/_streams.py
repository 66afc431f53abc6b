"""Edits of a stream: chunks in, chunks out; events in, events out; and then how the events cross the wire."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Healthy, Parameter
from pytest_llmfaults._reply import Chunk, Reply
from pytest_llmfaults._wires import Piece, Stream
from pytest_llmfaults._wires._encoding import Event, Part, encoded
from pytest_llmfaults._wires._sse import SSE, Framing, sse
from pytest_llmfaults.errors import DoesNotApply

__all__ = [
    "AT",
    "Framing",
    "argument_pieces",
    "begun",
    "done_of",
    "edits",
    "events",
    "finish_index",
    "framed",
    "made",
    "of_sse",
    "packed",
    "parts",
    "piece_indexes",
    "stream_of",
]

AT: Final = Parameter("at", 0.5, minimum=0.05, maximum=0.95)
"""How much of the answer comes, as a share of its pieces."""


def stream_of(base: Healthy) -> Stream:
    """Return how the wire streams.

    Raises:
        DoesNotApply: it does not.
    """
    if base.wire.stream is None:
        msg = f"the wire {base.wire.name} has no stream."
        raise DoesNotApply(msg)
    return base.wire.stream


def made(base: Healthy, stream: Iterable[Part], framing: Framing | None = None, **changes: Any) -> Reply:
    """Return the reply that sends this stream, one chunk an event; ``changes`` are fields of the reply."""
    spoken = stream_of(base)
    encoding = spoken.encoding if framing is None else sse(framing)
    return dataclasses.replace(encoded(spoken.opened(stream), encoding, base.wire.headers), **changes)


def parts(base: Healthy, chunks: Iterable[Any] | None = None, *, done: bool = True) -> list[Part]:
    """Return the events of the healthy stream, or of these chunks; with the end mark if ``done`` and there is one."""
    stream = stream_of(base)
    shown = base.chunks() if chunks is None else chunks
    return list(stream.events(shown) if done else map(stream.event, shown))


def done_of(base: Healthy) -> Event:
    """Return the end mark.

    Raises:
        DoesNotApply: the last chunk of this wire's streams is their end.
    """
    done = stream_of(base).done
    if done is None:
        msg = f"it is about the end mark, and a stream of the wire {base.wire.name} has none."
        raise DoesNotApply(msg)
    return done


def argument_pieces(base: Healthy) -> Piece:
    """Return how a chunk has a piece of arguments.

    Raises:
        DoesNotApply: on this wire the arguments of a call come whole.
    """
    arguments = stream_of(base).arguments
    if arguments is None:
        msg = f"it is about pieces of arguments, and in a stream of the wire {base.wire.name} they come whole."
        raise DoesNotApply(msg)
    return arguments


def piece_indexes(base: Healthy, chunks: Sequence[Any]) -> list[int]:
    """Return where the pieces of the answer are.

    Raises:
        DoesNotApply: the answer says nothing.
    """
    found = [index for index, chunk in enumerate(chunks) if stream_of(base).speaks(chunk)]
    if not found:
        msg = "it strikes in what the model says, and the answer says nothing. Give answer=."
        raise DoesNotApply(msg)
    return found


def begun(base: Healthy, at: float) -> list[Any]:
    """Return the chunks up to a share of the pieces of the answer, each whole; never the one with the reason."""
    chunks = base.chunks()
    pieces = piece_indexes(base, chunks)
    return chunks[: pieces[math.ceil(at * len(pieces)) - 1] + 1]


def finish_index(base: Healthy, chunks: Sequence[Any]) -> int:
    """Return where the chunk with the reason is."""
    finishes = stream_of(base).finishes
    return max(index for index, chunk in enumerate(chunks) if finishes(chunk))


def edits(change: Callable[..., Iterable[Any]]) -> Play:
    """Make a fault that streams ``change(chunks, **values)`` instead of the chunks."""

    def play(base: Healthy, **values: Any) -> Reply:
        return made(base, parts(base, change(base.chunks(), **values)))

    return play


def events(change: Callable[..., Iterable[Part]], **fields: Any) -> Play:
    """Make a fault that sends ``change(base, **values)``; ``fields`` are fields of the reply."""
    return lambda base, **values: made(base, change(base, **values), **fields)


def of_sse(play: Play) -> Play:
    """Make a fault that is about server-sent events, and applies to no other stream."""

    def played(base: Healthy, **values: Any) -> Reply:
        encoding = stream_of(base).encoding
        if encoding is not SSE:
            msg = f"it is about {SSE.name}, and the wire {base.wire.name} streams {encoding.name}."
            raise DoesNotApply(msg)
        return play(base, **values)

    return played


def framed(framing: Framing) -> Play:
    """Make a fault that writes the healthy events in another way."""
    return of_sse(lambda base: made(base, parts(base), framing))


def packed(change: Callable[..., Iterable[Chunk]], framing: Framing | None = None) -> Play:
    """Make a fault that sends the bytes of the healthy stream in the pieces of ``change(body, **values)``."""

    def play(base: Healthy, **values: Any) -> Reply:
        reply = made(base, parts(base), framing)
        return dataclasses.replace(reply, chunks=tuple(change(reply.body, **values)))

    return play
