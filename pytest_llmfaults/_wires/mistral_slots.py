"""The slots of the wire ``mistral.chat`` that ``openai.chat`` has elsewhere: text and thoughts in one content.

The content is a text, or where there are thoughts a list: a chunk of thoughts, which is a list of texts, and the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Path, Slot, value_at, with_value
from pytest_llmfaults._wires.openai_chat_parts import MESSAGE

__all__ = ["SLOTS", "parts", "thinking"]

_CONTENT: Final[Path] = (*MESSAGE, "content")
_THOUGHT: Final[Path] = ("thinking", 0, "text")


def _text(text: Any) -> dict[str, Any]:
    return {"type": "text", "text": text}


def thinking(thought: Any) -> dict[str, Any]:
    """Return a chunk of thoughts; what is no text stands in the place of the list of texts."""
    return {"type": "thinking", "thinking": [_text(thought)] if isinstance(thought, str) else thought}


def _is(kind: str) -> Callable[[Any], bool]:
    return lambda part: isinstance(part, dict) and part.get("type") == kind


_is_text, _is_thought = _is("text"), _is("thinking")


def _listed(envelope: Any) -> list[Any]:
    """Return the content as a list; of a text that is one chunk, and of what is not there none."""
    message = value_at(envelope, MESSAGE)
    content = message.get("content", ABSENT) if isinstance(message, dict) else ABSENT
    if isinstance(content, list):
        return content
    return [] if content is ABSENT else [_text(content)]


def _place(envelope: Any, test: Callable[[Any], bool]) -> int | None:
    content = value_at(envelope, _CONTENT)
    found = enumerate(content) if isinstance(content, list) else ()
    return next((index for index, part in found if test(part)), None)


def _find_content(envelope: Any) -> Path | None:
    if not isinstance(value_at(envelope, _CONTENT), list):
        return _CONTENT
    place = _place(envelope, _is_text)
    return None if place is None else (*_CONTENT, place, "text")


def _find_thought(envelope: Any) -> Path | None:
    place = _place(envelope, _is_thought)
    return None if place is None else (*_CONTENT, place, *_THOUGHT)


def _write_content(envelope: Any, value: Any) -> Any:
    """Write a text beside the thoughts that are there; what is no text stands in the place of all."""
    said = None if value is UNSAID else value
    if _find_thought(envelope) is None or not isinstance(said, str):
        return with_value(envelope, _CONTENT, said)
    kept = [part for part in _listed(envelope) if not _is_text(part)]
    return with_value(envelope, _CONTENT, [*kept, _text(said)])


def _write_thought(envelope: Any, value: Any) -> Any:
    rest = [part for part in _listed(envelope) if not _is_thought(part)]
    if value is not ABSENT and value is not None:
        return with_value(envelope, _CONTENT, [thinking(value), *rest])
    alone = rest[0]["text"] if len(rest) == 1 and _is_text(rest[0]) else rest
    return envelope if _find_thought(envelope) is None else with_value(envelope, _CONTENT, alone)


def parts(content: Any) -> tuple[str, dict[str, str]] | None:
    """Return the thoughts of a content that is a list of them and a text, and what is said beside; None if it is not.

    What is said beside is the content of a message: the text, or no content.
    """
    if not isinstance(content, list) or not 1 <= len(content) <= 2 or not _is_thought(content[0]):
        return None
    thought, texts = value_at(content[0], _THOUGHT), [value_at(part, ("text",)) for part in content[1:]]
    if not isinstance(thought, str) or not all(isinstance(text, str) for text in texts):
        return None
    if content != [thinking(thought), *map(_text, texts)]:
        return None
    return thought, ({"content": texts[0]} if texts else {})


SLOTS: Final[Mapping[str, Slot | None]] = {
    "content": Slot(_find_content, write=_write_content),
    "reasoning": Slot(_find_thought, write=_write_thought),
    **dict.fromkeys(("refusal", "legacy_call", "legacy_arguments", "prompt_filter", "usage_reasoning")),
}
