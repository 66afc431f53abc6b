"""The slots of the wire ``bedrock.converse``: what it says is a list of blocks, each an object with one key, its kind.

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

_MESSAGE: Final[Path] = ("output", "message")
_BLOCKS: Final[Path] = (*_MESSAGE, "content")

_ANY: Final = (dict, list, str, int, float)
"""What the input of a call may be: any JSON."""

_WORDS: Final[Mapping[Any, Any]] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "content_filtered",
    "malformed_function_call": "malformed_tool_use",
}
"""What faults call a reason, and what this wire calls it."""


def thinking(thought: Any) -> dict[str, Any]:
    """Return a block of thoughts."""
    return {"reasoningContent": {"reasoningText": {"text": thought, "signature": SIGNATURE}}}


def _blocks(envelope: Any) -> list[Any]:
    """Return the blocks; none where the content is no list."""
    content = value_at(envelope, _BLOCKS)
    return content if isinstance(content, list) else []


def _has(key: str) -> Callable[[Any], bool]:
    return lambda block: isinstance(block, dict) and key in block


_text, _call = _has("text"), _has("toolUse")


def _thought(block: Any) -> bool:
    return value_at(block, ("reasoningContent", "reasoningText")) is not None


def _first(test: Callable[[Any], bool], *inner: str | int) -> Callable[[Any], Path | None]:
    """Make a function that finds a part of the first block of this kind."""

    def find(envelope: Any) -> Path | None:
        found = (index for index, block in enumerate(_blocks(envelope)) if test(block))
        place = next(found, None)
        return None if place is None else (*_BLOCKS, place, *inner)

    return find


def _with_blocks(envelope: Any, blocks: Any) -> Any:
    return with_value(envelope, _BLOCKS, blocks)


def _own(block: Any) -> Any:
    """Return a block of text as this wire has it."""
    is_typed = isinstance(block, dict) and block.get("type") == "text"
    return {key: value for key, value in block.items() if key != "type"} if is_typed else block


def _read_content(envelope: Any) -> Any:
    content = value_at(envelope, _BLOCKS)
    if not isinstance(content, list):
        return content
    path = _first(_text, "text")(envelope)
    return None if path is None else value_at(envelope, path)


def _write_content(envelope: Any, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return _with_blocks(envelope, [_own(block) for block in value])
    if value is not UNSAID and not isinstance(value, str):
        return _with_blocks(envelope, value)
    blocks = _blocks(envelope)
    kept = [block for block in blocks if not _text(block)]
    if value is UNSAID:
        return _with_blocks(envelope, kept)
    texts = [index for index, block in enumerate(blocks) if _text(block)]
    place = texts[0] if texts else next((index for index, one in enumerate(kept) if _call(one)), len(kept))
    block = blocks[texts[0]] if texts else {}
    kept.insert(place, {**block, "text": value})
    return _with_blocks(envelope, kept)


_THOUGHT: Final = ("reasoningContent", "reasoningText")


def _write_thought(envelope: Any, value: Any) -> Any:
    path = _first(_thought, *_THOUGHT, "text")(envelope)
    if value is ABSENT:
        return _with_blocks(envelope, [block for block in _blocks(envelope) if not _thought(block)])
    if path is not None:
        return with_value(envelope, path, value)
    return _with_blocks(envelope, [thinking(value), *_blocks(envelope)])


def _write_redacted(envelope: Any, value: Any) -> Any:
    return _with_blocks(envelope, [{"reasoningContent": {"redactedContent": value}}, *_blocks(envelope)])


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


def _write_error(envelope: Any, value: Any) -> Any:
    """Put the text of an error where this wire has it: its errors are nothing else."""
    text = value.get("message") if isinstance(value, dict) and "message" in value else value
    return with_value(envelope, ("message",), text)


SLOTS: Final[Mapping[str, Slot]] = {
    "message": at(*_MESSAGE),
    "role": at(*_MESSAGE, "role"),
    "blocks": at(*_BLOCKS),
    "block": at(*_BLOCKS, 0),
    "content": Slot(_first(_text, "text"), _read_content, _write_content),
    "reasoning": Slot(_first(_thought, *_THOUGHT, "text"), write=_write_thought),
    "redacted": Slot(lambda _envelope: None, write=_write_redacted),
    "signature": Slot(_first(_thought, *_THOUGHT, "signature")),
    "tool_calls": Slot(lambda _envelope: None, _read_calls, _write_calls),
    "tool_call": Slot(_first(_call)),
    "function": Slot(_first(_call, "toolUse")),
    "tool_call_id": Slot(_first(_call, "toolUse", "toolUseId")),
    "function_name": Slot(_first(_call, "toolUse", "name")),
    "arguments": Slot(_first(_call, "toolUse", "input"), parsed=True, types=_ANY),
    "finish": at("stopReason", words=_WORDS),
    "usage": at("usage"),
    "usage_prompt": at("usage", "inputTokens"),
    "usage_completion": at("usage", "outputTokens"),
    "usage_total": at("usage", "totalTokens"),
    "error": Slot(lambda _envelope: ("message",), write=_write_error),
}
