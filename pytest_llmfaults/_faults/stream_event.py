"""Streams in which an event is broken, or is none."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Final

from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._streams import events, framed, of_sse, parts, piece_indexes, stream_of
from pytest_llmfaults._wires._encoding import Event, Part, dumped, plain_event
from pytest_llmfaults._wires._sse import Framing

__all__ = ["ROWS"]


def _at_middle(change: Callable[[str], str]) -> Play:
    """Make a fault that changes the data of the middle piece of the answer."""

    def sent(base: Healthy) -> list[Part]:
        chunks = base.chunks()
        pieces = piece_indexes(base, chunks)
        found = parts(base, chunks)
        middle = pieces[len(pieces) // 2]
        event = stream_of(base).event(chunks[middle])
        found[middle] = event.with_text(change(event.text or ""))
        return found

    return events(sent)


def _before_first(*more: Part) -> Play:
    """Make a fault that sends something before the first piece of the answer."""

    def sent(base: Healthy) -> list[Part]:
        chunks = base.chunks()
        first = piece_indexes(base, chunks)[0]
        return [*parts(base, chunks[:first], done=False), *more, *parts(base, chunks[first:])]

    return events(sent)


def _joined(base: Healthy) -> list[Part]:
    """Return the events, the first two pieces of the answer in one."""
    chunks = base.chunks()
    first, second, *_ = piece_indexes(base, chunks) * 2
    one, other = (stream_of(base).event(chunks[index]) for index in (first, second))
    both = one.with_text(f"{one.text}{other.text}")
    return [*parts(base, chunks[:first], done=False), both, *parts(base, chunks[max(first, second) + 1 :])]


def _before_each(more: Part) -> Play:
    """Make a fault that sends something before each piece of the answer."""

    def sent(base: Healthy) -> Iterator[Part]:
        chunks = base.chunks()
        pieces = set(piece_indexes(base, chunks))
        for index, part in enumerate(parts(base, chunks)):
            if index in pieces:
                yield more
            yield part

    return events(sent)


_broken = functools.partial(Fault, draw="same", scope="partial", wish="surface")
_odd = functools.partial(Fault, draw="same", scope="partial", wish="survive")

ROWS: Final = (
    _broken(
        name="stream.event_truncated",
        play=_at_middle(lambda data: data[: len(data) // 2]),
        meaning="One event is cut and the stream goes on.",
        draw="fresh",
        sources=("https://github.com/TheR1D/shell_gpt/issues/353",),
    ),
    _broken(
        name="stream.event_double_encoded",
        play=_at_middle(dumped),
        meaning="One event is a JSON string that holds its JSON.",
        sources=("https://github.com/TheR1D/shell_gpt/issues/353",),
    ),
    _broken(
        name="stream.event_concatenated",
        play=events(_joined),
        meaning="Two chunks stand in one event without a separator.",
        sources=("https://github.com/openai/openai-python/issues/663",),
    ),
    _broken(
        name="stream.event_lines_joined",
        play=framed(Framing(blank=0)),
        meaning="The blank lines between the events are missing.",
        touches=("server_sent_events",),
        sources=("https://github.com/openai/openai-python/issues/663", "https://github.com/sourcegraph/cody/pull/3481"),
    ),
    _odd(
        name="stream.event_foreign",
        play=_before_first(plain_event({"rate_limit_usage": {"used": 1}})),
        meaning="One event has an object of another kind.",
        sources=("https://github.com/TheR1D/shell_gpt/issues/353", "https://github.com/pydantic/logfire/issues/64"),
    ),
    _odd(
        name="stream.event_null",
        play=_before_first(plain_event(None)),
        meaning="One event is the JSON null.",
        sources=("https://github.com/pydantic/logfire/issues/64",),
    ),
    _odd(
        name="stream.comment_in_data",
        play=of_sse(events(lambda base: (Event.data(": OPENROUTER PROCESSING"), *parts(base)))),
        meaning="A comment is wrapped in an event.",
        touches=("server_sent_events",),
        sources=("https://github.com/mnfst/llm-gateway/issues/2053",),
    ),
    _odd(
        name="stream.data_empty",
        play=of_sse(_before_each(Event.data(""))),
        meaning="An event has no data.",
        touches=("server_sent_events",),
        sources=("https://github.com/lidge-jun/opencodex/pull/1188",),
    ),
)
