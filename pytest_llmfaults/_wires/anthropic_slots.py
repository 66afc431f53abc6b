"""The slots of the wire ``anthropic.messages``: what it says is a list of blocks, calls among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._wires._blocks import Blocks, of_type
from pytest_llmfaults._wires._slot import ABSENT, Slot, at
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


_BLOCKS: Final = Blocks(("content",), thinking)
_call = of_type("tool_use")


def _write_redacted(envelope: Any, value: Any) -> Any:
    return _BLOCKS.put(envelope, [{"type": "redacted_thinking", "data": value}, *_BLOCKS.held(envelope)])


def _read_calls(envelope: Any) -> Any:
    return [block for block in _BLOCKS.held(envelope) if _call(block)] or None


def _write_calls(envelope: Any, value: Any) -> Any:
    if value is not ABSENT and not isinstance(value, list):
        msg = "it changes the field of the calls, and this wire has none: a call is a block of the content."
        raise DoesNotApply(msg)
    if value is ABSENT and not _read_calls(envelope):
        return envelope
    others = [block for block in _BLOCKS.held(envelope) if not _call(block)]
    return _BLOCKS.put(envelope, [*others, *(value if isinstance(value, list) else ())])


SLOTS: Final[Mapping[str, Slot]] = {
    "id": at("id"),
    "object": at("type"),
    "model": at("model"),
    "role": at("role"),
    "blocks": at("content"),
    "block": at("content", 0),
    "block_type": at("content", 0, "type"),
    "content": _BLOCKS.content,
    "reasoning": _BLOCKS.reasoning,
    "redacted": Slot(lambda _envelope: None, write=_write_redacted),
    "signature": Slot(_BLOCKS.first(of_type("thinking"), "signature")),
    "tool_calls": Slot(lambda _envelope: None, _read_calls, _write_calls),
    "tool_call": Slot(_BLOCKS.first(_call)),
    "tool_call_id": Slot(_BLOCKS.first(_call, "id")),
    "tool_call_type": Slot(_BLOCKS.first(_call, "type")),
    "function_name": Slot(_BLOCKS.first(_call, "name")),
    "arguments": Slot(_BLOCKS.first(_call, "input"), parsed=True),
    "finish": at("stop_reason", words=_WORDS),
    "stop_sequence": at("stop_sequence"),
    "stop_details": at("stop_details"),
    "usage": at("usage"),
    "usage_prompt": at("usage", "input_tokens"),
    "usage_completion": at("usage", "output_tokens"),
    "usage_reasoning": at("usage", "output_tokens_details", "thinking_tokens"),
    "error": at("error"),
}
