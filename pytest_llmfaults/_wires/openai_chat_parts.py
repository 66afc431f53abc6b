"""What the dialects of ``openai.chat`` are made of: edits of chunks that may hold anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_llmfaults._wires._slot import Path

__all__ = ["CHOICE", "MESSAGE", "delta_of", "finishes", "with_choices", "with_usage"]

CHOICE: Final[Path] = ("choices", 0)
MESSAGE: Final[Path] = (*CHOICE, "message")


def with_choices(chunk: Any, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Any:
    """Return a chunk with each of its choices changed; what is no choice stays."""
    choices = chunk.get("choices") if isinstance(chunk, dict) else None
    if not isinstance(choices, list):
        return chunk
    return {**chunk, "choices": [change(choice) if isinstance(choice, dict) else choice for choice in choices]}


def delta_of(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the delta of a choice of a chunk, empty where it has none."""
    delta = choice.get("delta")
    return delta if isinstance(delta, dict) else {}


def finishes(chunk: Any) -> bool:
    """Tell whether a chunk has a choice with a reason, or would have it."""
    choices = chunk.get("choices") if isinstance(chunk, dict) else None
    return isinstance(choices, list) and any(isinstance(one, dict) and one.get("finish_reason") for one in choices)


def with_usage(chunks: list[Any], envelope: Any) -> list[Any]:
    """Return chunks with the usage of an envelope beside the reason."""
    if not isinstance(envelope, dict) or "usage" not in envelope:
        return chunks
    return [{**one, "usage": envelope["usage"]} if finishes(one) else one for one in chunks]
