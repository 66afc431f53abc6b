"""Streams whose events are lines of JSON, and calls that come whole: what only such wires can say."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import error, half, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._streams import events, finish_index, parts
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires._encoding import Part

__all__ = ["ROWS"]

_API: Final = "https://github.com/ollama/ollama/blob/main/docs/api.md"


def _without_answer(base: Healthy) -> list[Part]:
    """Return the stream whose last line has the reason, and no field of the answer."""
    chunks = base.chunks()
    (key, *_) = base.path("content") or ()
    last = finish_index(base, chunks)
    chunks[last] = {name: value for name, value in chunks[last].items() if name != key}
    return parts(base, chunks)


def _spaced(base: Healthy) -> Iterator[Part]:
    for part in parts(base):
        yield part
        yield b"\n"


def _numbered(calls: list[Any]) -> list[Any]:
    """Give each call an id, and each function its place."""
    return [
        {**call, "id": f"call_{index + 1:08d}", "function": {"index": index, **call["function"]}}
        for index, call in enumerate(calls)
    ]


def _unparsed(base: Healthy) -> Reply:
    """Say that the arguments of the call that the model makes could not be parsed."""
    raw = half(base.value("arguments"))
    return error(500, f"error parsing tool call: raw={raw!r}, err=unexpected end of JSON input")(base)


_good = functools.partial(Fault, draw="same", scope="partial", wish="survive", touches=("done",))

ROWS: Final = (
    _good(
        name="stream.answer_absent_at_finish",
        play=events(_without_answer),
        slot="content",
        meaning="The last line of the stream has the reason and the counts, and no field of the answer.",
        streamed="only",
        sources=("https://github.com/taketwo/llm-ollama/issues/9", _API),
    ),
    _good(
        name="control.stream_blank_lines",
        play=events(_spaced),
        meaning="Empty lines stand between the lines of the stream.",
        streamed="only",
        sources=("https://github.com/ollama/ollama-python/pull/393", "https://github.com/ndjson/ndjson-spec"),
    ),
    _good(
        name="control.tool_calls_numbered",
        play=rewrite("tool_calls", _numbered),
        slot="tool_calls",
        needs="tool_calls",
        meaning="The calls have ids and numbers, as newer servers give them.",
        stays=_stays.LOOKALIKE,
        sources=("https://docs.ollama.com/capabilities/tool-calling",),
    ),
    Fault(
        name="status.500_tool_call",
        play=_unparsed,
        slot="error",
        draw="fresh",
        wish="retry",
        needs="tool_calls",
        touches=("done", "tool_calls"),
        meaning="The server could not parse the call that the model made, and fails.",
        stays=_stays.WORDS,
        sources=(
            "https://github.com/ollama/ollama/issues/12884",
            "https://github.com/ollama/ollama/issues/17638",
            "https://github.com/BerriAI/litellm/issues/33622",
        ),
    ),
)
