"""Finish reasons that only a stream can have: in each chunk, twice, or two that contradict each other."""

from __future__ import annotations

import functools
from typing import Final

from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._streams import events, finish_index, parts, stream_of
from pytest_llmfaults._wires._encoding import Part

__all__ = ["ROWS"]


def _before_finish(reason: str) -> Play:
    """Make a fault that gives a reason to each chunk before the one with the reason."""

    def sent(base: Healthy) -> list[Part]:
        chunks = base.chunks()
        finish, finishes = finish_index(base, chunks), stream_of(base).finishes
        before = (base.put(chunk, "finish", reason) if finishes(chunk) else chunk for chunk in chunks[:finish])
        return parts(base, [*before, *chunks[finish:]])

    return events(sent)


def _after_finish(reason: str | None = None) -> Play:
    """Make a fault that sends the chunk with the reason twice, the second one with another reason if one is given."""

    def sent(base: Healthy) -> list[Part]:
        chunks = base.chunks()
        finish = finish_index(base, chunks)
        again = chunks[finish] if reason is None else base.put(chunks[finish], "finish", reason)
        return parts(base, [*chunks[: finish + 1], again, *chunks[finish + 1 :]])

    return events(sent)


def _stopped(base: Healthy) -> list[Part]:
    finishes = stream_of(base).finishes
    return parts(base, [base.put(chunk, "finish", "stop") if finishes(chunk) else chunk for chunk in base.chunks()])


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
        play=events(_stopped),
        meaning="The reason is stop in each chunk.",
        sources=("https://github.com/ollama/ollama/issues/4357", "https://github.com/BerriAI/litellm/issues/2195"),
    ),
    _each(
        name="finish.twice",
        play=_after_finish(),
        meaning="The finish chunk comes twice.",
        sources=("https://github.com/QwenLM/qwen-code/issues/2402",),
    ),
    _each(
        name="finish.tool_calls_then_stop",
        play=_after_finish("stop"),
        meaning="The calls end with their reason and then with stop.",
        draw="depends",
        needs="tool_calls",
        touches=("delta",),
        sources=("https://github.com/RayBytes/ChatMock/pull/114",),
    ),
    _each(
        name="finish.stop_then_length",
        play=_after_finish("length"),
        meaning="The answer ends with its reason and then with length.",
        sources=("https://github.com/RayBytes/ChatMock/pull/114",),
    ),
)
