"""Requests that hold a conversation."""

from __future__ import annotations

import json
from typing import Any

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES


def request(*messages: Any, wire: str | None = "openai.chat", **more: Any) -> Request:
    """Return a request with these messages."""
    field = {"gemini": "contents", "openai.responses": "input"}.get(wire or "", "messages")
    body = json.dumps({"model": "gpt-5", field: list(messages), **more}).encode()
    made = Request("POST", "https://gateway.example.com/v1/chat/completions", body=body, wire=wire)
    known = WIRES.get(wire or "")
    return made if known is None else known.takes(made)


def says(role: str, content: Any = "x", **more: Any) -> dict[str, Any]:
    """Return a turn."""
    return {"role": role, "content": content, **more}


def call(call_id: Any = "a", arguments: Any = "{}", name: Any = "look") -> dict[str, Any]:
    """Return a tool call."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(*calls: Any, **more: Any) -> dict[str, Any]:
    """Return an assistant turn that calls tools."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def result(call_id: Any = "a", content: Any = "found", **more: Any) -> dict[str, Any]:
    """Return a tool's turn."""
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}
