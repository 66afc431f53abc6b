"""Streams in which a chunk is not what it should be."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from pytest_llmfaults._faults._choices import choice, chunk_with, last_choice, on_delta
from pytest_llmfaults._faults._edit import ABSENT, Play
from pytest_llmfaults._faults._fault import Fault, Healthy, copied
from pytest_llmfaults._faults._streams import edits, events, made, parts, piece_indexes, stream_of
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import Piece

__all__ = ["ROWS"]


def _after_first(change: Callable[[Any], Any]) -> Play:
    """Make a fault that sends, after the first piece of the answer, a chunk made from it."""

    def play(base: Healthy) -> Reply:
        chunks = base.chunks()
        first = piece_indexes(base, chunks)[0]
        more = change(copied(chunks[first]))
        return made(base, parts(base, [*chunks[: first + 1], more, *chunks[first + 1 :]]))

    return play


def _each(change: Callable[[Any], Any]) -> Play:
    """Make a fault that changes each chunk that has a choice."""
    return edits(lambda chunks: [chunk if choice(chunk) is None else change(chunk) for chunk in chunks])


def _at_finish(change: Callable[[Any], Any]) -> Play:
    """Make a fault that changes the chunk with the reason."""

    def changed(chunks: list[Any]) -> list[Any]:
        finish = last_choice(chunks)
        return [*chunks[:finish], change(chunks[finish]), *chunks[finish + 1 :]]

    return edits(changed)


def _with_choices(value: Any) -> Play:
    """Make a fault that sends, after the first piece of the answer, the same chunk with other choices."""
    return lambda base: _after_first(lambda chunk: base.put(chunk, "choices", value))(base)


def _as_message(chunk: Any) -> Any:
    first = {("message" if key == "delta" else key): value for key, value in (choice(chunk) or {}).items()}
    return {**chunk, "choices": [first]}


def _spoken(change: Callable[[Piece, list[Any]], Iterable[Any]]) -> Play:
    """Make a fault that streams ``change(text, chunks)``, where ``text`` is how a chunk has a piece of the text."""
    return events(lambda base: parts(base, change(stream_of(base).text, base.chunks())))


def _cumulative(text: Piece, chunks: list[Any]) -> Iterator[Any]:
    said = ""
    for chunk in chunks:
        said += text.read(chunk) or ""
        yield chunk if text.read(chunk) is None else text.write(chunk, said)


def _twice(text: Piece, chunks: list[Any]) -> list[Any]:
    return [one for chunk in chunks for one in ([chunk] if text.read(chunk) is None else [chunk, chunk])]


def _swapped(text: Piece, chunks: list[Any]) -> list[Any]:
    """Exchange the first two pieces of text."""
    spoken = [index for index, chunk in enumerate(chunks) if text.read(chunk) is not None]
    changed = list(chunks)
    for one, other in zip(spoken[:2], reversed(spoken[:2]), strict=True):
        changed[one] = chunks[other]
    return changed


def _in_parts(delta: dict[str, Any]) -> Any:
    text = delta.get("content")
    return {**delta, "content": [{"type": "text", "text": text}]} if text else delta


def _in_capitals(chunk: Any) -> Any:
    spoken = on_delta(lambda delta: {**delta, "content": str(delta.get("content") or "").upper()})
    return chunk_with(spoken(chunk), index=1)


def _with_another(chunks: Iterable[Any]) -> list[Any]:
    return [one for chunk in chunks for one in ([chunk] if choice(chunk) is None else [chunk, _in_capitals(chunk)])]


_OFFSETS: Final = {"content_filter_offsets": {"check_offset": 0}}


def _null_delta(chunk: Any, **more: Any) -> Any:
    first = {**(choice(chunk) or {}), "delta": None, **more}
    return {**chunk, "choices": [first]}


_broken = functools.partial(Fault, draw="same", scope="partial", wish="surface")
_odd = functools.partial(Fault, draw="same", scope="partial", wish="survive", touches=("delta",))
_bare = functools.partial(Fault, slot="choices", draw="same", scope="partial", wish="survive")

ROWS: Final = (
    _bare(
        name="stream.choices_absent",
        play=_with_choices(ABSENT),
        meaning="A chunk in the midst has no choices.",
        sources=("https://github.com/huggingface/huggingface_hub/issues/2514",),
    ),
    _bare(
        name="stream.choices_null",
        play=_with_choices(None),
        meaning="A chunk in the midst has choices that are null.",
        sources=(
            "https://github.com/huggingface/huggingface_hub/issues/2514",
            "https://github.com/pydantic/logfire/issues/64",
        ),
    ),
    _bare(
        name="stream.choices_empty",
        play=_with_choices([]),
        meaning="A chunk in the midst has no choice and no usage.",
        stays="Code that takes the first choice without a look raises IndexError.",
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
        play=_spoken(_cumulative),
        meaning="Each piece is the whole text so far.",
        slot="content",
        sources=("https://github.com/QwenLM/qwen-code/pull/3896",),
    ),
    _broken(
        name="stream.content_repeated",
        play=_spoken(_twice),
        meaning="Each piece comes twice.",
        slot="content",
        sources=("https://github.com/QwenLM/qwen-code/pull/3896", "https://github.com/agno-agi/agent-ui/pull/151"),
    ),
    _broken(
        name="stream.content_swapped",
        play=_spoken(_swapped),
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
