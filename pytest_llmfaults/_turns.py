"""The turns of a chat conversation as a request holds them, read without trusting them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

__all__ = ["ToolResult", "calls_of", "id_of", "role_of", "text_of", "tool_results", "turns"]


class ToolResult(NamedTuple):
    """What a request says came of one tool call.

    Attributes:
        tool_call_id: the call that it answers; None when the message names none.
        name: the tool: as the message names it, else as an earlier call with this id does; None when neither does.
        text: the result.
    """

    tool_call_id: str | None
    name: str | None
    text: str


def turns(messages: Sequence[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each message that is an object, with its index."""
    return ((index, message) for index, message in enumerate(messages) if isinstance(message, dict))


def role_of(message: Any) -> str | None:
    """Return who speaks, or None when the message does not say."""
    role = message.get("role") if isinstance(message, dict) else None
    return role if isinstance(role, str) else None


def calls_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tool calls of an assistant turn, as parsed; empty when it makes none."""
    calls = message.get("tool_calls") if role_of(message) == "assistant" else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def id_of(value: Any) -> str | None:
    """Return an id if it is a text that is not empty."""
    return value if isinstance(value, str) and value else None


def text_of(content: Any) -> str:
    """Return the text of a content: a string as it is, the text parts of a list joined, else nothing."""
    if isinstance(content, str):
        return content
    parts = [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "".join(text for text in parts if isinstance(text, str))


def tool_results(messages: Sequence[Any]) -> list[ToolResult]:
    """Return what the conversation says came of tool calls, in its order."""
    names: dict[str | None, Any] = {}
    results = []
    for _, message in turns(messages):
        for call in calls_of(message):
            function = call.get("function")
            names[id_of(call.get("id"))] = function.get("name") if isinstance(function, dict) else None
        if role_of(message) == "tool":
            call_id = id_of(message.get("tool_call_id"))
            name = message.get("name") or (names.get(call_id) if call_id else None)
            results.append(ToolResult(call_id, name, text_of(message.get("content"))))
    return results
