"""The slots of the wire ``bedrock.converse``: what it says is a list of blocks, each with one key, its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._wires._blocks import Blocks, has, untyped
from pytest_llmfaults._wires._slot import Path, Slot, at, value_at, with_value

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


_text, _call = has("text"), has("toolUse")
_THOUGHT: Final = ("reasoningContent", "reasoningText")


def _thought(block: Any) -> bool:
    return value_at(block, _THOUGHT) is not None


_SAID: Final = Blocks(
    path=_BLOCKS,
    thinking=thinking,
    text=_text,
    thought=_thought,
    call=_call,
    thoughts=(*_THOUGHT, "text"),
    blank={},
    put=lambda envelope, blocks: with_value(envelope, _BLOCKS, blocks),
    own=untyped,
)


def _write_redacted(envelope: Any, value: Any) -> Any:
    return _SAID.before(envelope, {"reasoningContent": {"redactedContent": value}})


def _write_error(envelope: Any, value: Any) -> Any:
    """Put the text of an error where this wire has it: its errors are nothing else."""
    text = value.get("message") if isinstance(value, dict) and "message" in value else value
    return with_value(envelope, ("message",), text)


SLOTS: Final[Mapping[str, Slot]] = {
    "message": at(*_MESSAGE),
    "role": at(*_MESSAGE, "role"),
    "blocks": at(*_BLOCKS),
    "block": at(*_BLOCKS, 0),
    "content": _SAID.content,
    "reasoning": _SAID.reasoning,
    "redacted": Slot(lambda _envelope: None, write=_write_redacted),
    "signature": Slot(_SAID.first(_thought, *_THOUGHT, "signature")),
    "tool_calls": _SAID.calls,
    "tool_call": Slot(_SAID.first(_call)),
    "function": Slot(_SAID.first(_call, "toolUse")),
    "tool_call_id": Slot(_SAID.first(_call, "toolUse", "toolUseId")),
    "function_name": Slot(_SAID.first(_call, "toolUse", "name")),
    "arguments": Slot(_SAID.first(_call, "toolUse", "input"), parsed=True, types=_ANY),
    "finish": at("stopReason", words=_WORDS),
    "usage": at("usage"),
    "usage_prompt": at("usage", "inputTokens"),
    "usage_completion": at("usage", "outputTokens"),
    "usage_total": at("usage", "totalTokens"),
    "error": Slot(lambda _envelope: ("message",), write=_write_error),
}
