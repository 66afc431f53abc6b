"""Finish reasons that only a stream can have: in each chunk, twice, or two that contradict each other."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults._choices import choice, chunk_with, last_choice
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault
from pytest_llmfaults._faults._streams import edits

__all__ = ["ROWS"]


def _before_finish(reason: str) -> Play:
    """Make a fault that gives a reason to each chunk with a choice before the last one."""

    def changed(chunks: list[Any]) -> list[Any]:
        finish = last_choice(chunks)
        return [*(chunk_with(chunk, finish_reason=reason) for chunk in chunks[:finish]), *chunks[finish:]]

    return edits(changed)


def _after_finish(change: Callable[[Any], Any]) -> Play:
    """Make a fault that sends a further chunk after the one with the reason, made from it."""

    def changed(chunks: list[Any]) -> list[Any]:
        finish = last_choice(chunks)
        return [*chunks[: finish + 1], change(chunks[finish]), *chunks[finish + 1 :]]

    return edits(changed)


def _stopped(chunks: list[Any]) -> list[Any]:
    return [chunk if choice(chunk) is None else chunk_with(chunk, finish_reason="stop") for chunk in chunks]


_each = functools.partial(
    Fault, slot="finish", draw="same", scope="partial", wish="survive", streamed="only", touches=("choices",)
)

ROWS: Final = (
    _each(
        name="finish.empty_each",
        play=_before_finish(""),
        meaning="The reason is an empty string in each chunk before the last.",
        sources=(
            "https://github.com/ollama/ollama/issues/4357",
            "https://github.com/CangShui/workbuddy-gateway/pull/3",
        ),
    ),
    _each(
        name="finish.stop_each",
        play=edits(_stopped),
        meaning="The reason is stop in each chunk.",
        sources=("https://github.com/ollama/ollama/issues/4357",),
    ),
    _each(
        name="finish.twice",
        play=_after_finish(lambda chunk: chunk),
        meaning="The finish chunk comes twice.",
        sources=("https://github.com/QwenLM/qwen-code/issues/2402",),
    ),
    _each(
        name="finish.tool_calls_then_stop",
        play=_after_finish(lambda chunk: chunk_with(chunk, finish_reason="stop")),
        meaning="The calls end with their reason and then with stop.",
        draw="depends",
        needs="tool_calls",
        sources=("https://github.com/RayBytes/ChatMock/pull/114",),
    ),
    _each(
        name="finish.stop_then_length",
        play=_after_finish(lambda chunk: chunk_with(chunk, finish_reason="length")),
        meaning="The answer ends with its reason and then with length.",
        sources=("https://github.com/RayBytes/ChatMock/pull/114",),
    ),
)
