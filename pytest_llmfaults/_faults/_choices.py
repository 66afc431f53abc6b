"""Edits of chunks that have choices: only the rows that belong to the chunks of openai.chat know them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pytest_llmfaults._faults._fault import copied

__all__ = ["choice", "chunk_with", "first_choice", "last_choice", "on_delta"]


def choice(chunk: Any) -> dict[str, Any] | None:
    """Return the first choice of a chunk, or None."""
    choices = chunk.get("choices")
    return choices[0] if choices else None


def first_choice(chunks: Sequence[Any]) -> int:
    """Return where the first chunk with a choice is: some hosts send another one before it."""
    return next((index for index, chunk in enumerate(chunks) if choice(chunk) is not None), 0)


def last_choice(chunks: Sequence[Any]) -> int:
    """Return where the chunk with the reason is: the last one with a choice."""
    return max(index for index, chunk in enumerate(chunks) if choice(chunk) is not None)


def chunk_with(chunk: Any, delta: Any = None, **changes: Any) -> dict[str, Any]:
    """Return a copy of a chunk with another delta, and further members of its choice changed."""
    changed: dict[str, Any] = copied(chunk)
    first = choice(changed) or {}
    changed["choices"] = [{**first, **({} if delta is None else {"delta": delta}), **changes}]
    return changed


def on_delta(change: Callable[[dict[str, Any]], Any]) -> Callable[[Any], Any]:
    """Make a change of a chunk: its delta becomes ``change(delta)``; a chunk without a choice stays."""

    def changed(chunk: Any) -> Any:
        first = choice(chunk)
        return chunk if first is None else chunk_with(chunk, change(copied(first["delta"])))

    return changed
