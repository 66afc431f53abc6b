"""Edits of a stream: chunks in, chunks out; events in, events out; and then how the events cross the wire."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Healthy, Parameter
from pytest_llmfaults._reply import Chunk, Reply
from pytest_llmfaults._wires import Stream
from pytest_llmfaults._wires._sse import Framing, Part, event_stream
from pytest_llmfaults.errors import DoesNotApply

__all__ = [
    "AT",
    "Framing",
    "begun",
    "edits",
    "events",
    "finish_index",
    "framed",
    "made",
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
    return dataclasses.replace(event_stream(stream, base.wire.headers, framing), **changes)


def parts(base: Healthy, chunks: Iterable[Any] | None = None, *, done: bool = True) -> list[Part]:
    """Return the events of the healthy stream, or of these chunks, with the end mark if ``done``."""
    stream = stream_of(base)
    found: list[Part] = [stream.event(chunk) for chunk in (base.chunks() if chunks is None else chunks)]
    return [*found, stream.done] if done else found


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


def framed(framing: Framing) -> Play:
    """Make a fault that writes the healthy events in another way."""
    return lambda base: made(base, parts(base), framing)


def packed(change: Callable[..., Iterable[Chunk]], framing: Framing | None = None) -> Play:
    """Make a fault that sends the bytes of the healthy stream in the pieces of ``change(body, **values)``."""

    def play(base: Healthy, **values: Any) -> Reply:
        reply = made(base, parts(base), framing)
        return dataclasses.replace(reply, chunks=tuple(change(reply.body, **values)))

    return play
