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
URL: Final = "https://api.openai.com/v1/chat/completions"
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2},
    },
    "required": ["title", "tags"],
}
RICH: Final = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "kind": {"type": "string", "enum": ["news", "web"]},
        "count": {"type": "integer", "minimum": 1},
        "done": {"type": "boolean"},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/step"}},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2},
    },
    "required": ["title", "kind", "count", "done", "steps"],
    "$defs": {
        "step": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "side": {"enum": ["left", "right"]}},
            "required": ["name", "side"],
        },
    },
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
RICH_BODIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "rich data": {"response_format": {"type": "json_schema", "json_schema": {"name": "rich", "schema": RICH}}},
    "rich calls": {"tools": [{"type": "function", "function": {"name": "rich", "parameters": RICH}}]},
}
RICH_DATA: Final = {
    "title": "A plan",
    "kind": "web",
    "count": 3,
    "done": False,
    "steps": [{"name": "first", "side": "left"}, {"name": "second", "side": "right"}],
    "tags": ["a", "b"],
}
ANSWERS: Final[Mapping[str, Answer]] = {
    "calls": Answer(tool_calls="offered"),
    "rich data": Answer(data=RICH_DATA),
    "rich calls": Answer(tool_calls="offered"),
}


def request(*, url: str = URL, method: str = "POST", accept: str | None = "gzip, deflate", **body: Any) -> Request:
    """Make a request; ``accept`` is what it says of codings."""
    headers = (("Accept-Encoding", accept),) if accept is not None else ()
    content = {"model": "gpt-5", "messages": [{"role": "user", "content": "hello"}], **body}
    return Request(method, url, headers, json.dumps(content).encode() if method == "POST" else b"", wire=WIRE.name)


def base(kind: str = "text", answer: Answer | None = None, **more: Any) -> Healthy:
    """Make the healthy reply to a request of this kind."""
    body = {**BODIES, **RICH_BODIES}[kind]
    return healthy(WIRE, request(**{**body, **more}), answer or ANSWERS.get(kind, Answer()))


def reply(name: str, to: Healthy | None = None, **values: Any) -> Reply:
    """Play a row."""
    return CATALOGUE[name].with_values(values).reply(to or base())


def kind_for(row: Fault) -> str:
    """Choose the kind of request that a row needs."""
    if row.name == "tools.forced_ignored":
        return "forced"
    return {"tool_calls": "rich calls", "data": "rich data", "items": "rich data"}.get(row.needs or "", "text")


def played(one: Reply) -> tuple[str, tuple[Act, ...]]:
    """Return what crosses the wire, comparable."""
    return one.connection, one.script()
