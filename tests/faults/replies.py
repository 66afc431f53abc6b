"""Requests of each kind, and the healthy replies to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE, Fault, Healthy, healthy
from pytest_llmfaults._reply import Act, Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES

WIRE: Final = WIRES["openai.chat"]
ON_WIRE: Final = {name: row for name, row in CATALOGUE.items() if row.applies_to(WIRE)}
"""The rows of the catalogue that this wire has."""

URL: Final = "https://api.openai.com/v1/chat/completions"
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2},
    },
    "required": ["title", "tags"],
}
TOOLS: Final = [
    {"type": "function", "function": {"name": "look_up", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "store", "parameters": SCHEMA}},
]
FORMAT: Final = {"type": "json_schema", "json_schema": {"name": "note", "schema": SCHEMA}}
FORCED: Final = {"type": "function", "function": {"name": "look_up"}}

BODIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "text": {},
    "data": {"response_format": FORMAT},
    "calls": {"tools": TOOLS},
    "forced": {"tools": TOOLS, "tool_choice": FORCED},
}
STREAM: Final[Mapping[str, Any]] = {"stream": True, "stream_options": {"include_usage": True}}
_ASKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "control.stream_usage_chunk": {"stream": True},
    "control.stream_choices_interleaved": {**STREAM, "n": 2},
}
"""What a row needs of a request for a stream, where it is not the usual."""
ANSWERS: Final[Mapping[str, Answer]] = {"calls": Answer(tool_calls="offered")}


def request(*, url: str = URL, method: str = "POST", accept: str | None = "gzip, deflate", **body: Any) -> Request:
    """Make a request; ``accept`` is what it says of codings."""
    headers = (("Accept-Encoding", accept),) if accept is not None else ()
    content = {"model": "gpt-5", "messages": [{"role": "user", "content": "hello"}], **body}
    return Request(method, url, headers, json.dumps(content).encode() if method == "POST" else b"", wire=WIRE.name)


def base(kind: str = "text", answer: Answer | None = None, **more: Any) -> Healthy:
    """Make the healthy reply to a request of this kind."""
    return healthy(WIRE, request(**{**BODIES[kind], **more}), answer or ANSWERS.get(kind, Answer()))


def reply(name: str, to: Healthy | None = None, **values: Any) -> Reply:
    """Play a row."""
    return CATALOGUE[name].with_values(values).reply(to or base())


def kind_for(row: Fault) -> str:
    """Choose the kind of request that a row needs."""
    return {"tool_calls": "calls", "data": "data", "items": "data"}.get(row.needs or "", "text")


def asks(row: Fault, *, stream: bool) -> Mapping[str, Any]:
    """Return what a request asks for besides the kind of answer."""
    return _ASKS.get(row.name, STREAM) if stream else {}


def base_for(row: Fault, *, stream: bool | None = None) -> Healthy:
    """Make the healthy reply to a request that a row applies to; None is a stream where it needs one."""
    wanted = row.streamed == "only" if stream is None else stream
    return base(kind_for(row), **asks(row, stream=wanted))


def played(one: Reply) -> tuple[str, tuple[Act, ...]]:
    """Return what crosses the wire, comparable."""
    return one.connection, one.script()
