"""How much of a stream a client took off its connection."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Mapping
from typing import Final

from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES, spoken

__all__ = ["Consumed", "consumed"]

_CLOSED: Final[Mapping[str, str]] = {
    "read": "drained",
    "closed_early": "closed by the client",
    "open": "leaked",
    "timed_out": "timed out",
    "forever": "for ever",
}
_GZIP: Final = b"\x1f\x8b"
_GZIP_WINDOW_BITS: Final = 31


@dataclasses.dataclass(frozen=True, slots=True)
class Consumed:
    """How much of a stream a client took off the connection, whatever it made of it.

    Attributes:
        events: events that were complete, the end mark not counted.
        text: the visible text in them.
        closed: ``drained`` (all was taken), ``closed by the client`` (before the end), ``leaked`` (neither: it is
            still open), ``cut``, ``reset``, ``timed out``, ``for ever`` or ``refused``.
        output: whether something of the answer was among it: text, thoughts or a call.
    """

    events: int
    text: str
    closed: str
    output: bool

    def __str__(self) -> str:
        """Tell it in a few words."""
        return f"{_counted(self.events, 'event')}, {_counted(len(self.text), 'character')}, {self.closed}"


def consumed(request: Request, reply: Reply, taken_bytes: int, outcome: str) -> Consumed | None:
    """Return how much of a stream was taken; None where none was asked for, or none was answered.

    Args:
        request: the request.
        reply: the reply that was played.
        taken_bytes: how many bytes of it the client took, its head included.
        outcome: how far the client came.
    """
    wire = spoken(request) if request.wire in WIRES else None
    stream = wire.stream if wire is not None and request.stream else None
    if stream is None or reply.status >= 300 or reply.connection != "accepted":
        return None
    chunks = stream.read(_readable(reply, reply.body_within(taken_bytes)))
    text = "".join(map(stream.said, chunks))
    return Consumed(len(chunks), text, _CLOSED.get(outcome, outcome), any(map(stream.speaks, chunks)))


def _readable(reply: Reply, body: bytes) -> bytes:
    """Return what a client can read of a body: nothing where its framing or its coding is not what its head says."""
    if reply.framing != "chunked" and reply.header("transfer-encoding") is not None:
        return b""
    coding = reply.header("content-encoding")
    if coding is None:
        return b"" if body.startswith(_GZIP) else body
    if coding != "gzip":
        return b""
    try:
        return zlib.decompressobj(_GZIP_WINDOW_BITS).decompress(body)
    except zlib.error:
        return b""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
