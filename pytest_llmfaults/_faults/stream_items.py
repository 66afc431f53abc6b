"""Streams of items: events that are missing, say less than they should, or only keep the stream alive."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Final

from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._streams import edits, events, parts, piece_indexes, stream_of
from pytest_llmfaults._wires import ABSENT, with_value
from pytest_llmfaults._wires._encoding import Event, Part

__all__ = ["ROWS"]

_STREAMING: Final = "https://platform.openai.com/docs/api-reference/responses-streaming"
_OUTPUTS: Final[dict[str, Any]] = {"null": None, "empty": [], "absent": ABSENT}


def _without(*kinds: str) -> Play:
    """Make a fault that leaves out the events of these types."""
    return edits(lambda chunks: [chunk for chunk in chunks if chunk["type"] not in kinds])


def _each(change: Callable[[Any], Any]) -> Play:
    """Make a fault that changes every event."""
    return edits(lambda chunks: map(change, chunks))


def _last_output(chunks: list[Any], output: str) -> list[Any]:
    """Return the events, of which the last has another output."""
    return [*chunks[:-1], with_value(chunks[-1], ("response", "output"), _OUTPUTS[output])]


def _skipped(chunk: Any) -> Any:
    return {**chunk, "output_index": chunk["output_index"] + 1} if "output_index" in chunk else chunk


def _padded(chunk: Any) -> Any:
    return {**chunk, "obfuscation": "aB3dE6gH9"} if "delta" in chunk else chunk


def _kept_alive(base: Healthy) -> Iterator[Part]:
    """Yield the events, and one that keeps the stream alive before each piece; numbers go on through all."""
    chunks = base.chunks()
    pieces = set(piece_indexes(base, chunks))
    number = 0
    for index, chunk in enumerate(chunks):
        for one in ({"type": "keepalive"}, chunk) if index in pieces else (chunk,):
            yield stream_of(base).event({**one, "sequence_number": number})
            number += 1


_broken = functools.partial(Fault, slot="output_items", draw="fresh", wish="surface", streamed="only")
_odd = functools.partial(_broken, draw="same", scope="partial", wish="survive")

ROWS: Final = (
    _broken(
        name="stream.created_absent",
        play=_without("response.created", "response.in_progress"),
        meaning="The stream begins with an item: the start of the response is missing.",
        sources=("https://github.com/BerriAI/litellm/issues/9545",),
    ),
    _broken(
        name="stream.item_start_absent",
        play=_without("response.output_item.added"),
        meaning="The pieces of an item come and its start does not.",
        sources=("https://github.com/openai/openai-python/pull/2863",),
    ),
    _broken(
        name="stream.part_start_absent",
        play=_without("response.content_part.added"),
        meaning="The pieces of a part come and its start does not.",
        sources=("https://github.com/openai/openai-python/pull/2863",),
    ),
    _broken(
        name="stream.output_index_skipped",
        play=_each(_skipped),
        meaning="The index of the first item is one.",
        sources=("https://github.com/openai/openai-python/pull/2863",),
    ),
    _broken(
        name="stream.end_absent",
        play=edits(lambda chunks: chunks[:-1]),
        meaning="Each item is told to its end, and the last event, which has the status, does not come.",
        scope="partial",
        sources=("https://github.com/openai/openai-python/pull/3538", _STREAMING),
    ),
    _odd(
        name="stream.output_lost_at_end",
        play=edits(_last_output),
        meaning="The pieces are good, and the output in the last event is not there.",
        parameters=(Parameter("output", "null", choices=tuple(_OUTPUTS)),),
        sources=(
            "https://github.com/openai/openai-python/issues/3321",
            "https://github.com/QuantumNous/new-api/issues/4362",
        ),
    ),
    _odd(
        name="stream.sequence_absent",
        play=_each(lambda chunk: {key: value for key, value in chunk.items() if key != "sequence_number"}),
        meaning="The events have no numbers.",
        sources=("https://github.com/Blaizzy/mlx-vlm/pull/494",),
    ),
    _odd(
        name="tools.arguments_at_end",
        play=_without("response.function_call_arguments.delta"),
        meaning="The arguments of a call come whole at its end, and no piece of them.",
        slot="arguments",
        touches=("output_items",),
        needs="tool_calls",
        sources=(
            "https://github.com/BerriAI/litellm/pull/27792",
            "https://github.com/tailcallhq/forgecode/pull/2558",
        ),
    ),
    _odd(
        name="control.stream_keepalive",
        play=events(_kept_alive),
        meaning="Events that only keep the stream alive stand between the others.",
        sources=(
            "https://github.com/openai/openai-node/issues/1964",
            "https://github.com/openai/openai-java/issues/767",
        ),
    ),
    _odd(
        name="control.stream_obfuscation",
        play=_each(_padded),
        meaning="The pieces carry random letters beside the text, so that their size says nothing.",
        sources=(_STREAMING,),
    ),
    _odd(
        name="control.stream_done_mark",
        play=events(lambda base: [*parts(base), Event.data("[DONE]")]),
        meaning="An end mark of another wire stands behind the last event.",
        sources=("https://github.com/vllm-project/agentic-api/issues/168",),
    ),
)
