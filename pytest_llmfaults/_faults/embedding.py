"""Vectors that are missing, of another length or format, not numbers, or in another order than the inputs."""

from __future__ import annotations

import base64
import functools
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final

from pytest_llmfaults._faults._edit import ABSENT, Play, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires.openai_embeddings import decoded, encoded
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

_OBJECT: Final = "https://platform.openai.com/docs/api-reference/embeddings/object"
_NOT_NUMBERS: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def _numbers(change: Callable[[list[float]], Sequence[Any]]) -> Play:
    """Make a fault that changes the numbers of the first vector, in the format that was asked for."""

    def play(base: Healthy) -> Reply:
        held = base.held("embedding")
        changed = change(decoded(held))
        return put("embedding", encoded(changed) if isinstance(held, str) else list(changed))(base)

    return play


def _with_one(base: Healthy, value: str) -> Reply:
    return _numbers(lambda numbers: [_NOT_NUMBERS[value], *numbers[1:]])(base)


def _items(change: Callable[[list[Any]], list[Any]]) -> Play:
    """Make a fault that changes a list of several vectors."""

    def play(base: Healthy) -> Reply:
        items = base.held("data")
        if len(items) < 2:
            msg = "it is about one vector among several, and the reply has one. Ask for two inputs or more."
            raise DoesNotApply(msg)
        return put("data", change(items))(base)

    return play


def _each(change: Callable[[Any], Any]) -> Play:
    """Make a fault that changes each vector as it stands in the reply."""
    return rewrite("data", lambda items: [{**item, "embedding": change(item["embedding"])} for item in items])


def _twice_as_long(embedding: Any) -> Any:
    numbers = [number / math.sqrt(2) for number in decoded(embedding)] * 2
    return encoded(numbers) if isinstance(embedding, str) else numbers


def _in_other_format(embedding: Any) -> Any:
    return decoded(embedding) if isinstance(embedding, str) else encoded(embedding)


def _of_bytes(change: Callable[[list[float]], bytes]) -> Play:
    """Make a fault that sends other bytes as base64."""

    def play(base: Healthy) -> Reply:
        held = base.held("embedding")
        if not isinstance(held, str):
            msg = "it is about base64, and the request asks for numbers. Let it say encoding_format='base64'."
            raise DoesNotApply(msg)
        return put("embedding", base64.b64encode(change(decoded(held))).decode())(base)

    return play


def _packed(numbers: Sequence[float], kind: str) -> bytes:
    return struct.pack(f"<{len(numbers)}{kind}", *numbers)


_row = functools.partial(Fault, slot="embedding", draw="depends", wish="surface")
_list = functools.partial(Fault, slot="data", draw="fresh", wish="surface", touches=("embedding",))

ROWS: Final = (
    _list(
        name="envelope.data_absent",
        play=put("data", ABSENT),
        meaning="There is no list of vectors.",
        sources=("https://github.com/openai/openai-python/pull/2369",),
    ),
    _list(
        name="envelope.data_null",
        play=put("data", None),
        meaning="The list of vectors is null.",
        sources=(
            "https://github.com/openai/openai-python/pull/2369",
            "https://github.com/run-llama/llama_index/issues/9611",
        ),
    ),
    _list(
        name="envelope.data_empty",
        play=put("data", []),
        meaning="The list of vectors is empty.",
        sources=(
            "https://github.com/assafelovic/gpt-researcher/issues/1526",
            "https://github.com/vercel/ai/pull/20356",
        ),
    ),
    _list(
        name="embedding.one_missing",
        play=_items(lambda items: items[:-1]),
        scope="partial",
        meaning="There is a vector fewer than there are inputs.",
        sources=(
            "https://github.com/gpustack/gpustack/issues/513",
            "https://github.com/mem0ai/mem0/issues/6030",
            "https://github.com/vercel/ai/issues/20359",
        ),
    ),
    _list(
        name="embedding.index_zero_each",
        play=_items(lambda items: [{**item, "index": 0} for item in items]),
        draw="same",
        scope="partial",
        meaning="The vectors are in the order of the inputs, and the index of each is zero.",
        sources=(
            "https://github.com/BerriAI/litellm/pull/25656",
            "https://github.com/ikawrakow/ik_llama.cpp/pull/1303",
        ),
    ),
    _list(
        name="embedding.index_from_one",
        play=_items(lambda items: [{**item, "index": item["index"] + 1} for item in items]),
        scope="partial",
        meaning="The vectors are in the order of the inputs, and their indexes begin with one.",
        sources=("https://github.com/xorbitsai/inference/pull/5240",),
    ),
    _row(
        name="embedding.null",
        play=put("embedding", None),
        scope="partial",
        meaning="A vector is null.",
        sources=(
            "https://github.com/openai-php/client/issues/182",
            "https://github.com/lfnovo/esperanto/pull/136",
        ),
    ),
    _row(
        name="embedding.nulls",
        play=rewrite("embedding", lambda held: [None] * len(decoded(held))),
        scope="partial",
        meaning="Each number of a vector is null.",
        sources=(
            "https://github.com/huggingface/text-embeddings-inference/issues/51",
            "https://github.com/lfnovo/esperanto/pull/136",
        ),
    ),
    _row(
        name="embedding.empty",
        play=_numbers(lambda _numbers: []),
        scope="partial",
        meaning="A vector has no numbers.",
        sources=("https://github.com/huggingface/text-embeddings-inference/issues/557",),
    ),
    _row(
        name="embedding.zeros",
        play=_numbers(lambda numbers: [0.0] * len(numbers)),
        scope="partial",
        meaning="Each number of a vector is zero, so that it has no direction.",
        sources=(
            "https://github.com/ollama/ollama/issues/12611",
            "https://github.com/run-llama/llama_index/pull/23050",
        ),
    ),
    _row(
        name="embedding.nan",
        play=_with_one,
        scope="partial",
        meaning="A number of a vector is none: in a list a word that JSON does not have, in base64 its bits.",
        parameters=(Parameter("value", "NaN", choices=tuple(_NOT_NUMBERS)),),
        sources=(
            "https://github.com/ollama/ollama/issues/14657",
            "https://github.com/langgenius/dify/issues/11827",
            "https://github.com/HKUDS/LightRAG/pull/3553",
        ),
    ),
    _row(
        name="embedding.shorter",
        play=_numbers(lambda numbers: numbers[: len(numbers) // 2]),
        draw="same",
        scope="partial",
        wish="once",
        meaning="A vector has half as many numbers as the others.",
        sources=(
            "https://github.com/plastic-labs/honcho/issues/625",
            "https://github.com/HKUDS/LightRAG/issues/3232",
        ),
    ),
    _list(
        name="embedding.dimensions_ignored",
        play=_each(_twice_as_long),
        draw="same",
        wish="once",
        meaning="Each vector has twice as many numbers as was asked for.",
        sources=(
            "https://github.com/langchain-ai/langchain/issues/24378",
            "https://github.com/plastic-labs/honcho/issues/625",
        ),
    ),
    _row(
        name="embedding.nested",
        play=rewrite("embedding", lambda held: [decoded(held)]),
        draw="same",
        wish="once",
        meaning="A vector is a list of vectors, one for each token.",
        sources=(
            "https://github.com/abetlen/llama-cpp-python/pull/1380",
            "https://github.com/vllm-project/vllm/pull/5935",
        ),
    ),
    _list(
        name="embedding.other_format",
        play=_each(_in_other_format),
        draw="same",
        wish="survive",
        meaning="The vectors come in the format that was not asked for: numbers for base64, or base64 for numbers.",
        sources=(
            "https://github.com/runpod-workers/worker-infinity-embedding/issues/30",
            "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/756",
            "https://github.com/mem0ai/mem0/pull/4058",
        ),
    ),
    _row(
        name="embedding.base64_doubles",
        play=_of_bytes(lambda numbers: _packed(numbers, "d")),
        draw="same",
        wish="once",
        meaning="The base64 holds 64-bit floats, which read as twice as many numbers without sense.",
        sources=("https://github.com/vllm-project/vllm/pull/5935",),
    ),
    _row(
        name="embedding.base64_odd_bytes",
        play=_of_bytes(lambda numbers: _packed(numbers, "f")[:-1]),
        draw="fresh",
        wish="retry",
        meaning="The base64 holds a number of bytes that no 32-bit floats have.",
        sources=(_OBJECT,),
    ),
    _list(
        name="control.embeddings_reordered",
        play=_items(lambda items: items[::-1]),
        draw="same",
        scope="partial",
        wish="survive",
        meaning="The vectors come in another order than the inputs, and the index says which is whose.",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/7284",
            "https://github.com/getzep/graphiti/pull/1732",
            "https://github.com/chroma-core/chroma/pull/344",
        ),
    ),
)
