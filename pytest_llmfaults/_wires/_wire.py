"""What a wire is: a provider's format as data and a few pure functions."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._reply import Headers, Reply
from pytest_llmfaults._request import IN_BODY, Asks, Request
from pytest_llmfaults._wires._aws_events import AWS_EVENTS
from pytest_llmfaults._wires._encoding import Encoding, Event, Part, encoded
from pytest_llmfaults._wires._limits import Limits
from pytest_llmfaults._wires._slot import Path, Slot
from pytest_llmfaults._wires._sse import SSE

__all__ = ["PARTS", "Need", "Piece", "Stream", "Wire"]

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
        arguments: the arguments of a call; None where they come whole.
        call: returns the number of the call that a chunk brings something of, or None.
        speaks: whether a chunk holds something of the answer: text, thoughts or a call.
        finishes: whether a chunk can hold the reason; of several the last one does.
        error: makes the event of an error from its status and message.
        goes_on: whether the end mark comes after an error, too.
        other_form: says how a request wants its stream where that is not this form, or returns None.
        opening: what stands before the first event, such as the comment of a host that keeps the connection alive.
    """

    encoding: Encoding
    chunks: Callable[[Any, Request], list[Any]]
    pieces: Callable[[str], list[str]]
    event: Callable[[Any], Event]
    done: Event | None
    asks: Mapping[str, str]
    text: Piece
    arguments: Piece | None
    call: Callable[[Any], int | None]
    speaks: Callable[[Any], bool]
    finishes: Callable[[Any], bool]
    error: Callable[[int, str], Event]
    goes_on: bool
    other_form: Callable[[Request], str | None] = lambda _request: None
    opening: tuple[Event, ...] = ()

    def read(self, body: bytes) -> list[Any]:
        """Return the chunks that are complete in ``body``; what is no JSON counts as an event, and says nothing."""
        mark = None if self.done is None else self.done.text
        return [_loaded(text) for text in self.encoding.read(body) if text != mark]

    def events(self, chunks: Iterable[Any]) -> list[Event]:
        """Return the events of these chunks, and the end mark where there is one."""
        found = [self.event(chunk) for chunk in chunks]
        return found if self.done is None else [*found, self.done]

    def opened(self, parts: Iterable[Part]) -> list[Part]:
        """Return what is sent with what stands before the first event; raw bytes and pauses stay the first."""
        found = list(parts)
        return [*self.opening, *found] if found and isinstance(found[0], Event) else found

    def said(self, chunk: Any) -> str:
        """Return the visible text in a chunk, whatever the chunk is."""
        return self.text.read(chunk) or ""


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wire:
    """A provider's format; two are the same only when they are one object.

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
        error_headers: headers that an error of this status has, besides.
        headers: headers of every healthy reply.
        environment: placeholders for variables without which the official SDK does not start.
        optional: keys that a healthy envelope may have as null, by the slot that has them; ``""`` is the envelope.
        example: the least body of a request.
        source: URL of the vendor's page.
        stream: how it streams, or None where that is not known yet.
        usual: what its healthy model says where nobody says anything; None is a text.
        limits: how it tells of rate limits, or None where it has none, or they are not known yet.
        asks: where its requests say what they ask for.
        path: of the least request; empty is the first of the routes.
        unions: slots whose object is one of several kinds and takes no further key, not even in a good reply.
        hosts: where its routes are, ``api.example.com`` or ``*.example.com``; empty is any host. Of two wires with the
            same route the one that names the host counts.
        dialect: the name of the dialect that it is spoken in; empty is as its vendor speaks it.
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
    usual: Answer | None = None
    limits: Limits | None = None
    asks: Asks = IN_BODY
    path: str = ""
    unions: tuple[str, ...] = ()
    error_headers: Callable[[int], Headers] = lambda _status: ()
    hosts: tuple[str, ...] = ()
    dialect: str = ""

    @classmethod
    def from_sample(
        cls,
        sample: Any,
        slots: Mapping[str, Path],
        *,
        name: str,
        route: str | tuple[str, ...],
        own_slots: Mapping[str, Path] | None = None,
        finish_words: Mapping[str, str] | None = None,
        error: Callable[[int, str, str | None], Any] | None = None,
        headers: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        example: Mapping[str, Any] | None = None,
    ) -> Wire:
        """Make a wire from one recorded JSON reply of a gateway of your own.

        The healthy reply is the sample, byte for byte what JSON says of it, until an ``Answer`` says something else.
        It has no streams: a request with ``stream=true`` is refused by name.

        Args:
            sample: the reply: its JSON as text or bytes, what it parses to, or the path (``os.PathLike``) of its file.
            slots: where its parts are, by the names that faults know: ``{"content": ("result", 0, "text")}``. A fault
                whose part is not among them is refused by name.
            name: ``company.format``.
            route: path ending of its POST route, ``/llm/ask``, or several.
            own_slots: parts that only faults of your own know.
            finish_words: what your gateway calls the reasons that faults know: ``{"length": "MAX_TOKENS"}``.
            error: makes the JSON of an error from status, message and code, as a sample of success cannot show it; None
                makes ``{"error": {"message": ..., "code": ...}}``.
            headers: headers of every healthy reply.
            environment: placeholders for variables without which your SDK does not start.
            example: the least JSON body of a request.

        Raises:
            InvalidUse: the sample is no JSON, a path is not in it, a slot's name is unknown, or it makes no sense
                otherwise; the text says which and what is allowed.
        """
        from pytest_llmfaults._wires import _sample

        return _sample.made(
            sample,
            slots,
            cls=cls,
            name=name,
            routes=(route,) if isinstance(route, str) else tuple(route),
            own_slots=own_slots or {},
            finish_words=finish_words or {},
            error=error,
            headers=tuple((headers or {}).items()),
            environment=dict(environment or {}),
            example=dict(example or {}),
        )

    def has(self, part: str) -> bool:
        """Tell whether there is a place for a part: a slot, or one of ``PARTS``."""
        test = PARTS.get(part)
        return part in self.slots if test is None else test(self)

    def takes(self, request: Request) -> Request:
        """Return a request as one on this wire."""
        return request.on_wire(self.name, self.asks, self.dialect)

    @property
    def spoken(self) -> str:
        """Its name, and the dialect that it is spoken in."""
        return f"{self.name} (dialect {self.dialect})" if self.dialect else self.name

    def request(self, body: Mapping[str, Any], *, origin: str, headers: Headers = (), stream: bool = False) -> Request:
        """Make a request on this wire.

        Args:
            body: its JSON body.
            origin: where it goes, ``https://api.example.com``.
            headers: its headers.
            stream: whether to make it one for a stream; what the body says stays.
        """
        url = f"{origin}{self.path or self.routes[0]}"
        made = self.takes(Request("POST", url, headers, json.dumps(body).encode()))
        return self.asks.for_stream(made) if stream else made

    def matches(self, path: str) -> bool:
        """Tell whether ``path`` ends in one of the wire's routes."""
        return path.rstrip("/").endswith(self.routes)

    def healthy(self, request: Request, answer: Answer) -> Reply:
        """Make the reply that a healthy gateway gives."""
        return Reply.json(self.envelope(request, answer), headers=dict(self.headers))

    def failed(self, status: int, body: Any) -> Reply:
        """Make the reply of an error that has this JSON body."""
        return Reply.json(body, status=status, headers=dict(self.error_headers(status)))

    def streamed(self, request: Request, envelope: Any) -> Reply:
        """Make the reply that streams what an envelope says; the wire has to have a stream.

        Raises:
            TypeError: it has none.
        """
        if self.stream is None:
            msg = f"{self.name} has no stream"
            raise TypeError(msg)
        events = self.stream.events(self.stream.chunks(envelope, request))
        return encoded(self.stream.opened(events), self.stream.encoding, self.headers)


def _argument_text(wire: Wire) -> bool:
    slot = wire.slots.get("arguments")
    return slot is not None and (not slot.parsed or slot.text_in_stream)


def _argument_json(wire: Wire) -> bool:
    return _argument_text(wire) or ("arguments" in wire.slots and str in wire.slots["arguments"].types)


def _message_fields(wire: Wire) -> bool:
    calls = wire.slots.get("tool_calls")
    return "message" in wire.slots and calls is not None and calls.find({}) is not None


PARTS: Final[Mapping[str, Callable[[Wire], bool]]] = MappingProxyType(
    {
        "structured": lambda wire: "content" in wire.slots,
        "end_mark": lambda wire: wire.stream is None or wire.stream.done is not None,
        "argument_text": _argument_text,
        "argument_json": _argument_json,
        "argument_pieces": lambda wire: wire.stream is None or wire.stream.arguments is not None,
        "message_fields": _message_fields,
        "server_sent_events": lambda wire: wire.stream is None or wire.stream.encoding is SSE,
        "event_frames": lambda wire: wire.stream is not None and wire.stream.encoding is AWS_EVENTS,
    }
)
"""What a fault may touch besides slots: a text that can hold data; the end mark of streams; arguments as text, as JSON
that is no object, and in pieces; a message that holds its calls in a field of its own; and how the events of
streams are written."""
