"""Streams in which an event is broken, or a chunk is not what it should be."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, copied
from pytest_llmfaults._faults._streams import (
    choice,
    chunk_with,
    edits,
    events,
    finish_index,
    framed,
    made,
    on_delta,
    parts,
    piece_indexes,
    with_event,
)
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires._sse import Event, Framing, Part, dumped

__all__ = ["ROWS"]


def _at_middle(change: Callable[[str], str]) -> Play:
    """Make a fault that changes the data of the middle piece of the answer."""

    def sent(base: Healthy) -> list[Part]:
        chunks = base.chunks()
        pieces = piece_indexes(base, chunks)
        found = parts(base, chunks)
        middle = pieces[len(pieces) // 2]
        found[middle] = Event.data(change(dumped(chunks[middle])))
        return found

    return events(sent)


def _before_first(*more: Part) -> Play:
    """Make a fault that sends something before the first piece of the answer."""

    def sent(base: Healthy) -> list[Part]:
        chunks = base.chunks()
        first = piece_indexes(base, chunks)[0]
        return [*parts(base, chunks[:first], done=False), *more, *parts(base, chunks[first:])]

    return events(sent)


def _after_first(change: Callable[[Any], Any]) -> Play:
    """Make a fault that sends, after the first piece of the answer, a chunk made from it."""

    def play(base: Healthy) -> Reply:
        chunks = base.chunks()
        first = piece_indexes(base, chunks)[0]
        more = change(copied(chunks[first]))
        return made(base, parts(base, [*chunks[: first + 1], more, *chunks[first + 1 :]]))

    return play


def _joined(base: Healthy) -> list[Part]:
    """Return the events, the first two pieces of the answer in one."""
    chunks = base.chunks()
    first, second, *_ = piece_indexes(base, chunks) * 2
    both = Event.data(dumped(chunks[first]) + dumped(chunks[second]))
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


def _each(change: Callable[[Any], Any]) -> Play:
    """Make a fault that changes each chunk that has a choice."""
    return edits(lambda chunks: [chunk if choice(chunk) is None else change(chunk) for chunk in chunks])


def _at_finish(change: Callable[[Any], Any]) -> Play:
    """Make a fault that changes the chunk with the reason."""

    def changed(chunks: list[Any]) -> list[Any]:
        finish = finish_index(chunks)
        return [*chunks[:finish], change(chunks[finish]), *chunks[finish + 1 :]]

    return edits(changed)


def _without(key: str) -> Callable[[Any], Any]:
    return lambda chunk: {name: value for name, value in chunk.items() if name != key}


def _as_message(chunk: Any) -> Any:
    first = {("message" if key == "delta" else key): value for key, value in (choice(chunk) or {}).items()}
    return {**chunk, "choices": [first]}


def _text(chunk: Any) -> Any:
    """Return the text of a chunk, or None."""
    first = choice(chunk)
    text = first["delta"].get("content") if first is not None else None
    return text if isinstance(text, str) and text else None


def _saying(chunk: Any, text: str) -> Any:
    return on_delta(lambda delta: {**delta, "content": text})(chunk)


def _cumulative(chunks: Iterable[Any]) -> Iterator[Any]:
    said = ""
    for chunk in chunks:
        said += _text(chunk) or ""
        yield chunk if _text(chunk) is None else _saying(chunk, said)


def _twice(chunks: Iterable[Any]) -> list[Any]:
    return [one for chunk in chunks for one in ([chunk] if _text(chunk) is None else [chunk, chunk])]


def _swapped(chunks: list[Any]) -> list[Any]:
    """Exchange the first two pieces of text."""
    spoken = [index for index, chunk in enumerate(chunks) if _text(chunk) is not None]
    changed = list(chunks)
    for one, other in zip(spoken[:2], reversed(spoken[:2]), strict=True):
        changed[one] = chunks[other]
    return changed


def _in_parts(delta: dict[str, Any]) -> Any:
    text = delta.get("content")
    return {**delta, "content": [{"type": "text", "text": text}]} if text else delta


def _in_capitals(chunk: Any) -> Any:
    return chunk_with(_saying(chunk, (_text(chunk) or "").upper()), index=1)


def _with_another(chunks: Iterable[Any]) -> list[Any]:
    return [one for chunk in chunks for one in ([chunk] if choice(chunk) is None else [chunk, _in_capitals(chunk)])]


_OFFSETS: Final = {"content_filter_offsets": {"check_offset": 0}}


def _null_delta(chunk: Any, **more: Any) -> Any:
    first = {**(choice(chunk) or {}), "delta": None, **more}
    return {**chunk, "choices": [first]}


_broken = functools.partial(Fault, draw="same", scope="partial", wish="surface", wires=("openai.chat",))
_odd = functools.partial(Fault, draw="same", scope="partial", wish="survive", wires=("openai.chat",))

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
        sources=("https://github.com/openai/openai-python/issues/663", "https://github.com/sourcegraph/cody/pull/3481"),
    ),
    _odd(
        name="stream.event_foreign",
        play=_before_first(with_event({"rate_limit_usage": {"used": 1}})),
        meaning="One event has an object of another kind.",
        slot="choices",
        sources=("https://github.com/TheR1D/shell_gpt/issues/353", "https://github.com/pydantic/logfire/issues/64"),
    ),
    _odd(
        name="stream.event_null",
        play=_before_first(with_event(None)),
        meaning="One event is the JSON null.",
        sources=("https://github.com/pydantic/logfire/issues/64",),
    ),
    _odd(
        name="stream.comment_in_data",
        play=events(lambda base: (Event.data(": OPENROUTER PROCESSING"), *parts(base))),
        meaning="A comment is wrapped in an event.",
        sources=("https://github.com/mnfst/llm-gateway/issues/2053",),
    ),
    _odd(
        name="stream.data_empty",
        play=_before_each(Event.data("")),
        meaning="An event has no data.",
        sources=("https://github.com/lidge-jun/opencodex/pull/1188",),
    ),
    _odd(
        name="stream.choices_absent",
        play=_after_first(_without("choices")),
        meaning="A chunk in the midst has no choices.",
        slot="choices",
        sources=("https://github.com/huggingface/huggingface_hub/issues/2514",),
    ),
    _odd(
        name="stream.choices_null",
        play=_after_first(lambda chunk: {**chunk, "choices": None}),
        meaning="A chunk in the midst has choices that are null.",
        slot="choices",
        sources=(
            "https://github.com/huggingface/huggingface_hub/issues/2514",
            "https://github.com/pydantic/logfire/issues/64",
        ),
    ),
    _odd(
        name="stream.choices_empty",
        play=_after_first(lambda chunk: {**chunk, "choices": []}),
        meaning="A chunk in the midst has no choice and no usage.",
        stays="Code that takes the first choice without a look raises IndexError.",
        slot="choices",
        sources=("https://github.com/pydantic/logfire/issues/64",),
    ),
    _odd(
        name="stream.choices_unsolicited",
        play=edits(_with_another),
        meaning="A stream of several choices comes although one was asked.",
        slot="choices",
        sources=("https://github.com/BerriAI/litellm/pull/15962",),
    ),
    _odd(
        name="stream.delta_absent",
        play=_after_first(lambda chunk: {**chunk, "choices": [{"index": 0, "finish_reason": None}]}),
        meaning="A chunk in the midst has no delta.",
        slot="message",
        sources=("https://github.com/bagofwords1/bagofwords/pull/742",),
    ),
    _odd(
        name="stream.delta_null",
        play=_after_first(lambda chunk: _null_delta(chunk, **_OFFSETS)),
        meaning="A chunk in the midst has a delta that is null.",
        stays=_stays.WRONG_TYPE,
        slot="message",
        sources=(
            "https://github.com/bagofwords1/bagofwords/pull/742",
            "https://github.com/agentscope-ai/agentscope/issues/1003",
            "https://github.com/run-llama/llama_index/issues/16570",
        ),
    ),
    _odd(
        name="stream.delta_null_at_finish",
        play=_at_finish(_null_delta),
        meaning="The delta of the finish chunk is null.",
        slot="message",
        sources=("https://github.com/microsoft/agent-framework/pull/5734",),
    ),
    _odd(
        name="stream.delta_as_message",
        play=_each(_as_message),
        meaning="The chunks have the field of a whole reply.",
        slot="message",
        scope="total",
        wish="once",
        sources=("https://github.com/BerriAI/litellm/issues/25766",),
    ),
    _odd(
        name="stream.role_in_each",
        play=_each(on_delta(lambda delta: {**delta, "role": "assistant"})),
        meaning="Each chunk has the role.",
        stays="Code that begins a message at each role shows many.",
        slot="message",
        sources=("https://github.com/langchain-ai/langchain-litellm/pull/59",),
    ),
    _broken(
        name="stream.content_cumulative",
        play=edits(_cumulative),
        meaning="Each piece is the whole text so far.",
        slot="content",
        sources=("https://github.com/QwenLM/qwen-code/pull/3896",),
    ),
    _broken(
        name="stream.content_repeated",
        play=edits(_twice),
        meaning="Each piece comes twice.",
        slot="content",
        sources=("https://github.com/QwenLM/qwen-code/pull/3896", "https://github.com/agno-agi/agent-ui/pull/151"),
    ),
    _broken(
        name="stream.content_swapped",
        play=edits(_swapped),
        meaning="Two pieces of the text come in the wrong order.",
        slot="content",
        sources=("https://github.com/agno-agi/agent-ui/pull/151",),
    ),
    _odd(
        name="stream.content_parts",
        play=_each(on_delta(_in_parts)),
        meaning="The pieces are lists of parts.",
        slot="content",
        sources=("https://github.com/openlit/openlit/issues/1597",),
    ),
)
