"""Good streams whose chunks are cut, or placed, in an unusual way."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._choices import choice, chunk_with, first_choice, on_delta
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._streams import (
    argument_pieces,
    edits,
    events,
    finish_index,
    made,
    parts,
    piece_indexes,
    stream_of,
)
from pytest_llmfaults._faults.tools_one import several
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires._encoding import Part
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

_FILTERED: Final = {
    "id": "",
    "model": "",
    "choices": [],
    "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}],
}


def _with_usage(base: Healthy) -> list[Part]:
    """Return the stream with a chunk of usage that nobody asked for."""
    chunks = base.chunks()
    if any(choice(chunk) is None and chunk.get("usage") is not None for chunk in chunks):
        msg = "the chunk of the usage comes anyway. Leave stream_options out."
        raise DoesNotApply(msg)
    return parts(base, [*chunks, {**chunks[-1], "choices": [], "usage": base.value("usage")}])


def _null_usage(base: Healthy) -> list[Part]:
    """Return the stream with a null usage in each chunk before the one of the usage."""
    chunks = base.chunks()
    if all(choice(chunk) is not None for chunk in chunks):
        how = stream_of(base).asks.get("usage")
        told = "a stream of this host has no chunk of the usage."
        msg = told if how is None else f"the request asks for no usage. Let it ask: {how}."
        raise DoesNotApply(msg)
    return parts(base, [chunk if choice(chunk) is None else {**chunk, "usage": None} for chunk in chunks])


def _first_filtered(base: Healthy) -> list[Part]:
    chunks = base.chunks()
    if choice(chunks[0]) is None:
        msg = "a stream of this host begins with such a chunk anyway."
        raise DoesNotApply(msg)
    return parts(base, [{**chunks[0], **_FILTERED}, *chunks])


def _role_null(chunks: list[Any]) -> list[Any]:
    first = first_choice(chunks)
    changed = on_delta(lambda delta: {**delta, "content": None})(chunks[first])
    return [*chunks[:first], changed, *chunks[first + 1 :]]


def _with_empty(base: Healthy) -> Iterator[Part]:
    stream = stream_of(base)
    for chunk in base.chunks():
        yield stream.event(chunk)
        if stream.said(chunk):
            yield stream.event(stream.text.write(chunk, ""))
    yield from parts(base, ())


def _goes_on(*more: str) -> Play:
    """Make a fault whose text goes on with these pieces."""

    def changed(base: Healthy) -> list[Part]:
        chunks, stream = base.chunks(), stream_of(base)
        last = max((index for index, chunk in enumerate(chunks) if stream.said(chunk)), default=None)
        if last is None:
            msg = "it goes on with the text, and the answer has none. Give answer=Answer('text')."
            raise DoesNotApply(msg)
        further = [stream.text.write(chunks[last], piece) for piece in more]
        return parts(base, [*chunks[: last + 1], *further, *chunks[last + 1 :]])

    return events(changed)


def _finish_with_last(base: Healthy) -> list[Part]:
    """Return the stream whose last piece brings the reason, and all else that comes with the reason."""
    chunks = base.chunks()
    last, finish = piece_indexes(base, chunks)[-1], finish_index(base, chunks)
    ended = base.put(chunks[last], "finish", base.slot("finish").get(chunks[finish]))
    whole = base.put(chunks[finish], "choices", base.slot("choices").get(ended))
    return parts(base, [*chunks[:last], whole, *chunks[finish + 1 :]])


def _thinking_first(base: Healthy) -> list[Part]:
    """Return the stream with thoughts under two names before the answer."""
    chunks = base.chunks()
    first = piece_indexes(base, chunks)[0]
    thoughts = [
        chunk_with(chunks[first_choice(chunks)], {"content": None, "reasoning": piece, "reasoning_content": piece})
        for piece in ("First ", "I look.")
    ]
    return parts(base, [*chunks[:first], *thoughts, *chunks[first:]])


def _index(chunk: Any) -> int | None:
    """Return the index of the call that a chunk brings a piece of, or None."""
    calls = (choice(chunk) or {"delta": {}})["delta"].get("tool_calls")
    return calls[0]["index"] if calls else None


def _alternating(base: Healthy) -> Reply:
    """Stream the pieces of two calls by turns."""
    calls = several(base)
    chunks = stream_of(base).chunks(base.put(base.envelope(), "tool_calls", calls), base.request)
    numbers: dict[int, int] = {}
    keyed = []
    for place, chunk in enumerate(chunks):
        index = _index(chunk)
        if index is not None:
            numbers[index] = numbers.get(index, -1) + 1
        keyed.append((0 if index is None else 1, numbers[index] if index is not None else place, place, chunk))
    first = next(place for place, chunk in enumerate(chunks) if _index(chunk) is not None)
    last = max(place for place, chunk in enumerate(chunks) if _index(chunk) is not None)
    middle = sorted(keyed[first : last + 1], key=lambda one: one[1:3])
    return made(base, parts(base, [*chunks[:first], *(one[3] for one in middle), *chunks[last + 1 :]]))


def _letters(base: Healthy) -> list[Part]:
    """Return the stream with a delta for each character of the arguments."""
    arguments = argument_pieces(base)
    found: list[Any] = []
    for chunk in base.chunks():
        letters = [arguments.write(chunk, letter) for letter in arguments.read(chunk) or ""]
        found += letters or [chunk]
    return parts(base, found)


def _several_choices(base: Healthy) -> list[Part]:
    """Return the stream of the n choices that the request asks for, piece by piece."""
    count = base.request.field("n")
    if not isinstance(count, int) or count < 2:
        msg = "the request asks for one choice. Let it ask for several: n=2."
        raise DoesNotApply(msg)
    found = []
    for chunk in base.chunks():
        found += [chunk] if choice(chunk) is None else [chunk_with(chunk, index=index) for index in range(count)]
    return parts(base, found)


_good = functools.partial(Fault, draw="same", scope="partial", wish="survive", streamed="only")
_chosen = functools.partial(_good, touches=("delta",))

ROWS: Final = (
    _chosen(
        name="control.stream_usage_chunk",
        play=events(_with_usage),
        meaning="The usage comes in a chunk without choices, although it was not asked.",
        slot="usage",
        sources=(
            "https://github.com/web-infra-dev/midscene/pull/3117",
            "https://github.com/pydantic/logfire/issues/64",
        ),
    ),
    _chosen(
        name="control.stream_usage_null_each",
        play=events(_null_usage),
        meaning="Each chunk before the last has a usage that is null.",
        stays=_stays.LOOKALIKE,
        slot="usage",
        sources=("https://github.com/openai/openai-agents-python/pull/2126",),
    ),
    _chosen(
        name="control.stream_filter_chunk_first",
        play=events(_first_filtered),
        meaning="The first chunk has no choices and the result of a filter.",
        stays=_stays.LOOKALIKE,
        slot="choices",
        sources=("https://github.com/pydantic/logfire/issues/64",),
    ),
    _chosen(
        name="control.stream_content_null_first",
        play=edits(_role_null),
        meaning="The role chunk has a content that is null.",
        stays=_stays.LOOKALIKE,
        slot="content",
        sources=("https://github.com/BerriAI/litellm/issues/9100",),
    ),
    _good(
        name="control.stream_content_empty_pieces",
        play=events(_with_empty),
        meaning="Empty pieces stand between the pieces of text.",
        stays=_stays.LOOKALIKE,
        slot="content",
        sources=("https://github.com/open-webui/open-webui/issues/23343",),
    ),
    _good(
        name="control.stream_whitespace_pieces",
        play=_goes_on("\n", " ", "\n", "end"),
        meaning="Some pieces of text are only white space.",
        slot="content",
        sources=("https://github.com/BerriAI/litellm/pull/15160",),
    ),
    _good(
        name="control.stream_same_pieces",
        play=_goes_on(" na", " na", " na"),
        meaning="Some pieces of text are the same.",
        slot="content",
        sources=("https://github.com/agno-agi/agent-ui/pull/151",),
    ),
    _good(
        name="control.stream_finish_with_text",
        play=events(_finish_with_last),
        meaning="The last piece of text comes with the reason.",
        stays=_stays.LOOKALIKE,
        slot="finish",
        touches=("choices",),
        sources=(
            "https://discuss.ai.google.dev/t/openai-compatibilioty-with-jnodejs-error/50746?page=2",
            "https://github.com/envoyproxy/ai-gateway/pull/2107",
        ),
    ),
    _chosen(
        name="control.stream_reasoning_pieces",
        play=events(_thinking_first),
        meaning="Thoughts come before the text, beside a content that is null.",
        slot="reasoning",
        sources=("https://github.com/BerriAI/litellm/issues/9100",),
    ),
    _chosen(
        name="control.stream_tools_interleaved",
        play=_alternating,
        meaning="The pieces of two calls alternate.",
        stays=_stays.LOOKALIKE,
        slot="arguments",
        needs="tool_calls",
        sources=("https://github.com/BerriAI/litellm/pull/15962",),
    ),
    _good(
        name="control.stream_arguments_letters",
        play=events(_letters),
        meaning="The arguments come letter by letter.",
        touches=("argument_pieces",),
        stays=_stays.LOOKALIKE,
        slot="arguments",
        needs="tool_calls",
        sources=("https://github.com/deeplethe/utopia/pull/764",),
    ),
    _chosen(
        name="control.stream_choices_interleaved",
        play=events(_several_choices),
        meaning="The pieces of several choices alternate.",
        stays=_stays.LOOKALIKE,
        slot="choices",
        sources=("https://github.com/BerriAI/litellm/pull/15962",),
    ),
)
