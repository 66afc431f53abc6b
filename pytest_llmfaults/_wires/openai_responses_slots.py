"""The slots of the wire ``openai.responses``: what it says is a list of items, and a message is a list of parts.

A fault that puts a text where there is no message adds one: after the thoughts and before the calls. What is no text
stands in the place of the parts of the message. How it ends is told in two places, the status and the reason beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Path, Slot, at, value_at, with_value
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["SLOTS", "ended", "message", "text_part", "thinking"]

_KNOWN: Final = ("completed", "incomplete", "failed", "in_progress", "queued", "cancelled")
"""What a status can be."""

_STATUSES: Final[Mapping[str, str]] = {"stop": "completed", "tool_calls": "completed", "error": "failed"}
_REASONS: Final[Mapping[str, str]] = {"length": "max_output_tokens"}
"""What faults call a reason, and what this wire calls it: a status, or why the reply is not complete."""

_FAILURE: Final = {"code": "server_error", "message": "The model failed."}
"""What stands beside the status of a reply that failed."""


def text_part(text: str) -> dict[str, Any]:
    """Return a part that is text."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def message(parts: Any) -> dict[str, Any]:
    """Return an item that is a message with these parts."""
    return {
        "id": "msg_000000000000000000000001",
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": parts,
    }


def thinking(thought: Any) -> dict[str, Any]:
    """Return an item of thoughts, which come as their summary."""
    summary = [{"type": "summary_text", "text": thought}]
    return {"id": "rs_000000000000000000000001", "type": "reasoning", "summary": summary}


def _items(envelope: Any) -> list[Any]:
    """Return the items; none where the output is no list."""
    output = envelope.get("output") if isinstance(envelope, dict) else None
    return output if isinstance(output, list) else []


def _is(kind: str) -> Callable[[Any], bool]:
    return lambda one: isinstance(one, dict) and one.get("type") == kind


_message, _thought, _call = _is("message"), _is("reasoning"), _is("function_call")
_text, _refusal = _is("output_text"), _is("refusal")


def _first(test: Callable[[Any], bool], *inner: str | int) -> Callable[[Any], Path | None]:
    """Make a function that finds a part of the first item of this kind."""

    def find(envelope: Any) -> Path | None:
        place = _place(_items(envelope), test)
        return None if place is None else ("output", place, *inner)

    return find


def _place(items: list[Any], test: Callable[[Any], bool]) -> int | None:
    return next((index for index, one in enumerate(items) if test(one)), None)


_content: Final = _first(_message, "content")


def _parts(envelope: Any) -> list[Any]:
    """Return the parts of the message; none where there is no message, or its content is no list."""
    path = _content(envelope)
    content = None if path is None else value_at(envelope, path)
    return content if isinstance(content, list) else []


def _part(test: Callable[[Any], bool], *inner: str | int) -> Callable[[Any], Path | None]:
    """Make a function that finds something in the first part of this kind of the message."""

    def find(envelope: Any) -> Path | None:
        path, place = _content(envelope), _place(_parts(envelope), test)
        return None if path is None or place is None else (*path, place, *inner)

    return find


def _with_items(envelope: Any, items: list[Any]) -> Any:
    return with_value(envelope, ("output",), items)


def _with_parts(envelope: Any, parts: Any) -> Any:
    """Return the envelope whose message has this content; where it has no message, with one."""
    path = _content(envelope)
    if path is not None:
        return with_value(envelope, path, parts)
    items, made = _items(envelope), with_value(message([]), ("content",), parts)
    place = _place(items, _call)
    place = len(items) if place is None else place
    return _with_items(envelope, [*items[:place], made, *items[place:]])


def _read_content(envelope: Any) -> Any:
    path = _content(envelope)
    if path is not None and not isinstance(value_at(envelope, path), list):
        return value_at(envelope, path)
    path = _part(_text, "text")(envelope)
    return None if path is None else value_at(envelope, path)


def _write_content(envelope: Any, value: Any) -> Any:
    if value is UNSAID:
        return _with_items(envelope, [one for one in _items(envelope) if not _message(one)])
    if isinstance(value, list):
        return _with_parts(envelope, [_named(part) for part in value])
    if not isinstance(value, str):
        return _with_parts(envelope, value)
    parts = _parts(envelope)
    place = _place(parts, _text)
    first = text_part(value) if place is None else {**parts[place], "text": value}
    others = [part for part in parts if not _text(part)]
    place = len(others) if place is None else place
    return _with_parts(envelope, [*others[:place], first, *others[place:]])


def _named(part: Any) -> Any:
    """Return a part of text under the type that this wire has for it."""
    is_text = isinstance(part, dict) and part.get("type") == "text"
    return {**text_part(""), **part, "type": "output_text"} if is_text else part


def _write_refusal(envelope: Any, value: Any) -> Any:
    others = [part for part in _parts(envelope) if not _refusal(part)]
    more = [] if value is None or value is ABSENT else [{"type": "refusal", "refusal": value}]
    return _with_parts(envelope, [*others, *more])


def _thought_text(envelope: Any) -> Path | None:
    """Find the text of the first thought: its summary or, where a server tells it all, its content."""
    for index, one in enumerate(_items(envelope)):
        for key in ("summary", "content"):
            if _thought(one) and isinstance(value_at(one, (key, 0, "text")), str):
                return ("output", index, key, 0, "text")
    return None


def _write_thought(envelope: Any, value: Any) -> Any:
    path = _thought_text(envelope)
    if value is ABSENT:
        return _with_items(envelope, [one for one in _items(envelope) if not _thought(one)])
    if path is not None:
        return with_value(envelope, path, value)
    return _with_items(envelope, [thinking(value), *_items(envelope)])


def _read_calls(envelope: Any) -> Any:
    return [one for one in _items(envelope) if _call(one)] or None


def _write_calls(envelope: Any, value: Any) -> Any:
    if value is not ABSENT and not isinstance(value, list):
        msg = "it changes the field of the calls, and this wire has none: a call is an item of the output."
        raise DoesNotApply(msg)
    if value is ABSENT and not _read_calls(envelope):
        return envelope
    others = [one for one in _items(envelope) if not _call(one)]
    return _with_items(envelope, [*others, *(value if isinstance(value, list) else ())])


def _read_finish(envelope: Any) -> Any:
    status = envelope["status"]
    return value_at(envelope, ("incomplete_details", "reason")) if status == "incomplete" else status


def _write_finish(envelope: Any, value: Any) -> Any:
    if value == "tool_calls" and not _read_calls(envelope):
        msg = "it says that tools are called where none is, and this wire has no such reason: a call is an item."
        raise DoesNotApply(msg)
    if value == "stop" and _read_calls(envelope):
        msg = "it says that nothing is called where a tool is, and this wire has one status for both."
        raise DoesNotApply(msg)
    if not isinstance(value, str):
        return {**with_value(envelope, ("status",), value), "incomplete_details": None}
    return ended(envelope, _STATUSES.get(value) or _REASONS.get(value, value))


def ended(envelope: Any, word: str) -> Any:
    """Return the envelope with this status or, where it is none, not complete for this reason."""
    if word.lower() in _KNOWN:
        failed = {"error": envelope.get("error") or _FAILURE} if word == "failed" else {}
        return {**envelope, "status": word, "incomplete_details": None, **failed}
    changed = {**envelope, "status": "incomplete", "incomplete_details": {"reason": word}}
    last = len(_items(changed)) - 1
    stated = last >= 0 and isinstance(changed["output"][last], dict) and "status" in changed["output"][last]
    return with_value(changed, ("output", last, "status"), "incomplete") if stated else changed


def _whole(find: Callable[[Any], Path | None]) -> Slot:
    """Make the slot of an item or a part that is changed as a whole, and that a reply need not have."""

    def read(envelope: Any) -> Any:
        path = find(envelope)
        if path is None:
            msg = "it corrupts a part that this reply does not have. Give answer=."
            raise DoesNotApply(msg)
        return value_at(envelope, path)

    return Slot(find, read)


SLOTS: Final[Mapping[str, Slot]] = {
    "id": at("id"),
    "object": at("object"),
    "created": at("created_at"),
    "model": at("model"),
    "output_items": at("output"),
    "output_item": _whole(_first(lambda _item: True)),
    "message_item": _whole(_first(_message)),
    "role": Slot(_first(_message, "role")),
    "blocks": _whole(_content),
    "block": _whole(_part(lambda _part: True)),
    "block_type": Slot(_part(lambda _part: True, "type")),
    "content": Slot(_part(_text, "text"), _read_content, _write_content),
    "refusal": Slot(_part(_refusal, "refusal"), write=_write_refusal),
    "reasoning": Slot(_thought_text, write=_write_thought),
    "tool_calls": Slot(lambda _envelope: None, _read_calls, _write_calls),
    "tool_call": Slot(_first(_call)),
    "tool_call_id": Slot(_first(_call, "call_id")),
    "tool_call_type": Slot(_first(_call, "type")),
    "function_name": Slot(_first(_call, "name")),
    "arguments": Slot(_first(_call, "arguments")),
    "finish": Slot(lambda _envelope: ("status",), _read_finish, _write_finish),
    "status": at("status"),
    "incomplete_details": at("incomplete_details"),
    "background": at("background"),
    "completed_at": at("completed_at"),
    "usage": at("usage"),
    "usage_prompt": at("usage", "input_tokens"),
    "usage_completion": at("usage", "output_tokens"),
    "usage_total": at("usage", "total_tokens"),
    "usage_reasoning": at("usage", "output_tokens_details", "reasoning_tokens"),
    "error": at("error"),
}
