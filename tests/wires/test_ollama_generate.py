"""The wire ollama.generate, judged by the official SDK: one prompt, no tools."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import ollama
import pydantic
import pytest

from pytest_llmfaults import Answer, Refused, Reply, Usage, inject
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES

WIRE = WIRES["ollama.generate"]
ASKED: Any = {"model": "qwen3", "prompt": "What now?"}


class Plan(pydantic.BaseModel):
    actions: list[str]
    final: bool


FORMAT = Plan.model_json_schema()
DATA: Any = {"actions": ["buy", "sell"], "final": True}


def request(**body: Any) -> Request:
    content = json.dumps({**ASKED, "stream": False, **body}).encode()
    return Request("POST", "http://127.0.0.1:11434/api/generate", body=content, wire=WIRE.name)


ANSWERS = {
    "text": (request(), Answer("Hold.")),
    "nothing": (request(), Answer()),
    "empty": (request(raw=True), Answer("")),
    "reasoning": (request(think=True), Answer("Hold.", reasoning="Hm, let me see.", usage=Usage(5, 9))),
    "data": (request(format=FORMAT), Answer(data=DATA)),
    "any object": (request(format="json"), Answer()),
    "finish": (request(), Answer("Ho", finish="length")),
    "unicode": (request(), Answer("日本語の答え 🙂\u2028 two\nlines ")),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_a_healthy_reply_and_each_line_are_strictly_valid_for_the_official_types(case: str) -> None:
    ask, answer = ANSWERS[case]
    whole = healthy(WIRE, ask, answer).reply.body
    stream = healthy(WIRE, request(**{**ask.json, "stream": True}), answer).as_asked().reply
    assert stream.header("content-type") == "application/x-ndjson"
    lines = stream.body.decode().removesuffix("\n").split("\n")
    for text in (whole.decode(), *lines):
        parsed = ollama.GenerateResponse.model_validate_json(text, strict=True)
        assert parsed.model_dump(exclude_unset=True) == json.loads(text)
    assert ("context" in json.loads(whole)) == (case != "empty")


@pytest.mark.parametrize("case", ANSWERS)
def test_the_lines_say_what_the_reply_says(case: str) -> None:
    ask, answer = ANSWERS[case]
    whole = json.loads(healthy(WIRE, ask, answer).reply.body)
    with inject(answer) as seen:
        lines = list(ollama.generate(**{**ask.json, "stream": True}))
    joined = {key: "".join(line.get(key) or "" for line in lines) for key in ("response", "thinking")}
    assert joined == {"response": whole["response"], "thinking": whole.pop("thinking", "")}
    assert {**lines[-1].model_dump(exclude_unset=True), "response": whole["response"]} == whole
    assert [line.done for line in lines] == [False] * (len(lines) - 1) + [True]
    assert [one.text for one in seen.streams] == [joined["response"]]
    assert seen.streams[0].output == bool(joined["response"] or joined["thinking"])


def test_the_official_clients_plain_and_streamed_sync_and_async() -> None:
    async def ask() -> tuple[Any, list[Any]]:
        client = ollama.AsyncClient()
        plain = await client.generate(**ASKED)
        return plain, [line async for line in await client.generate(**ASKED, stream=True)]

    with inject(Answer("One two three.")) as seen:
        plain = ollama.Client().generate(**ASKED)
        lines = list(ollama.Client().generate(**ASKED, stream=True))
        aplain, alines = asyncio.run(ask())
    assert plain == aplain
    assert plain.response == "One two three."
    assert lines == alines
    assert {one.wire for one in seen.requests} == {"ollama.generate"}


def test_a_stream_comes_unless_the_request_says_no() -> None:
    with inject("ok"):
        assert httpx.post("http://127.0.0.1:11434/api/generate", json=ASKED).text.count("\n") > 1
        assert httpx.post("http://127.0.0.1:11434/api/generate", json={**ASKED, "stream": False}).json()["done"]


def test_a_format_gets_its_data() -> None:
    for answer in (Answer(), Answer(data=DATA)):
        with inject(answer):
            assert isinstance(Plan.model_validate_json(ollama.generate(**ASKED, format=FORMAT).response or ""), Plan)


def test_errors() -> None:
    missing = Reply.json(WIRE.error(404, "model 'qwen3' not found", None), status=404)
    with inject(missing), pytest.raises(ollama.ResponseError, match="model 'qwen3' not found"):
        ollama.generate(**ASKED)
    with inject("stream.error_mid_429"), pytest.raises(ollama.ResponseError, match="Rate limit reached"):
        list(ollama.generate(**ASKED, stream=True))


def test_a_fault_of_calls_is_refused_by_name() -> None:
    words = r"tools\.call_in_text_json does not apply to the wire ollama\.generate, which has no tool_calls"
    with pytest.raises(Refused, match=words), inject("tools.call_in_text_json"):
        ollama.generate(**ASKED)


def test_embeddings_are_another_route_and_are_refused_by_name() -> None:
    with pytest.raises(Refused, match=r"ollama\.embed"), inject("ok"):
        ollama.embed(model="qwen3", input="x")
