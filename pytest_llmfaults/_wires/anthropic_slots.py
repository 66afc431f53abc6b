"""The slots of the wire ``anthropic.messages``: what it says is a list of blocks, calls among them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._wires._blocks import Blocks, of_type, put_where_there_are
from pytest_llmfaults._wires._slot import Slot, at

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


_call, _thought = of_type("tool_use"), of_type("thinking")

_BLOCKS: Final = Blocks(
    path=("content",),
    thinking=thinking,
    text=of_type("text"),
    thought=_thought,
    call=_call,
    thoughts=("thinking",),
    blank={"type": "text", "text": ""},
    put=functools.partial(put_where_there_are, ("content",)),
)


def _write_redacted(envelope: Any, value: Any) -> Any:
    return _BLOCKS.before(envelope, {"type": "redacted_thinking", "data": value})


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
    "signature": Slot(_BLOCKS.first(_thought, "signature")),
    "tool_calls": _BLOCKS.calls,
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
