"""Usage that only a stream can have: early, late, twice, or in each chunk."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults._choices import choice, chunk_with, last_choice
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._streams import made, parts, stream_of
from pytest_llmfaults._faults.content import zeroed
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

Chunks = list[dict[str, Any]]


def _told(change: Callable[[Chunks, Any], Chunks]) -> Play:
    """Make a fault that streams ``change(chunks, usage)``, from the chunks without a usage."""

    def play(base: Healthy) -> Reply:
        kept = (chunk for chunk in base.chunks() if choice(chunk) is not None)
        chunks = [{key: value for key, value in chunk.items() if key != "usage"} for chunk in kept]
        return made(base, parts(base, change(chunks, base.value("usage"))))

    return play


def _in_finish(chunks: Chunks, usage: Any) -> Chunks:
    finish = last_choice(chunks)
    return [*chunks[:finish], {**chunks[finish], "usage": usage}, *chunks[finish + 1 :]]


def _last(chunk: Any, **more: Any) -> dict[str, Any]:
    return {**chunk, "choices": [], **more}


def _zeros(chunks: Chunks, usage: Any) -> Chunks:
    return _in_finish([{**chunk, "usage": zeroed(usage)} for chunk in chunks], usage)


def _so_far(base: Healthy) -> Reply:
    """Stream with the usage so far in each chunk."""
    usage, spoken, chunks = base.value("usage"), 0, []
    for chunk in base.chunks():
        if choice(chunk) is None:
            continue
        spoken += stream_of(base).speaks(chunk)
        counts = {"completion_tokens": spoken, "total_tokens": usage["prompt_tokens"] + spoken}
        chunks.append({**chunk, "usage": {**usage, **counts}})
    return made(base, parts(base, chunks))


def _repeated_reason(chunks: Chunks, usage: Any) -> Chunks:
    return [*chunks, {**chunk_with(chunks[last_choice(chunks)], {}), "usage": usage}]


def _before_finish(chunks: Chunks, usage: Any) -> Chunks:
    finish = last_choice(chunks)
    return [*chunks[:finish], _last(chunks[finish], usage=usage), *chunks[finish:]]


_misplaced = functools.partial(
    Fault, slot="usage", draw="same", scope="partial", wish="survive", streamed="only", touches=("delta",)
)

ROWS: Final = (
    _misplaced(
        name="usage.in_finish",
        play=_told(_in_finish),
        meaning="The usage is in the finish chunk.",
        sources=(
            "https://github.com/BerriAI/litellm/issues/17136",
            "https://github.com/rashidrazak/opencode-cmd-provider/pull/213",
        ),
    ),
    _misplaced(
        name="usage.null_after",
        play=_told(lambda chunks, usage: [*_in_finish(chunks, usage), _last(chunks[-1], usage=None)]),
        meaning="The usage comes early and a later chunk says null.",
        sources=("https://github.com/openai/openai-agents-python/pull/2126",),
    ),
    _misplaced(
        name="usage.empty_chunk_after",
        play=_told(lambda chunks, usage: [*_in_finish(chunks, usage), _last(chunks[-1])]),
        meaning="The usage comes early and a later chunk says nothing.",
        stays="Code that takes the usage from the last chunk misses it.",
        sources=("https://github.com/BerriAI/litellm/issues/17136",),
    ),
    _misplaced(
        name="usage.zeros_until_last",
        play=_told(_zeros),
        meaning="Each chunk has a usage of zeros and the last one has the true one.",
        sources=("https://github.com/router-for-me/CLIProxyAPI/pull/3077",),
    ),
    _misplaced(
        name="usage.in_each",
        play=_so_far,
        meaning="Each chunk has the usage so far.",
        sources=("https://github.com/rashidrazak/opencode-cmd-provider/pull/213",),
    ),
    _misplaced(
        name="usage.repeats_finish",
        play=_told(_repeated_reason),
        meaning="The chunk of the usage repeats the reason.",
        sources=("https://github.com/maximhq/bifrost/pull/6604",),
    ),
    _misplaced(
        name="usage.before_finish",
        play=_told(_before_finish),
        meaning="The chunk of the usage comes before the reason.",
        stays="Code that takes the usage from the last chunk, or from one after the reason, misses it.",
        sources=("https://github.com/BerriAI/litellm/issues/17136",),
    ),
    _misplaced(
        name="usage.twice",
        play=_told(lambda chunks, usage: [*chunks, *[_last(chunks[-1], usage=usage)] * 2]),
        meaning="The chunk of the usage comes twice.",
        sources=("https://github.com/maximhq/bifrost/pull/6604",),
    ),
)
