"""The slots of the wire ``anthropic.messages``: what it says is a list of blocks.

A fault that puts a text where there is no block of text adds one: after the thoughts and before the calls. What is no
text stands in the place of the whole list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Path, Slot, at, value_at, with_value
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["SIGNATURE", "SLOTS", "thinking"]

SIGNATURE: Final = "c2lnbmVk"
"""What stands for the signature of a thought."""

_WORDS: Final[Mapping[Any, Any]] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}
"""What faults call a reason, and what this wire calls it."""


def thinking(thought: Any) -> dict[str, Any]:
    """Return a block of thoughts."""
    return {"type": "thinking", "thinking": thought, "signature": SIGNATURE}


def _blocks(envelope: Any) -> list[Any]:
    """Return the blocks; none where the content is no list."""
    content = envelope.get("content") if isinstance(envelope, dict) else None
    return content if isinstance(content, list) else []


def _is(kind: str) -> Callable[[Any], bool]:
    return lambda block: isinstance(block, dict) and block.get("type") == kind


_text, _thought, _call = _is("text"), _is("thinking"), _is("tool_use")


def _first(test: Callable[[Any], bool], *inner: str | int) -> Callable[[Any], Path | None]:
    """Make a function that finds a part of the first block of this kind."""

    def find(envelope: Any) -> Path | None:
        found = (index for index, block in enumerate(_blocks(envelope)) if test(block))
        place = next(found, None)
        return None if place is None else ("content", place, *inner)

    return find


def _with_blocks(envelope: Any, blocks: list[Any]) -> Any:
    return with_value(envelope, ("content",), blocks)


def _read_content(envelope: Any) -> Any:
    if not isinstance(value_at(envelope, ("content",)), list):
        return value_at(envelope, ("content",))
    path = _first(_text, "text")(envelope)
    return None if path is None else value_at(envelope, path)


def _write_content(envelope: Any, value: Any) -> Any:
    if value is not UNSAID and not isinstance(value, str):
        return with_value(envelope, ("content",), value)
    kept = [block for block in _blocks(envelope) if not _text(block)]
    if value is UNSAID:
        return _with_blocks(envelope, kept)
    block = next((block for block in _blocks(envelope) if _text(block)), {"type": "text", "text": ""})
    place = next((index for index, one in enumerate(_blocks(envelope)) if _text(one)), None)
    if place is None:
        place = next((index for index, one in enumerate(kept) if _call(one)), len(kept))
    kept.insert(place, {**block, "text": value})
    return _with_blocks(envelope, kept)


def _write_thought(envelope: Any, value: Any) -> Any:
    path = _first(_thought, "thinking")(envelope)
    if value is ABSENT:
        return _with_blocks(envelope, [block for block in _blocks(envelope) if not _thought(block)])
    if path is not None:
        return with_value(envelope, path, value)
    return _with_blocks(envelope, [thinking(value), *_blocks(envelope)])


def _write_redacted(envelope: Any, value: Any) -> Any:
    return _with_blocks(envelope, [{"type": "redacted_thinking", "data": value}, *_blocks(envelope)])


def _read_calls(envelope: Any) -> Any:
    return [block for block in _blocks(envelope) if _call(block)] or None


def _write_calls(envelope: Any, value: Any) -> Any:
    if value is not ABSENT and not isinstance(value, list):
        msg = "it changes the field of the calls, and this wire has none: a call is a block of the content."
        raise DoesNotApply(msg)
    if value is ABSENT and not _read_calls(envelope):
        return envelope
    others = [block for block in _blocks(envelope) if not _call(block)]
    return _with_blocks(envelope, [*others, *(value if isinstance(value, list) else ())])


SLOTS: Final[Mapping[str, Slot]] = {
    "id": at("id"),
    "object": at("type"),
    "model": at("model"),
    "role": at("role"),
    "blocks": at("content"),
    "block": at("content", 0),
    "block_type": at("content", 0, "type"),
    "content": Slot(_first(_text, "text"), _read_content, _write_content),
    "reasoning": Slot(_first(_thought, "thinking"), write=_write_thought),
    "redacted": Slot(lambda _envelope: None, write=_write_redacted),
    "signature": Slot(_first(_thought, "signature")),
    "tool_calls": Slot(lambda _envelope: None, _read_calls, _write_calls),
    "tool_call": Slot(_first(_call)),
    "tool_call_id": Slot(_first(_call, "id")),
    "tool_call_type": Slot(_first(_call, "type")),
    "function_name": Slot(_first(_call, "name")),
    "arguments": Slot(_first(_call, "input"), parsed=True),
    "finish": at("stop_reason", words=_WORDS),
    "stop_sequence": at("stop_sequence"),
    "stop_details": at("stop_details"),
    "usage": at("usage"),
    "usage_prompt": at("usage", "input_tokens"),
    "usage_completion": at("usage", "output_tokens"),
    "usage_reasoning": at("usage", "output_tokens_details", "thinking_tokens"),
    "error": at("error"),
}
