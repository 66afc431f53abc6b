"""The slots of the wire ``cohere.chat``: a message of blocks, with its calls and the plan of them beside."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._wires._blocks import Blocks, of_type, put_where_there_are
from pytest_llmfaults._wires._slot import Path, Slot, at, said, with_value
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["SLOTS", "thinking"]

_CONTENT: Final[Path] = ("message", "content")
_CALL: Final[Path] = ("message", "tool_calls", 0)
_WORDS: Final[Mapping[Any, Any]] = {
    "stop": "COMPLETE",
    "length": "MAX_TOKENS",
    "tool_calls": "TOOL_CALL",
    "stop_sequence": "STOP_SEQUENCE",
    "error": "ERROR",
}
"""What faults call a reason, and what this wire calls it."""

_FILTERED: Final = "content_filter"


def thinking(thought: Any) -> dict[str, Any]:
    """Return a block of thoughts."""
    return {"type": "thinking", "thinking": thought}


def _write_finish(envelope: Any, value: Any) -> Any:
    if value == _FILTERED:
        msg = "it is about a filter, and this wire has no reason for one."
        raise DoesNotApply(msg)
    return with_value(envelope, ("finish_reason",), said(_WORDS, value))


_BLOCKS: Final = Blocks(
    path=_CONTENT,
    thinking=thinking,
    text=of_type("text"),
    thought=of_type("thinking"),
    call=of_type("tool_use"),
    thoughts=("thinking",),
    blank={"type": "text", "text": ""},
    put=functools.partial(put_where_there_are, _CONTENT),
)

SLOTS: Final[Mapping[str, Slot]] = {
    "id": at("id"),
    "message": at("message"),
    "role": at("message", "role"),
    "blocks": at(*_CONTENT),
    "block": at(*_CONTENT, 0),
    "block_type": at(*_CONTENT, 0, "type"),
    "content": _BLOCKS.content,
    "reasoning": _BLOCKS.reasoning,
    "tool_plan": at("message", "tool_plan"),
    "tool_calls": at("message", "tool_calls"),
    "tool_call": at(*_CALL),
    "tool_call_id": at(*_CALL, "id"),
    "tool_call_type": at(*_CALL, "type"),
    "function": at(*_CALL, "function"),
    "function_name": at(*_CALL, "function", "name"),
    "arguments": at(*_CALL, "function", "arguments"),
    "finish": Slot(lambda _envelope: ("finish_reason",), write=_write_finish),
    "usage": at("usage"),
    "usage_prompt": at("usage", "tokens", "input_tokens"),
    "usage_completion": at("usage", "tokens", "output_tokens"),
    "tokens": at("usage", "tokens"),
    "billed_units": at("usage", "billed_units"),
    "error": at("error"),
}
