"""The turns of a chat conversation as a request holds them, read without trusting them.

A turn is a message, or on a wire that tells a conversation in items each item: a call, or the result of one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

__all__ = [
    "ToolResult",
    "blocks_of",
    "call_id_of",
    "calls_of",
    "id_of",
    "is_item",
    "last_calls",
    "name_of",
    "results_of",
    "role_of",
    "signature_of",
    "text_of",
    "tool_results",
    "turns",
]

_ROLES: Final[Mapping[str, str]] = {"model": "assistant"}
_CALL: Final = ("functionCall", "function_call")
_USE: Final = "toolUse"
_RESULT: Final = ("functionResponse", "function_response")
_SIGNATURE: Final = ("thoughtSignature", "thought_signature")
"""What the parts of Gemini are called, which takes both spellings; and the blocks of Bedrock."""


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
    """Return who speaks, the model as ``assistant``, or None when the message does not say."""
    role = message.get("role") if isinstance(message, dict) else None
    return _ROLES.get(role, role) if isinstance(role, str) else None


def is_item(message: dict[str, Any], *kinds: str) -> bool:
    """Tell whether a turn is an item of one of these types."""
    return message.get("type") in kinds


def calls_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tool calls of a turn, as parsed: its field of them, its blocks, or itself; empty when none."""
    if is_item(message, "function_call"):
        return [message]
    if role_of(message) != "assistant":
        return []
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return [*found, *blocks_of(message, "tool_use"), *(call for _, call in _parts_of(message, *_CALL, _USE))]


def blocks_of(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the blocks of this type in the content of a turn, as parsed."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == kind]


def last_calls(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the calls of the last assistant turn, as parsed; items side by side are one turn."""
    calls: list[dict[str, Any]] = []
    going_on = False
    for _, message in turns(messages):
        is_part = is_item(message, "function_call", "reasoning")
        if is_part or role_of(message) == "assistant":
            calls = [*(calls if is_part and going_on else ()), *calls_of(message)]
        going_on = is_part or role_of(message) == "assistant"
    return calls


def call_id_of(call: dict[str, Any]) -> Any:
    """Return the id by which a result names a call, as parsed."""
    return call.get("call_id") if is_item(call, "function_call") else call.get("id", call.get("toolUseId"))


def _parts_of(message: dict[str, Any], *names: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the parts of a turn that hold an object by one of these names, and that object."""
    parts = message.get("parts", message.get("content"))
    found = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    held = [(part, next((part[name] for name in names if name in part), None)) for part in found]
    return [(part, one) for part, one in held if isinstance(one, dict)]


def signature_of(message: dict[str, Any]) -> Any:
    """Return what signs the first call of an assistant turn, as parsed; None when nothing does."""
    for part, _ in _parts_of(message, *_CALL):
        return next((part[name] for name in _SIGNATURE if name in part), None)
    signed: Any = next(iter(calls_of(message)), None)
    for key in ("extra_content", "google", "thought_signature"):
        signed = signed.get(key) if isinstance(signed, dict) else None
    return signed


def name_of(call: dict[str, Any]) -> Any:
    """Return the name in a call, as parsed."""
    function = call.get("function")
    return function.get("name") if isinstance(function, dict) else call.get("name")


def results_of(message: dict[str, Any]) -> list[tuple[Any, dict[str, Any]]]:
    """Return what a turn says came of calls: the id, as parsed, and the object with the content, each."""
    if is_item(message, "function_call_output"):
        return [(message.get("call_id"), {"content": message.get("output")})]
    if role_of(message) == "tool":
        return [(message.get("tool_call_id"), message)]
    if role_of(message) not in {"user", "function"}:
        return []
    blocks = [(block.get("tool_use_id"), block) for block in blocks_of(message, "tool_result")]
    found = [one for _, one in _parts_of(message, *_RESULT)]
    named = [(one.get("toolUseId"), {**one, "content": _said(one)}) for _, one in _parts_of(message, "toolResult")]
    return [*blocks, *named, *((one.get("id"), {**one, "content": _dumped(one.get("response"))}) for one in found)]


def _said(result: dict[str, Any]) -> Any:
    """Return the content of a result of Bedrock, what is JSON in it as a part of text."""
    parts = result.get("content")
    held = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return [{"text": _dumped(part["json"])} if "json" in part else part for part in held]


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def id_of(value: Any) -> str | None:
    """Return an id if it is a text that is not empty."""
    return value if isinstance(value, str) and value else None


def text_of(content: Any) -> str:
    """Return the text of a content: a string as it is, the parts of a list that are text joined, else nothing."""
    if isinstance(content, str):
        return content
    parts = [_part_text(part) for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "".join(text for text in parts if isinstance(text, str))


def _part_text(part: dict[str, Any]) -> Any:
    """Return the text of a part of a content; where it is a document, as Cohere takes results, its data."""
    document = part.get("document")
    if not isinstance(document, dict):
        return part.get("text")
    data = document.get("data")
    return data if isinstance(data, str) else _dumped(data)


def tool_results(messages: Sequence[Any]) -> list[ToolResult]:
    """Return what the conversation says came of tool calls, in its order."""
    names: dict[str | None, Any] = {}
    results = []
    for _, message in turns(messages):
        for call in calls_of(message):
            names[id_of(call_id_of(call))] = name_of(call)
        for given, said in results_of(message):
            call_id = id_of(given)
            name = said.get("name") or said.get("tool_name") or (names.get(call_id) if call_id else None)
            results.append(ToolResult(call_id, name, text_of(said.get("content"))))
    return results
