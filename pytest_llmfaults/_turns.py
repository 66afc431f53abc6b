"""The turns of a chat conversation as a request holds them, read without trusting them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

__all__ = [
    "ToolResult",
    "blocks_of",
    "calls_of",
    "id_of",
    "name_of",
    "results_of",
    "role_of",
    "text_of",
    "tool_results",
    "turns",
]


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
    """Return the tool calls of an assistant turn, as parsed: its field of them, or its blocks; empty when none."""
    if role_of(message) != "assistant":
        return []
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return [*found, *blocks_of(message, "tool_use")]


def blocks_of(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the blocks of this type in the content of a turn, as parsed."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == kind]


def name_of(call: dict[str, Any]) -> Any:
    """Return the name in a call, as parsed."""
    function = call.get("function")
    return function.get("name") if isinstance(function, dict) else call.get("name")


def results_of(message: dict[str, Any]) -> list[tuple[Any, dict[str, Any]]]:
    """Return what a turn says came of calls: the id, as parsed, and the object with the content, each."""
    if role_of(message) == "tool":
        return [(message.get("tool_call_id"), message)]
    if role_of(message) != "user":
        return []
    return [(block.get("tool_use_id"), block) for block in blocks_of(message, "tool_result")]


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
            names[id_of(call.get("id"))] = name_of(call)
        for given, said in results_of(message):
            call_id = id_of(given)
            name = said.get("name") or said.get("tool_name") or (names.get(call_id) if call_id else None)
            results.append(ToolResult(call_id, name, text_of(said.get("content"))))
    return results
