"""The wire openai.embeddings, judged by the official SDK: its models, its clients, and the vectors that it asks for."""

from __future__ import annotations

import asyncio
import base64
import json
import math
import struct
from typing import Any

import httpx2
import openai
import pytest
from openai.types import CreateEmbeddingResponse

from pytest_llmfaults import Answer, InvalidUse, Refused, Usage, inject, quota
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES, wire_at
from pytest_llmfaults._wires.openai_embeddings import vector

WIRE = WIRES["openai.embeddings"]
ASKED: Any = {"model": "text-embedding-3-small", "input": ["What now?", "And then?"]}


def request(**body: Any) -> Request:
    content = json.dumps({**ASKED, **body}).encode()
    return Request("POST", "https://api.openai.com/v1/embeddings", body=content, wire=WIRE.name)


def reply(answer: Answer | None = None, **body: Any) -> Any:
    return json.loads(healthy(WIRE, request(**body), answer or Answer()).reply.body)


def vectors(answer: Answer | None = None, **body: Any) -> list[list[float]]:
    return [one["embedding"] for one in reply(answer, **body)["data"]]


def similarity(one: str, other: str) -> float:
    return sum(a * b for a, b in zip(vector(one, 256), vector(other, 256), strict=True))


def test_a_healthy_reply_is_strictly_valid_for_the_official_types() -> None:
    for answer in (Answer(), Answer("Hold.", usage=Usage(5)), Answer(embeddings={"And then?": [0.6, 0.8]})):
        body = healthy(WIRE, request(), answer).reply.body
        parsed = CreateEmbeddingResponse.model_validate_json(body, strict=True)
        assert parsed.model_dump() == json.loads(body)
        assert parsed.usage.prompt_tokens == parsed.usage.total_tokens == answer.usage.prompt


def test_the_reply_follows_the_format_that_is_asked_for() -> None:
    for said in ({}, {"encoding_format": "float"}, {"encoding_format": None}):
        assert {type(one) for one in vectors(dimensions=4, **said)} == {list}
    packed: Any = vectors(dimensions=4, encoding_format="base64")
    numbers = [list(struct.unpack("<4f", base64.b64decode(one))) for one in packed]
    assert numbers == vectors(dimensions=4)


def test_the_dimension_is_what_is_asked_for_or_the_models() -> None:
    def lengths(**body: Any) -> set[int]:
        return {len(one) for one in vectors(**body)}

    assert lengths(dimensions=8) == {8}
    assert lengths() == lengths(model="another") == {1536}
    assert lengths(model="text-embedding-3-large") == {3072}
    assert lengths(answer=Answer(embeddings={"What now?": (1, 0, 0)})) == {3}


def test_a_vector_is_made_of_the_words() -> None:
    assert math.isclose(math.hypot(*vector("The cat sat.", 64)), 1.0, rel_tol=1e-6)
    assert vector("The cat sat.", 64) == vector("the CAT sat", 64) != vector("the cat ran", 64)
    assert similarity("a cat on a mat", "the cat on the mat") > 0.4 > abs(similarity("a cat on a mat", "stocks fell"))
    assert vector("", 8) != vector("?!", 8)
    assert len(vector("\ud800", 8)) == 8
    short, long = vector("What now?", 4), vector("What now?", 8)[:4]
    length = math.hypot(*long)
    assert all(math.isclose(a, b / length, rel_tol=1e-5) for a, b in zip(short, long, strict=True))
    assert vector("cat", 2) == (0.7356825470924377, 0.677326500415802)


@pytest.mark.parametrize(
    ("given", "count"),
    [("one", 1), (["one"], 1), (["one", "two"], 2), ([1, 2, 3], 1), ([[1, 2], [3]], 2), ([], 1), (None, 1), (7, 1)],
)
def test_there_is_a_vector_for_each_input(given: Any, count: int) -> None:
    found = reply(input=given, dimensions=4)["data"]
    assert [one["index"] for one in found] == list(range(count))


def test_given_vectors_go_to_their_texts_in_each_batch() -> None:
    answer = Answer(embeddings={"cat": [1, 0], "dog": [0.6, 0.8]})
    assert vectors(answer, input=["dog", "bird", "cat"])[::2] == [[0.6, 0.8], [1.0, 0.0]]
    assert vectors(answer, input="bird") == [list(vector("bird", 2))]
    assert repr(answer) == "Answer(embeddings={'cat': (1.0, 0.0), 'dog': (0.6, 0.8)})"
    assert answer == Answer(embeddings={"cat": (1.0, 0.0), "dog": (0.6, 0.8)}) != Answer()
    assert hash(Answer()) == hash(Answer(embeddings={}))
    several: Any = ({"a": [1], "b": [1, 2]}, {"cat": [math.nan]}, {"cat": "12"}, {"cat": []}, {1: [1.0]}, {"cat": 1.0})
    for bad in (*several, [1.0], None):
        with pytest.raises(InvalidUse, match=r"are no vectors of one length by their texts, such as"):
            Answer(embeddings=bad)


def test_the_official_clients_sync_and_async() -> None:
    async def ask() -> Any:
        return await openai.AsyncOpenAI().embeddings.create(**ASKED)

    with inject("ok") as seen:
        plain = openai.OpenAI().embeddings.create(**ASKED)
        floats = openai.OpenAI().embeddings.create(**ASKED, encoding_format="float")
        aplain = asyncio.run(ask())
    assert plain == aplain == floats
    assert [one.embedding for one in plain.data] == [list(vector(text, 1536)) for text in ASKED["input"]]
    assert [one.field("encoding_format") for one in seen.requests] == ["base64", "float", "base64"]
    assert {one.wire for one in seen.requests} == {"openai.embeddings"}
    assert seen.streams == []


@pytest.mark.parametrize("base", ["https://api.openai.com/v1", "http://127.0.0.1:8000/v1", "https://x.example.com"])
def test_any_base_url(base: str) -> None:
    with inject("ok") as seen:
        openai.OpenAI(base_url=base).embeddings.create(**ASKED)
    assert seen.requests[0].url == f"{base}/embeddings"


def test_a_path_that_is_known_to_be_another_providers_is_none_of_ours() -> None:
    assert wire_at("/openai/deployments/small/embeddings") == "openai.embeddings"
    assert wire_at("/api/embeddings") is None
    with pytest.raises(Refused, match=r"is on the wire ollama\.embed"), inject("ok"):
        httpx2.post("http://127.0.0.1:11434/api/embeddings", json={"model": "all-minilm", "prompt": "x"})


def test_a_quota_holds_for_vectors() -> None:
    with inject(quota(requests=1, per_seconds=20)) as seen:
        for _ in range(2):
            openai.OpenAI().embeddings.create(**ASKED)
    assert [one.status for one in seen.replies] == [200, 429, 200]
    assert seen.waits == [0.0, 20.0]
