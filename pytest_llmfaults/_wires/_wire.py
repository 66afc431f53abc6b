"""What a wire is: a provider's format as data and a few pure functions."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._reply import Headers, Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._encoding import Encoding, Event, encoded
from pytest_llmfaults._wires._limits import Limits
from pytest_llmfaults._wires._slot import Slot

__all__ = ["Need", "Piece", "Stream", "Wire"]

Need: TypeAlias = Literal["tool_calls", "data", "items"]
"""What a fault corrupts and the healthy reply must therefore hold."""


class Piece(NamedTuple):
    """A text that comes in pieces, as a chunk has it.

    Attributes:
        read: returns the text in a chunk, or None when it brings none.
        write: returns the chunk with another text there.
    """

    read: Callable[[Any], str | None]
    write: Callable[[Any, str], Any]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """How a wire streams: what is said in one envelope, said in chunks.

    Attributes:
        encoding: how its events are written.
        chunks: makes the JSON of each chunk from an envelope, which may be corrupted, and the request.
        pieces: cuts a text into what the deltas hold.
        event: makes the event of a chunk.
        done: the event that ends a stream, the end mark; None where the last chunk is the end.
        asks: what a stream holds only where the request asks for it: the slot, and how one asks.
        text: the visible text.
        arguments: the arguments of a call.
        call: returns the number of the call that a chunk brings something of, or None.
        speaks: whether a chunk holds something of the answer: text, thoughts or a call.
        finishes: whether a chunk can hold the reason; of several the last one does.
        error: makes the event of an error from its status and message.
        goes_on: whether the end mark comes after an error, too.
    """

    encoding: Encoding
    chunks: Callable[[Any, Request], list[Any]]
    pieces: Callable[[str], list[str]]
    event: Callable[[Any], Event]
    done: Event | None
    asks: Mapping[str, str]
    text: Piece
    arguments: Piece
    call: Callable[[Any], int | None]
    speaks: Callable[[Any], bool]
    finishes: Callable[[Any], bool]
    error: Callable[[int, str], Event]
    goes_on: bool

    def read(self, body: bytes) -> list[Any]:
        """Return the chunks that are complete in ``body``; what is no JSON counts as an event, and says nothing."""
        mark = None if self.done is None else self.done.text
        return [_loaded(text) for text in self.encoding.read(body) if text != mark]

    def events(self, chunks: Iterable[Any]) -> list[Event]:
        """Return the events of these chunks, and the end mark where there is one."""
        found = [self.event(chunk) for chunk in chunks]
        return found if self.done is None else [*found, self.done]

    def said(self, chunk: Any) -> str:
        """Return the visible text in a chunk, whatever the chunk is."""
        return self.text.read(chunk) or ""


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A provider's format.

    Attributes:
        name: ``openai.chat``.
        routes: path endings of its POST routes, ``/chat/completions``.
        recognises: whether a request to an unknown path speaks this format (asked only where ``wire=`` names it).
        slots: where the parts of an envelope are that faults corrupt, by the slot's name.
        envelope: makes the healthy JSON body from a request and an answer.
        data_slot: the slot that holds structured data in the reply to this request.
        wants_data: the JSON schema of the data that the request asks for, or None; where it lets the model choose,
            the schema that fits the data given.
        offered: the schemas of the arguments of the tools that the request offers, by name.
        error: makes an error body from status, message and code.
        headers: headers of every healthy reply.
        environment: placeholders for variables without which the official SDK does not start.
        optional: keys that a healthy envelope may have as null, by the slot that has them; ``""`` is the envelope.
        example: the least body of a request.
        source: URL of the vendor's page.
        stream: how it streams, or None where that is not known yet.
        limits: how it tells of rate limits, or None where it has none, or they are not known yet.
    """

    name: str
    routes: tuple[str, ...]
    recognises: Callable[[Request], bool]
    slots: Mapping[str, Slot]
    envelope: Callable[[Request, Answer], Any]
    data_slot: Callable[[Request], str]
    wants_data: Callable[[Request, Any], Any]
    offered: Callable[[Request], Mapping[str, Any]]
    error: Callable[[int, str, str | None], Any]
    headers: Headers
    environment: Mapping[str, str]
    optional: Mapping[str, tuple[str, ...]]
    example: Mapping[str, Any]
    source: str
    stream: Stream | None = None
    limits: Limits | None = None

    def key(self, slot: str) -> str | int:
        """Return the last key of a slot that is at the same place in every envelope."""
        path = self.slots[slot].find({})
        if path is None:
            raise KeyError(slot)
        return path[-1]

    def matches(self, path: str) -> bool:
        """Tell whether ``path`` ends in one of the wire's routes."""
        return path.rstrip("/").endswith(self.routes)

    def healthy(self, request: Request, answer: Answer) -> Reply:
        """Make the reply that a healthy gateway gives."""
        return Reply.json(self.envelope(request, answer), headers=dict(self.headers))

    def streamed(self, request: Request, envelope: Any) -> Reply:
        """Make the reply that streams what an envelope says; the wire has to have a stream.

        Raises:
            TypeError: it has none.
        """
        if self.stream is None:
            msg = f"{self.name} has no stream"
            raise TypeError(msg)
        events = self.stream.events(self.stream.chunks(envelope, request))
        return encoded(events, self.stream.encoding, self.headers)
