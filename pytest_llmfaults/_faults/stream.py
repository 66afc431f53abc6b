"""What comes instead of a stream, and how a stream ends."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play, page
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._streams import (
    AT,
    begun,
    done_of,
    events,
    finish_index,
    made,
    of_sse,
    parts,
    piece_indexes,
    stream_of,
)
from pytest_llmfaults._reply import Ending, Pause, Reply
from pytest_llmfaults._wires._encoding import Event, Part, dumped
from pytest_llmfaults._wires._sse import CONTENT_TYPE
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

_EVENTS: Final = Parameter("events", 3, minimum=2, maximum=10_000)
"""How many events come, each whole."""


def _whole(base: Healthy) -> Reply:
    """Return the reply that is no stream."""
    return base.whole or base.reply


def _indented(base: Healthy) -> Reply:
    body = json.dumps(base.envelope(), indent=2, ensure_ascii=False).encode()
    return _whole(base).with_body(body, content_type=stream_of(base).encoding.content_type)


def _typed(content_type: str | None) -> Play:
    """Make a fault that gives the good stream another type, or none."""
    return lambda base: made(base, parts(base)).with_headers(content_type=content_type)


def _lines(base: Healthy) -> Iterator[Part]:
    return (f"{dumped(chunk)}\n".encode(errors="backslashreplace") for chunk in base.chunks())


def _first(base: Healthy, count: int) -> list[Part]:
    """Return the first events.

    Raises:
        DoesNotApply: the stream has not so many.
    """
    found = parts(base)
    if count > len(found):
        msg = f"it ends after {count} events, and the stream has {len(found)}. Give events= or a longer answer=."
        raise DoesNotApply(msg)
    return found[:count]


def _stops(ending: Ending) -> Play:
    """Make a fault that ends so after some events."""
    return lambda base, events: made(base, _first(base, events), ending=ending)


def _to_middle(base: Healthy) -> Iterator[Part]:
    """Yield the events before the middle piece of the answer, and half of that one."""
    chunks = base.chunks()
    pieces = piece_indexes(base, chunks)
    middle = pieces[len(pieces) // 2]
    yield from parts(base, chunks[:middle], done=False)
    stream = stream_of(base)
    written = stream.encoding.write(stream.event(chunks[middle]))
    yield written[: len(written) // 2]


def _to_finish(base: Healthy) -> list[Part]:
    chunks = base.chunks()
    return parts(base, chunks[: finish_index(base, chunks) + 1], done=False)


def _unfinished(base: Healthy) -> list[Part]:
    chunks = base.chunks()
    finish = finish_index(base, chunks)
    return parts(base, [*chunks[:finish], *chunks[finish + 1 :]])


def _kept_alive(base: Healthy, at: float, seconds: float, comments: int) -> list[Part]:
    beat: list[Part] = [Pause(float(seconds)), Event.comment("keepalive")]
    return [*parts(base, begun(base, at), done=False), *(beat * comments)]


def _slow(base: Healthy, seconds: float) -> list[Part]:
    return [part for event in parts(base) for part in (Pause(float(seconds)), event)]


_SECONDS: Final = Parameter("seconds", 20.0, minimum=0.001, maximum=600.0)

_none = functools.partial(Fault, draw="fresh", wish="retry")
_good = functools.partial(Fault, draw="same", scope="partial", wish="surface")
_ends = functools.partial(Fault, draw="fresh", scope="partial", wish="surface")
_slowly = functools.partial(Fault, draw="fresh", scope="partial", wish="survive")

ROWS: Final = (
    _none(
        name="stream.empty",
        play=events(lambda _base: ()),
        meaning="The stream has no event.",
        sources=("https://github.com/tinyhumansai/tinyagents/pull/56",),
    ),
    _none(
        name="stream.done_only",
        play=events(lambda base: (done_of(base),)),
        meaning="The stream has only its end mark.",
        touches=("end_mark",),
        sources=("https://github.com/BerriAI/litellm/issues/38199",),
    ),
    _none(
        name="stream.html_page",
        play=lambda base: made(base, (page("Gateway").encode(),)),
        meaning="A page arrives with the type of a stream.",
        stays=_stays.UNFRAMED,
        sources=("https://github.com/tinyhumansai/tinyagents/pull/56",),
    ),
    _good(
        name="stream.json_whole",
        play=_whole,
        meaning="One JSON object arrives where a stream was asked.",
        sources=("https://github.com/tinyhumansai/tinyagents/pull/56",),
    ),
    _good(
        name="stream.json_whole_as_sse",
        play=of_sse(lambda base: _whole(base).with_headers(content_type=CONTENT_TYPE)),
        meaning="One JSON object arrives with the type of a stream.",
        touches=("server_sent_events",),
        stays=_stays.UNFRAMED,
        sources=("https://github.com/tinyhumansai/tinyagents/pull/56",),
    ),
    _good(
        name="stream.json_whole_indented",
        play=_indented,
        meaning="One indented JSON object arrives with the type of a stream.",
        stays=_stays.UNFRAMED,
        sources=("https://github.com/BerriAI/litellm/issues/14747",),
    ),
    _good(
        name="stream.json_whole_in_event",
        play=lambda base: made(base, parts(base, [base.envelope()])),
        meaning="One whole completion is the only event.",
        sources=("https://github.com/tinyhumansai/tinyagents/pull/56",),
    ),
    _good(
        name="stream.sse_as_json",
        play=_typed("application/json"),
        meaning="The good stream is labelled as JSON.",
        wish="survive",
        sources=("https://github.com/tinyhumansai/tinyagents/pull/56",),
    ),
    _good(
        name="stream.sse_no_type",
        play=_typed(None),
        meaning="The good stream has no label.",
        wish="survive",
        sources=("https://github.com/tinyhumansai/tinyagents/pull/56",),
    ),
    _good(
        name="stream.ndjson",
        play=of_sse(events(_lines)),
        meaning="The chunks come as lines of JSON without the words of events.",
        touches=("server_sent_events",),
        stays=_stays.UNFRAMED,
        sources=("https://github.com/code-yeongyu/oh-my-openagent/issues/1120",),
    ),
    _ends(
        name="stream.eof_before_finish",
        play=events(lambda base, at: parts(base, begun(base, at), done=False)),
        meaning="The stream ends cleanly after some text, without a reason and without an end mark.",
        parameters=(AT,),
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/6610",
            "https://github.com/NVIDIA/TensorRT-LLM/pull/18289",
            "https://github.com/griffinwork40/agent-afk/pull/635",
        ),
    ),
    _ends(
        name="stream.eof_mid_event",
        play=events(_to_middle),
        meaning="The stream ends cleanly inside the JSON of an event.",
        sources=("https://github.com/TheR1D/shell_gpt/issues/353",),
    ),
    _ends(
        name="stream.eof_after_finish",
        play=events(_to_finish),
        meaning="The stream ends cleanly after the reason, without an end mark.",
        draw="same",
        wish="survive",
        touches=("end_mark",),
        sources=("https://github.com/NVIDIA/TensorRT-LLM/pull/18289",),
    ),
    _ends(
        name="stream.no_finish_chunk",
        play=events(_unfinished),
        meaning="The end mark comes and no chunk had a reason.",
        slot="finish",
        draw="same",
        wish="survive",
        touches=("end_mark",),
        sources=(
            "https://github.com/waybarrios/vllm-mlx/pull/673",
            "https://github.com/vllm-project/vllm/issues/27572",
        ),
    ),
    _ends(
        name="stream.closed",
        play=_stops("cut"),
        meaning="The connection closes between two events, before the last chunk of the body.",
        parameters=(_EVENTS,),
        sources=("https://github.com/openai/openai-python/issues/2065", "https://github.com/vercel/ai/pull/17628"),
    ),
    _ends(
        name="stream.reset_peer",
        play=_stops("reset"),
        meaning="The peer resets the connection after some events.",
        parameters=(_EVENTS,),
        sources=("https://github.com/replikativ/dvergr/issues/59", "https://github.com/pydantic/pydantic-ai/pull/4738"),
    ),
    _none(
        name="stream.reset_peer_before_text",
        play=lambda base: made(base, parts(base)[:1], ending="reset"),
        meaning="The peer resets the connection after the preamble of the stream, before any text.",
        sources=("https://github.com/replikativ/dvergr/issues/59", "https://github.com/zirkelc/ai-retry/issues/51"),
    ),
    _ends(
        name="stream.stall",
        play=_stops("stalled"),
        meaning="The stream stalls after some events, for ever.",
        parameters=(_EVENTS,),
        sources=(
            "https://github.com/NuGuardAI/nuguard/issues/455",
            "https://github.com/anthropics/anthropic-sdk-typescript/issues/867",
        ),
    ),
    _none(
        name="stream.stall_before_text",
        play=lambda base: made(base, parts(base)[:1], ending="stalled"),
        meaning="The stream stalls after its preamble, before any text.",
        sources=("https://github.com/zirkelc/ai-retry/issues/51",),
    ),
    _ends(
        name="stream.stall_after_finish",
        play=events(_to_finish, ending="stalled"),
        meaning="The stream stalls after its reason, without an end mark.",
        draw="same",
        wish="survive",
        sources=(
            "https://github.com/web-infra-dev/midscene/pull/3117",
            "https://github.com/earendil-works/pi/issues/7954",
        ),
    ),
    _ends(
        name="stream.stall_after_done",
        play=events(lambda base: [*parts(base, done=False), done_of(base)], ending="stalled"),
        meaning="The connection stays open in silence after the end mark.",
        draw="same",
        wish="survive",
        touches=("end_mark",),
        sources=("https://github.com/earendil-works/pi/issues/7954",),
    ),
    _ends(
        name="stream.stall_keepalive",
        play=events(_kept_alive, ending="stalled"),
        meaning="The stream goes on with comments only, for an hour, and then with nothing.",
        touches=("server_sent_events",),
        wish="retry",
        parameters=(
            AT,
            Parameter("seconds", 5.0, minimum=0.001, maximum=300.0),
            Parameter("comments", 720, minimum=1, maximum=3600),
        ),
        sources=("https://github.com/earendil-works/pi/issues/5558",),
    ),
    _slowly(
        name="stream.slow_first_event",
        play=events(lambda base, seconds: (Pause(float(seconds)), *parts(base))),
        meaning="The headers come at once, and the first event late.",
        parameters=(Parameter("seconds", 30.0, minimum=0.001, maximum=3600.0),),
        sources=("https://github.com/failoverbench/failoverbench", "https://github.com/zirkelc/ai-retry/issues/51"),
    ),
    _slowly(
        name="stream.slow_events",
        play=events(_slow),
        meaning="The good stream has a long pause before each event.",
        parameters=(_SECONDS,),
        sources=("https://github.com/Daily-Nerd/daimon/pull/302",),
    ),
)
