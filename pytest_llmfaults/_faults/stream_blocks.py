"""Streams of blocks: events that are missing, out of order, without a name, or only there to keep the stream alive."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._streams import AT, begun, edits, events, parts, piece_indexes
from pytest_llmfaults._reply import Pause
from pytest_llmfaults._wires import ABSENT, with_value
from pytest_llmfaults._wires._encoding import Event, Part, typed_event
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

_STREAMING: Final = "https://docs.claude.com/en/api/messages-streaming"
_ODD_ORDER: Final = "https://github.com/anthropics/anthropic-sdk-python/issues/1192"
_NAMED: Final = ("anthropic.messages", "openai.responses")
"""The wires whose events have names."""


_PING: Final = typed_event({"type": "ping"})


def _without_first(kind: str) -> Play:
    """Make a fault that leaves out the first event of this type."""

    def changed(chunks: list[Any]) -> list[Any]:
        first = next((index for index, chunk in enumerate(chunks) if chunk["type"] == kind), None)
        if first is None:
            msg = f"it leaves out the event {kind}, and the healthy stream has none. Give another answer=."
            raise DoesNotApply(msg)
        return [*chunks[:first], *chunks[first + 1 :]]

    return edits(changed)


def _each(kind: str, change: Callable[[Any], Any]) -> Play:
    """Make a fault that changes the events of this type."""
    return edits(lambda chunks: [change(chunk) if chunk["type"] == kind else chunk for chunk in chunks])


def _skipped(chunks: list[Any]) -> list[Any]:
    return [{**chunk, "index": chunk["index"] + 1} if "index" in chunk else chunk for chunk in chunks]


def _unnamed(base: Healthy) -> list[Part]:
    found = (part for part in parts(base) if isinstance(part, Event))
    return [Event(tuple(line for line in event.lines if line[0] != "event")) for event in found]


def _pinged(base: Healthy, at: float, seconds: float, pings: int) -> list[Part]:
    beat: list[Part] = [Pause(float(seconds)), _PING]
    return [*parts(base, begun(base, at), done=False), *(beat * pings)]


def _among(more: Event) -> Play:
    """Make a fault that sends an event after the first one, and before each piece of the answer."""

    def sent(base: Healthy) -> Iterator[Part]:
        chunks = base.chunks()
        places = {1, *piece_indexes(base, chunks)}
        for index, part in enumerate(parts(base, chunks)):
            if index in places:
                yield more
            yield part

    return events(sent)


def _whole_input(chunks: list[Any]) -> Iterator[Any]:
    """Yield the events, the input of each call whole in its start."""
    texts: dict[int, str] = {}
    for chunk in chunks:
        if chunk.get("delta", {}).get("type") == "input_json_delta":
            texts[chunk["index"]] = texts.get(chunk["index"], "") + chunk["delta"]["partial_json"]
    for chunk in chunks:
        if chunk["type"] == "content_block_start" and chunk["index"] in texts:
            yield with_value(chunk, ("content_block", "input"), json.loads(texts[chunk["index"]]))
        elif chunk.get("delta", {}).get("type") != "input_json_delta":
            yield chunk


_broken = functools.partial(
    Fault, slot="blocks", draw="fresh", wish="surface", streamed="only", wires=("anthropic.messages",)
)
_odd = functools.partial(_broken, draw="same", scope="partial", wish="survive")

ROWS: Final = (
    _broken(
        name="stream.message_start_absent",
        play=_without_first("message_start"),
        meaning="The stream begins with a block: the start of the message is missing.",
        sources=("https://github.com/heyhuynhgiabuu/proxypal/issues/20",),
    ),
    _broken(
        name="stream.block_start_absent",
        play=_without_first("content_block_start"),
        meaning="The pieces of a block come and its start does not.",
        sources=(_ODD_ORDER,),
    ),
    _broken(
        name="stream.block_index_skipped",
        play=edits(_skipped),
        meaning="The index of the first block is one.",
        sources=(_ODD_ORDER,),
    ),
    _odd(
        name="stream.block_stop_absent",
        play=_without_first("content_block_stop"),
        meaning="The end of a block is missing.",
        sources=(_ODD_ORDER,),
    ),
    _odd(
        name="usage.delta_absent",
        play=_each("message_delta", lambda chunk: with_value(chunk, ("usage",), ABSENT)),
        meaning="The event with the reason has no usage.",
        slot="usage",
        sources=("https://github.com/earendil-works/pi/issues/6567",),
    ),
    _broken(
        name="stream.event_unnamed",
        play=events(_unnamed),
        meaning="The events have no names.",
        draw="same",
        wires=_NAMED,
        sources=(_STREAMING, "https://github.com/vllm-project/agentic-api/issues/168"),
    ),
    _broken(
        name="stream.stall_ping",
        play=events(_pinged, ending="stalled"),
        meaning="The stream goes on with pings only, for an hour, and then with nothing.",
        scope="partial",
        wish="retry",
        parameters=(
            AT,
            Parameter("seconds", 15.0, minimum=0.001, maximum=300.0),
            Parameter("pings", 240, minimum=1, maximum=3600),
        ),
        sources=(
            "https://github.com/anthropics/anthropic-sdk-typescript/issues/867",
            "https://github.com/vercel/ai/issues/383",
        ),
    ),
    _odd(
        name="tools.input_whole",
        play=edits(_whole_input),
        meaning="The arguments of a call come whole in its start, and no piece of them.",
        slot="arguments",
        needs="tool_calls",
        sources=("https://github.com/deepset-ai/haystack-core-integrations/issues/1947",),
    ),
    _odd(
        name="control.stream_ping",
        play=_among(_PING),
        meaning="Pings stand between the events.",
        sources=("https://github.com/vercel/ai/issues/383", _STREAMING),
    ),
    _odd(
        name="control.stream_event_unknown",
        play=_among(typed_event({"type": "mystery", "data": "AAAA"})),
        meaning="Events of a type that nobody knows stand between the others.",
        wires=_NAMED,
        sources=(_STREAMING,),
    ),
)
