"""Calls that come in odd pieces: indexes, ids and names of deltas, and streams that end in the arguments."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from pytest_llmfaults._faults._choices import choice, chunk_with
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, copied
from pytest_llmfaults._faults._message import halves
from pytest_llmfaults._faults._streams import argument_pieces, done_of, events, made, parts, stream_of
from pytest_llmfaults._faults.tools_one import several
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires._encoding import Part

__all__ = ["ROWS"]

Call = dict[str, Any]
Change = Callable[[Call, int, int], Iterable[Call]]
"""What becomes of one delta of a call: from the delta, the call's number and the delta's number in the call."""


def _delta_of(chunk: Any) -> Call | None:
    """Return the delta of a call in a chunk, or None."""
    first = choice(chunk)
    calls = first["delta"].get("tool_calls") if first is not None else None
    found: Call | None = calls[0] if calls else None
    return found


def _with_delta(chunk: Any, call: Call) -> Any:
    return chunk_with(chunk, {"tool_calls": [call]})


def _pieces(change: Change, *, two: bool = False) -> Play:
    """Make a fault that changes each delta of a call; with ``two``, a lone call comes twice."""

    def play(base: Healthy) -> Reply:
        envelope = base.envelope()
        if two:
            envelope = base.put(envelope, "tool_calls", several(base))
        return made(base, parts(base, _changed(stream_of(base).chunks(envelope, base.request), change)))

    return play


def _changed(chunks: Iterable[Any], change: Change) -> Iterator[Any]:
    seen: Counter[int] = Counter()
    for chunk in chunks:
        call = _delta_of(chunk)
        if call is None:
            yield chunk
            continue
        number = call["index"]
        yield from (_with_delta(chunk, one) for one in change(copied(call), number, seen[number]))
        seen[number] += 1


def _of_call(numbers: Callable[[int], bool], change: Callable[[Call], Call]) -> Change:
    """Change the deltas of some calls."""
    return lambda call, number, _piece: [change(call) if numbers(number) else call]


def _function(change: Callable[[Call, int], Call]) -> Change:
    """Change the function in each delta, by the number of the delta."""
    return lambda call, _number, piece: [{**call, "function": change(call["function"], piece)}]


def _without_index(call: Call) -> Call:
    return {key: value for key, value in call.items() if key != "index"}


def _new_id(call: Call, number: int, piece: int) -> list[Call]:
    return [{**call, "id": f"call_{number}_{piece}"}]


def _nulls(call: Call, _number: int, piece: int) -> list[Call]:
    if not piece:
        return [call]
    return [{**call, "id": None, "type": None, "function": {"name": None, **call["function"]}}]


def _split_name(call: Call, _number: int, piece: int) -> list[Call]:
    if piece:
        return [call]
    first, second = halves(call["function"]["name"])
    rest = {"index": call["index"], "function": {"name": second}}
    return [{**call, "function": {**call["function"], "name": first}}, rest]


def _whole_calls(base: Healthy, change: Callable[[Call, int], Call]) -> Iterator[Any]:
    """Yield the chunks, each call whole in one delta."""
    calls = several(base)
    chunks = stream_of(base).chunks(base.put(base.envelope(), "tool_calls", calls), base.request)
    for chunk in chunks:
        call = _delta_of(chunk)
        if call is None:
            yield chunk
        elif "name" in call["function"]:
            number = call["index"]
            yield _with_delta(chunk, change({"index": number, **calls[number]}, number))


def _named(base: Healthy) -> Iterator[Any]:
    """Yield the chunks, the name of its call in each delta."""
    names = [call["function"]["name"] for call in base.value("tool_calls")]
    return _changed(
        base.chunks(),
        lambda call, number, _piece: [{**call, "function": {"name": names[number], **call["function"]}}],
    )


def _late_name(base: Healthy) -> Iterator[Any]:
    """Yield the chunks: of the first call an empty name, then name and arguments at once."""
    first, *_ = base.value("tool_calls")
    for chunk in base.chunks():
        call = _delta_of(chunk)
        if call is None or call["index"] > 0:
            yield chunk
        elif "name" in call["function"]:
            yield _with_delta(chunk, {**call, "function": {**call["function"], "name": ""}})
            yield _with_delta(chunk, {"index": 0, **first})


def _cumulative(base: Healthy) -> Iterator[Any]:
    stream, arguments = stream_of(base), argument_pieces(base)
    said: dict[int | None, str] = {}
    for chunk in base.chunks():
        text, number = arguments.read(chunk), stream.call(chunk)
        if text is None:
            yield chunk
            continue
        said[number] = said.get(number, "") + text
        yield arguments.write(chunk, said[number])


def _one_chunk(base: Healthy) -> list[Part]:
    """Return the whole answer in one chunk, the calls without index and id."""
    calls = [{"function": call["function"], "id": "", "type": "function"} for call in base.value("tool_calls")]
    first, *_ = base.chunks()
    whole = chunk_with(first, {"role": "assistant", "tool_calls": calls}, finish_reason="stop")
    return parts(base, [{**whole, "usage": base.value("usage")}])


def _with_stub(base: Healthy) -> list[Part]:
    stub = {"function_call": {"name": "", "arguments": ""}}
    chunks = [
        chunk if choice(chunk) is None else chunk_with(chunk, {**choice(chunk)["delta"], **stub})  # type: ignore[index]
        for chunk in base.chunks()
    ]
    return parts(base, chunks)


def _in_arguments(*, done: bool) -> Play:
    """Make a fault whose stream ends before the last piece of the first call's arguments."""

    def sent(base: Healthy) -> list[Part]:
        chunks = base.chunks()
        numbers = [stream_of(base).call(chunk) for chunk in chunks]
        first = min(number for number in numbers if number is not None)
        last = max(index for index, number in enumerate(numbers) if number == first)
        return [*parts(base, chunks[:last], done=False), *([done_of(base)] if done else ())]

    return events(sent)


_odd = functools.partial(
    Fault,
    draw="depends",
    scope="partial",
    wish="survive",
    slot="tool_calls",
    needs="tool_calls",
    streamed="only",
    touches=("delta",),
)
_each = functools.partial(Fault, draw="depends", scope="partial", needs="tool_calls", streamed="only")
_cut = functools.partial(
    Fault,
    draw="fresh",
    scope="total",
    wish="surface",
    slot="arguments",
    needs="tool_calls",
    streamed="only",
)

ROWS: Final = (
    _odd(
        name="tools.index_absent",
        play=_pieces(_of_call(lambda number: number == 0, _without_index)),
        meaning="The pieces of the only call, or of the first, have no index.",
        sources=("https://github.com/openai/openai-python/pull/3246",),
    ),
    _odd(
        name="tools.index_absent_two",
        play=_pieces(_of_call(lambda _number: True, _without_index), two=True),
        meaning="The pieces of two calls have no index.",
        sources=("https://github.com/jin-bo/agentao/pull/117",),
    ),
    _odd(
        name="tools.index_mixed",
        play=_pieces(_of_call(lambda number: number > 0, _without_index), two=True),
        meaning="The pieces of the first call have an index and those of the second have none.",
        sources=("https://github.com/jin-bo/agentao/pull/117",),
    ),
    _odd(
        name="tools.index_shared",
        play=events(lambda base: parts(base, _whole_calls(base, lambda call, _number: {**call, "index": 0}))),
        meaning="Two calls come whole with the same index.",
        sources=(
            "https://github.com/huggingface/smolagents/pull/1958",
            "https://raw.githubusercontent.com/nousresearch/hermes-agent/main/agent/chat_completion_helpers_tool_calls.py",
        ),
    ),
    _odd(
        name="tools.index_null",
        play=_pieces(_of_call(lambda _number: True, lambda call: {**call, "index": None})),
        meaning="The index of each piece is null.",
        sources=("https://github.com/openai/openai-python/pull/3246",),
    ),
    _odd(
        name="tools.index_from_one",
        play=_pieces(_of_call(lambda _number: True, lambda call: {**call, "index": call["index"] + 1})),
        meaning="The index of the first call is one.",
        stays="Code that uses the index as a place in a list leaves a hole, or raises.",
        sources=("https://github.com/langchain-ai/langchain/issues/38675",),
    ),
    _odd(
        name="tools.id_each",
        play=_pieces(_new_id),
        meaning="Each piece of one call has a new id.",
        slot="tool_call_id",
        sources=(
            "https://raw.githubusercontent.com/nousresearch/hermes-agent/main/agent/chat_completion_helpers_tool_calls.py",
        ),
    ),
    _odd(
        name="tools.nulls_in_pieces",
        play=_pieces(_nulls),
        meaning="The later pieces of a call have a null id, type and name.",
        stays="A client with a model of the pieces refuses null; code that joins texts raises.",
        sources=(
            "https://github.com/langgenius/dify-plugin-sdks/pull/82",
            "https://github.com/strands-agents/harness-sdk/issues/1259",
        ),
    ),
    _odd(
        name="tools.name_split",
        play=_pieces(_split_name),
        meaning="The name is split over two pieces.",
        stays="A client that takes each name as whole has half of it.",
        sources=("https://github.com/continuedev/continue/pull/5849",),
    ),
    _odd(
        name="tools.name_repeated",
        play=events(lambda base: parts(base, _named(base))),
        meaning="Each piece repeats the name.",
        sources=("https://github.com/continuedev/continue/pull/5849",),
    ),
    _odd(
        name="tools.name_late",
        play=events(lambda base: parts(base, _late_name(base))),
        meaning="The first piece has an empty name and the second has the name.",
        stays="A client that takes the first name that comes has none.",
        sources=("https://github.com/jjang-ai/vmlx/pull/244",),
    ),
    _odd(
        name="tools.arguments_null_first",
        play=_pieces(_function(lambda function, piece: function if piece else {**function, "arguments": None})),
        meaning="The first piece of a call has arguments that are null.",
        stays="Code that adds the pieces without a look at null raises.",
        slot="arguments",
        sources=("https://github.com/open-webui/open-webui/issues/27195",),
    ),
    _each(
        name="tools.arguments_cumulative",
        play=events(lambda base: parts(base, _cumulative(base))),
        meaning="Each piece has the whole arguments so far.",
        touches=("argument_pieces",),
        slot="arguments",
        wish="surface",
        sources=("https://github.com/QwenLM/qwen-code/pull/3896",),
    ),
    _odd(
        name="tools.one_chunk_no_index",
        play=events(_one_chunk),
        meaning="The whole call comes in one chunk without an index, with an empty id and the reason stop.",
        sources=("https://discuss.ai.google.dev/t/openai-compatibilioty-with-jnodejs-error/50746?page=2",),
    ),
    _odd(
        name="tools.legacy_stub",
        play=events(_with_stub),
        meaning="Each chunk has an empty stub of the legacy call.",
        stays="A client that looks for the old call first finds an empty one.",
        sources=("https://github.com/CangShui/workbuddy-gateway/pull/3",),
    ),
    _cut(
        name="tools.eof_in_arguments",
        play=_in_arguments(done=False),
        meaning="The stream ends cleanly inside the arguments.",
        touches=("argument_pieces",),
        sources=("https://github.com/brightwave-inc/tidebreak/issues/1124",),
    ),
    _cut(
        name="tools.done_in_arguments",
        play=_in_arguments(done=True),
        meaning="The end mark comes inside the arguments.",
        touches=("argument_pieces", "end_mark"),
        sources=(
            "https://github.com/brightwave-inc/tidebreak/issues/1124",
            "https://github.com/waybarrios/vllm-mlx/pull/673",
        ),
    ),
)
