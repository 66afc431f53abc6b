"""What a dialect is: how a host speaks a wire, as data by which it differs from the wire as its vendor speaks it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._reply import Headers
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._encoding import Event, plain_event
from pytest_llmfaults._wires._limits import Limits
from pytest_llmfaults._wires._slot import ABSENT, Slot, with_value
from pytest_llmfaults._wires._wire import Piece, Stream, Wire

__all__ = ["Chunks", "Dialect", "in_dialect"]

Chunks = Callable[[Any, Request], "list[Any]"]
"""Makes the JSON of each chunk from an envelope, which may be corrupted, and the request."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dialect:
    """How a host speaks a wire. What is left out is as on the wire; two are the same only when they are one object.

    Attributes:
        name: ``vllm``.
        source: URL of the host's page.
        wire: name of the wire.
        hosts: where it is spoken, ``api.example.com`` or ``*.example.com``; empty is where somebody says so.
        fields: fields that a healthy reply has here, by the slot that has them; ``""`` is the envelope, and ``ABSENT``
            a field that it does not have.
        slots: parts that stand in another place; None is one that this host does not have. What a healthy reply holds
            moves with its slot.
        dress: further edits of a healthy envelope, where a field depends on what is said.
        unstreamed: fields that say nothing in a plain reply and are in no stream, by the slot that has them.
        chunks: makes the chunks of a stream from an envelope that may be corrupted.
        text: where a chunk has the visible text; None is where the wire has it.
        opening: what stands before the first event of a stream.
        asks: what a stream holds only where the request asks for it; None is as on the wire.
        error: makes an error body from status, message and code.
        stream_error: makes the event of an error from its status and message; None is the error body.
        headers: headers of every healthy reply.
        optional: keys that a healthy envelope may have as null, by the slot that has them, beside those of the wire.
        limits: how it tells of rate limits; None is not at all.
        environment: placeholders for variables in which the keys for this host are usually kept.
    """

    name: str
    source: str
    wire: str = "openai.chat"
    hosts: tuple[str, ...] = ()
    fields: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    slots: Mapping[str, Slot | None] = dataclasses.field(default_factory=dict)
    dress: Callable[[Any], Any] = lambda envelope: envelope
    unstreamed: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    chunks: Chunks | None = None
    text: Piece | None = None
    opening: tuple[Event, ...] = ()
    asks: Mapping[str, str] | None = None
    error: Callable[[int, str, str | None], Any] | None = None
    stream_error: Callable[[int, str], Event] | None = None
    headers: Headers = ()
    optional: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    limits: Limits | None = None
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)


@functools.cache
def in_dialect(wire: Wire, dialect: Dialect) -> Wire:
    """Return a wire as it is spoken in a dialect: the same object each time, with the wire's name."""
    slots = {name: slot for name, slot in {**wire.slots, **dialect.slots}.items() if slot is not None}

    def envelope(request: Request, answer: Answer) -> Any:
        said = _with_fields(wire.envelope(request, answer), wire, dialect)
        return dialect.dress(_moved(said, wire, dialect))

    return dataclasses.replace(
        wire,
        dialect=dialect.name,
        slots=slots,
        envelope=envelope,
        error=dialect.error or wire.error,
        headers=dialect.headers,
        optional={
            slot: (*wire.optional.get(slot, ()), *dialect.optional.get(slot, ()))
            for slot in {**wire.optional, **dialect.optional}
        },
        source=dialect.source,
        limits=dialect.limits,
        stream=None if wire.stream is None else _stream(wire, wire.stream, dialect),
    )


def _with_fields(envelope: Any, wire: Wire, dialect: Dialect) -> Any:
    for slot, fields in dialect.fields.items():
        for key, value in fields.items():
            envelope = with_value(envelope, (*_path(wire, slot), key), value)
    return envelope


def _path(wire: Wire, slot: str) -> tuple[str | int, ...]:
    return (wire.slots[slot].find({}) or ()) if slot else ()


def _moved(envelope: Any, wire: Wire, dialect: Dialect) -> Any:
    """Take what a healthy reply holds to the place where this host has it."""
    for name, slot in dialect.slots.items():
        value = wire.slots[name].get(envelope) if name in wire.slots else None
        if slot is not None and value is not None:
            emptied = wire.slots[name].put(envelope, ABSENT, stream=False)
            envelope = slot.put(emptied, value, stream=False)
    return envelope


def _stream(wire: Wire, stream: Stream, dialect: Dialect) -> Stream:
    chunks, error = dialect.chunks or stream.chunks, dialect.error

    def streamed(envelope: Any, request: Request) -> list[Any]:
        return chunks(_without_unsaid(envelope, wire, dialect), request)

    def failed(status: int, message: str) -> Event:
        return stream.error(status, message) if error is None else plain_event(error(status, message, None))

    return dataclasses.replace(
        stream,
        chunks=streamed,
        text=dialect.text or stream.text,
        opening=dialect.opening,
        asks=stream.asks if dialect.asks is None else dialect.asks,
        error=dialect.stream_error or failed,
    )


def _without_unsaid(envelope: Any, wire: Wire, dialect: Dialect) -> Any:
    """Take away what only a plain reply has; ``envelope`` may be anything."""
    for slot, keys in dialect.unstreamed.items():
        path = _path(wire, slot)
        held = wire.slots[slot].get(envelope) if slot else envelope
        if isinstance(held, dict):
            kept = {key: value for key, value in held.items() if value or key not in keys}
            envelope = with_value(envelope, path, kept)
    return envelope
