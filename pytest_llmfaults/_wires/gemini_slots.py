"""The slots of the wire ``gemini``: what it says is the list of parts in the content of a candidate.

The content of a candidate is the slot ``content``. A text is the first part that is a text and no thought; a fault that
puts one where there is none adds it, after the thoughts and before the calls. A list stands in the place of the parts;
what is neither stands in the place of the content. A candidate with nothing to say has no content.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Path, Slot, at, said, value_at, with_value
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


def is_call(part: Any) -> bool:
    """Tell whether a part is a call."""
    return isinstance(part, dict) and "functionCall" in part


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and "text" in part and not is_thought(part)


def _parts(envelope: Any) -> list[Any]:
    """Return the parts; none where they are no list."""
    parts = value_at(envelope, _PARTS)
    return parts if isinstance(parts, list) else []


def _first(test: Callable[[Any], bool], *inner: str | int) -> Callable[[Any], Path | None]:
    """Make a function that finds a place in the first part of this kind."""

    def find(envelope: Any) -> Path | None:
        found = (index for index, part in enumerate(_parts(envelope)) if test(part))
        place = next(found, None)
        return None if place is None else (*_PARTS, place, *inner)

    return find


def _with_parts(envelope: Any, parts: Any) -> Any:
    """Return the envelope with other parts in the content of its candidate."""
    content = value_at(envelope, _CONTENT)
    kept = content if isinstance(content, dict) else {"role": "model"}
    made = {**kept, "parts": parts} if "parts" in kept else {"parts": parts, **kept}
    return with_value(envelope, _CONTENT, made)


def _left(envelope: Any, parts: list[Any]) -> Any:
    """Return the envelope with the parts that are left, or without a content where none is."""
    return _with_parts(envelope, parts) if parts else with_value(envelope, _CONTENT, ABSENT)


def _own(part: Any) -> Any:
    """Return a part of text as this wire has it."""
    is_typed = isinstance(part, dict) and part.get("type") == "text"
    return {key: value for key, value in part.items() if key != "type"} if is_typed else part


def _read_content(envelope: Any) -> Any:
    content = value_at(envelope, _CONTENT)
    if not isinstance(content, dict):
        return content
    path = _first(_is_text, "text")(envelope)
    if path is not None:
        return value_at(envelope, path)
    return None if isinstance(content.get("parts"), list) else content.get("parts")


def _write_content(envelope: Any, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return _with_parts(envelope, [_own(part) for part in value])
    if value is not UNSAID and not isinstance(value, str):
        return with_value(envelope, _CONTENT, value)
    parts = _parts(envelope)
    kept = [part for part in parts if not _is_text(part)]
    if value is UNSAID:
        return _left(envelope, kept)
    texts = [index for index, part in enumerate(parts) if _is_text(part)]
    place = texts[0] if texts else next((index for index, one in enumerate(kept) if is_call(one)), len(kept))
    part = parts[texts[0]] if texts else {}
    kept.insert(place, {**part, "text": value})
    return _with_parts(envelope, kept)


def _write_thought(envelope: Any, value: Any) -> Any:
    path = _first(is_thought, "text")(envelope)
    if value is ABSENT:
        return _left(envelope, [part for part in _parts(envelope) if not is_thought(part)])
    if path is not None:
        return with_value(envelope, path, value)
    return _with_parts(envelope, [thinking(value), *_parts(envelope)])


def _read_calls(envelope: Any) -> Any:
    return [part for part in _parts(envelope) if is_call(part)] or None


def _write_calls(envelope: Any, value: Any) -> Any:
    if value is not ABSENT and not isinstance(value, list):
        msg = "it changes the field of the calls, and this wire has none: a call is a part of the content."
        raise DoesNotApply(msg)
    if value is ABSENT and not _read_calls(envelope):
        return envelope
    others = [part for part in _parts(envelope) if not is_call(part)]
    return _left(envelope, [*others, *(value if isinstance(value, list) else ())])


def _write_finish(envelope: Any, value: Any) -> Any:
    if value == "tool_calls" and not _read_calls(envelope):
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
    "content": Slot(_first(_is_text, "text"), _read_content, _write_content),
    "reasoning": Slot(_first(is_thought, "text"), write=_write_thought),
    "tool_calls": Slot(lambda _envelope: None, _read_calls, _write_calls),
    "tool_call": Slot(_first(is_call)),
    "function": Slot(_first(is_call, "functionCall")),
    "tool_call_id": Slot(_first(is_call, "functionCall", "id")),
    "function_name": Slot(_first(is_call, "functionCall", "name")),
    "arguments": Slot(_first(is_call, "functionCall", "args"), parsed=True, text_in_stream=False),
    "call_signature": Slot(_first(is_call, "thoughtSignature")),
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
