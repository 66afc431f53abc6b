"""The slots of the wire ``gemini``: what it says is the list of parts in the content of a candidate.

The content of a candidate is the slot ``content``. A text is the first part that is a text and no thought; a fault that
puts one where there is none adds it, after the thoughts and before the calls. A list stands in the place of the parts;
what is neither stands in the place of the content. A candidate with nothing to say has no content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._wires._blocks import Blocks, has, untyped
from pytest_llmfaults._wires._slot import ABSENT, Path, Slot, at, said, value_at, with_value
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["SLOTS", "is_call", "is_thought", "thinking"]

_CANDIDATE: Final[Path] = ("candidates", 0)
_CONTENT: Final[Path] = (*_CANDIDATE, "content")
_PARTS: Final[Path] = (*_CONTENT, "parts")
_FINISH: Final[Path] = (*_CANDIDATE, "finishReason")

_WORDS: Final[Mapping[Any, Any]] = {
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "tool_calls": "STOP",
    "content_filter": "SAFETY",
    "malformed_function_call": "MALFORMED_FUNCTION_CALL",
    "other": "OTHER",
}
"""What faults call a reason, and what this wire calls it."""

_BLOCKED: Final[Mapping[Any, str]] = {"violence": "PROHIBITED_CONTENT"}
"""What faults call the reason of a filter, and what this wire calls it."""


def thinking(thought: Any) -> dict[str, Any]:
    """Return a part of thoughts."""
    return {"text": thought, "thought": True}


def is_thought(part: Any) -> bool:
    """Tell whether a part is a thought."""
    return isinstance(part, dict) and part.get("thought") is True


is_call = has("functionCall")
"""Tells whether a part is a call."""


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and "text" in part and not is_thought(part)


def _with_parts(envelope: Any, parts: Any) -> Any:
    """Return the envelope with other parts in the content of its candidate."""
    content = value_at(envelope, _CONTENT)
    kept = content if isinstance(content, dict) else {"role": "model"}
    made = {**kept, "parts": parts} if "parts" in kept else {"parts": parts, **kept}
    return with_value(envelope, _CONTENT, made)


def _left(envelope: Any, parts: list[Any]) -> Any:
    """Return the envelope with the parts that are left, or without a content where none is."""
    return _with_parts(envelope, parts) if parts else with_value(envelope, _CONTENT, ABSENT)


_SAID: Final = Blocks(
    path=_PARTS,
    thinking=thinking,
    text=_is_text,
    thought=is_thought,
    call=is_call,
    thoughts=("text",),
    blank={},
    put=_with_parts,
    own=untyped,
    left=_left,
    whole=_CONTENT,
    noun="part",
)


def _write_finish(envelope: Any, value: Any) -> Any:
    if value == "tool_calls" and not _SAID.read_calls(envelope):
        msg = "its reason announces calls, and this wire has no reason that does."
        raise DoesNotApply(msg)
    return with_value(envelope, _FINISH, said(_WORDS, value))


def _write_filter(envelope: Any, value: Any) -> Any:
    """Block the prompt: there is no candidate then."""
    blocked = {"promptFeedback": {"blockReason": said(_BLOCKED, value)}}
    return {**blocked, **{key: inner for key, inner in envelope.items() if key != "candidates" or inner}}


SLOTS: Final[Mapping[str, Slot]] = {
    "id": at("responseId"),
    "model": at("modelVersion"),
    "choices": at("candidates"),
    "choice": at(*_CANDIDATE),
    "index": at(*_CANDIDATE, "index"),
    "role": at(*_CONTENT, "role"),
    "blocks": at(*_PARTS),
    "block": at(*_PARTS, 0),
    "content": _SAID.content,
    "reasoning": _SAID.reasoning,
    "tool_calls": _SAID.calls,
    "tool_call": Slot(_SAID.first(is_call)),
    "function": Slot(_SAID.first(is_call, "functionCall")),
    "tool_call_id": Slot(_SAID.first(is_call, "functionCall", "id")),
    "function_name": Slot(_SAID.first(is_call, "functionCall", "name")),
    "arguments": Slot(_SAID.first(is_call, "functionCall", "args"), parsed=True, text_in_stream=False),
    "call_signature": Slot(_SAID.first(is_call, "thoughtSignature")),
    "finish": Slot(lambda _envelope: _FINISH, write=_write_finish),
    "finish_message": at(*_CANDIDATE, "finishMessage"),
    "usage": at("usageMetadata"),
    "usage_prompt": at("usageMetadata", "promptTokenCount"),
    "usage_completion": at("usageMetadata", "candidatesTokenCount"),
    "usage_reasoning": at("usageMetadata", "thoughtsTokenCount"),
    "usage_total": at("usageMetadata", "totalTokenCount"),
    "prompt_filter": Slot(lambda _envelope: ("promptFeedback",), write=_write_filter),
    "error": at("error"),
}
