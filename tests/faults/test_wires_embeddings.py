"""What the rows make of openai.embeddings, and what the official SDK makes of that."""

from __future__ import annotations

import json
import math
from typing import Any

import openai
import pytest

from pytest_llmfaults import inject
from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE, fault, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires.openai_embeddings import decoded, vector
from pytest_llmfaults.errors import DoesNotApply, OtherWire

WIRE = WIRES["openai.embeddings"]
TEXTS = ["What now?", "And then?"]
FORMATS = ("float", "base64")


def reply(name: str, values: Any = None, **body: Any) -> Reply:
    row = CATALOGUE[name].with_values(values or {})
    content = json.dumps({**WIRE.example, **body}).encode()
    asked = Request("POST", "http://api.example.com/v1/embeddings", (), content, wire=WIRE.name)
    return row.reply(healthy(WIRE, asked, Answer(), needs=row.needs, fault=name))


def data(name: str, values: Any = None, **body: Any) -> Any:
    return json.loads(reply(name, values, **body).body)["data"]


def first(name: str, values: Any = None, **body: Any) -> Any:
    return data(name, values, **body)[0]["embedding"]


def created(name: str, **body: Any) -> Any:
    with inject(name):
        return openai.OpenAI(max_retries=0).embeddings.create(model="text-embedding-3-small", input=TEXTS, **body)


def test_lists() -> None:
    assert data("envelope.data_null") is None
    assert "data" not in json.loads(reply("envelope.data_absent").body)
    assert [one["index"] for one in data("embedding.one_missing")] == [0]
    assert [one["index"] for one in data("embedding.index_zero_each")] == [0, 0]
    assert [one["index"] for one in data("embedding.index_from_one")] == [1, 2]
    assert [one["index"] for one in data("control.embeddings_reordered")] == [1, 0]
    assert [one.get("index") for one in data("envelope.index_absent")] == [None, 1]
    for name in ("embedding.one_missing", "control.embeddings_reordered"):
        with pytest.raises(
            DoesNotApply, match=r"it is about one vector among several, .* Ask for two inputs or more\."
        ):
            reply(name, input="What now?")


@pytest.mark.parametrize("asked", FORMATS)
def test_vectors_in_the_format_that_is_asked_for(asked: str) -> None:
    healthy_one = list(vector(TEXTS[0], 8))
    of = {name: first(name, encoding_format=asked) for name in CATALOGUE if name.startswith("embedding.s")}
    assert decoded(of["embedding.shorter"]) == healthy_one[:4]
    for name in ("embedding.empty", "embedding.zeros", "embedding.dimensions_ignored", "embedding.shorter"):
        assert isinstance(first(name, encoding_format=asked), str if asked == "base64" else list)
    assert decoded(first("embedding.empty", encoding_format=asked)) == []
    assert decoded(first("embedding.zeros", encoding_format=asked)) == [0.0] * 8
    longer = decoded(first("embedding.dimensions_ignored", encoding_format=asked))
    assert (len(longer), round(math.hypot(*longer), 5)) == (16, 1.0)
    other = first("embedding.other_format", encoding_format=asked)
    assert isinstance(other, list if asked == "base64" else str)
    assert decoded(other) == healthy_one
    assert first("embedding.nested", encoding_format=asked) == [healthy_one]
    assert first("embedding.nulls", encoding_format=asked) == [None] * 8
    assert first("embedding.null", encoding_format=asked) is None


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_none(value: str) -> None:
    assert f"[{value}, ".encode() in reply("embedding.nan", {"value": value}).body
    for asked in FORMATS:
        number, *rest = decoded(first("embedding.nan", {"value": value}, encoding_format=asked))
        assert repr(number) == repr(float(value))
        assert rest == list(vector(TEXTS[0], 8))[1:]


def test_base64_of_other_bytes_needs_base64() -> None:
    for name in ("embedding.base64_doubles", "embedding.base64_odd_bytes"):
        with pytest.raises(DoesNotApply, match="it is about base64, and the request asks for numbers"):
            reply(name)
    assert len(decoded(first("embedding.base64_doubles", encoding_format="base64"))) == 16


def test_what_makes_no_sense_for_vectors_is_refused_by_name() -> None:
    for name, lacking in {
        "content.empty": "content",
        "structured.fenced": "structured",
        "structured.one_item_bad": "structured",
        "tools.calls_empty": "tool_calls",
        "finish.length": "finish",
        "stream.stall": "stream",
        "envelope.choices_null": "choices",
    }.items():
        with pytest.raises(OtherWire, match=f"does not apply to the wire openai.embeddings, which has no {lacking}"):
            reply(name)


def test_what_the_official_sdk_makes_of_it() -> None:
    for name in ("envelope.data_null", "envelope.data_empty", "envelope.error_429"):
        with pytest.raises(ValueError, match="No embedding data received"):
            created(name)
    assert created("envelope.data_null", encoding_format="float").data is None
    assert created("embedding.null").data[0].embedding is None
    assert len(created("embedding.one_missing").data) == 1
    assert created("embedding.zeros", dimensions=4).data[0].embedding == [0.0] * 4
    assert created("embedding.other_format", dimensions=4).data[0].embedding == list(vector(TEXTS[0], 4))
    with pytest.raises(ValueError, match=r"bytes length not a multiple of item size|buffer size must be a multiple"):
        created("embedding.base64_odd_bytes")


def test_a_degree_is_a_step() -> None:
    with inject(fault("embedding.nan", value="Infinity")):
        made = openai.OpenAI().embeddings.create(model="text-embedding-3-small", input="x", dimensions=2)
    assert made.data[0].embedding[0] == math.inf
