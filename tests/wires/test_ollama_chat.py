"""The wire ollama.chat, judged by the official SDK: its models, its clients, and the reply to what it asks."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import ollama
import pydantic
import pytest

from pytest_llmfaults import Answer, DoesNotApply, Refused, Reply, ToolCall, Usage, inject
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._encoding import Event
from pytest_llmfaults._wires._ndjson import NDJSON
from tests.wires.models import DATA, Plan

WIRE = WIRES["ollama.chat"]
MESSAGES = [{"role": "user", "content": "hello"}]
ASKED: Any = {"model": "qwen3", "messages": MESSAGES}


class Lookup(pydantic.BaseModel):
    query: str
    limit: int  # the SDK passes no ``anyOf`` on


def tool(name: str, schema: Any = None) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": schema or {"type": "object"}}}


PLAN = tool("plan", Plan.model_json_schema())
LOOKUP = tool("lookup", Lookup.model_json_schema())
FORMAT = Plan.model_json_schema()


def request(**body: Any) -> Request:
    content = json.dumps({**ASKED, "stream": False, **body}).encode()
    return Request("POST", "http://127.0.0.1:11434/api/chat", body=content, wire=WIRE.name)


def reply(ask: Request, answer: Answer) -> Any:
    return json.loads(healthy(WIRE, ask, answer).reply.body)


ANSWERS = {
    "text": (request(), Answer("Hold.")),
    "nothing": (request(), Answer()),
    "empty": (request(), Answer("")),
    "reasoning": (request(think=True), Answer("Hold.", reasoning="Hm, let me see.", usage=Usage(5, 9))),
    "data": (request(format=FORMAT), Answer(data=DATA)),
    "any object": (request(format="json"), Answer()),
    "calls": (request(tools=[PLAN, LOOKUP]), Answer(tool_calls="offered")),
    "thought and calls": (request(tools=[PLAN]), Answer(reasoning="Hm.", tool_calls="offered")),
    "text and a call": (request(tools=[PLAN]), Answer("Wait.", tool_calls=(ToolCall("plan", DATA),))),
    "call without arguments": (request(), Answer(tool_calls=(ToolCall("ping"),))),
    "finish": (request(), Answer("Ho", finish="length")),
    "unicode": (request(), Answer("日本語の答え 🙂\u2028 two\nlines ")),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_a_healthy_reply_is_strictly_valid_for_the_official_types(case: str) -> None:
    body = healthy(WIRE, *ANSWERS[case]).reply.body
    parsed = ollama.ChatResponse.model_validate_json(body, strict=True)
    assert parsed.model_dump(exclude_unset=True) == json.loads(body)
    assert (parsed.done, parsed.done_reason in {"stop", "length"}) == (True, True)


@pytest.mark.parametrize("case", ANSWERS)
def test_each_line_of_a_healthy_stream_is_strictly_valid(case: str) -> None:
    ask, answer = ANSWERS[case]
    made = healthy(WIRE, request(**{**ask.json, "stream": True}), answer).as_asked().reply
    assert made.header("content-type") == "application/x-ndjson"
    assert made.body.endswith(b"\n")
    lines = [json.loads(line) for line in made.body.decode().removesuffix("\n").split("\n")]
    for line in lines:
        assert ollama.ChatResponse.model_validate(line, strict=True).model_dump(exclude_unset=True) == line
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    assert all("eval_count" not in line for line in lines[:-1])


@pytest.mark.parametrize("case", ANSWERS)
def test_the_lines_say_what_the_reply_says(case: str) -> None:
    ask, answer = ANSWERS[case]
    whole = reply(ask, answer)
    with inject(answer) as seen:
        lines = list(ollama.chat(**{**ask.json, "stream": True}))
    joined = {key: "".join(line.message.get(key) or "" for line in lines) for key in ("content", "thinking")}
    assert joined["content"] == whole["message"]["content"]
    assert joined["thinking"] == whole["message"].get("thinking", "")
    calls = [call.model_dump() for line in lines for call in line.message.tool_calls or ()]
    assert calls == whole["message"].get("tool_calls", [])
    last = lines[-1].model_dump(exclude_unset=True)
    assert {**last, "message": None} == {**whole, "message": None}
    assert [one.text for one in seen.streams] == [joined["content"]]
    assert seen.streams[0].output == bool(joined["content"] or joined["thinking"] or calls)


def test_a_stream_comes_unless_the_request_says_no() -> None:
    """The server streams by default; the SDK always says which."""
    for said, streams in (({}, True), ({"stream": None}, True), ({"stream": True}, True), ({"stream": False}, False)):
        with inject(Answer("Hold the position.")) as seen:
            body = httpx.post("http://127.0.0.1:11434/api/chat", json={**ASKED, **said}).text
        assert body.count("\n") == (4 if streams else 0)
        assert seen.requests[0].stream is streams
        assert bool(seen.streams) is streams
    with inject("stream.error_string_mid"):
        assert '{"error": ' in httpx.post("http://127.0.0.1:11434/api/chat", json=ASKED).text
    with pytest.raises(Refused, match="the request asks for none"), inject("stream.error_string_mid"):
        ollama.chat(**ASKED)


@pytest.mark.parametrize(
    "body",
    [{}, {"format": ""}, {"format": "json"}, {"format": FORMAT}, {"tools": [PLAN]}, {"tools": "nonsense", "format": 7}],
)
def test_data_goes_into_the_text(body: dict[str, Any]) -> None:
    got = reply(request(**body), Answer(data=DATA))
    assert json.loads(got["message"]["content"]) == DATA
    assert "tool_calls" not in got["message"]
    assert WIRE.data_slot(request(**body)) == "content"


def test_offered_calls_are_valid_and_have_no_ids() -> None:
    found = reply(request(tools=[LOOKUP, PLAN, {"type": "web"}, 3]), Answer(tool_calls="offered"))["message"]
    assert [call["function"]["name"] for call in found["tool_calls"]] == ["lookup", "plan"]
    Plan.model_validate(found["tool_calls"][1]["function"]["arguments"])
    assert {key for call in found["tool_calls"] for key in call} == {"function"}
    (given,) = reply(request(), Answer(tool_calls=(ToolCall("plan", {}, "mine"),)))["message"]["tool_calls"]
    assert given["id"] == "mine"


def test_a_format_gets_its_data() -> None:
    with inject("ok"):
        made = ollama.chat(**ASKED, format=FORMAT)
    assert isinstance(Plan.model_validate_json(made.message.content or ""), Plan)
    with inject("ok", answer=Answer(data=DATA)):
        made = ollama.chat(**ASKED, format=FORMAT)
    assert Plan.model_validate_json(made.message.content or "") == Plan.model_validate(DATA)


def test_the_official_clients_plain_and_streamed_sync_and_async() -> None:
    said = "One two three four."

    async def ask() -> tuple[Any, list[Any]]:
        client = ollama.AsyncClient()
        plain = await client.chat(**ASKED)
        return plain, [line async for line in await client.chat(**ASKED, stream=True)]

    with inject(Answer(said)) as seen:
        plain = ollama.Client().chat(**ASKED)
        lines = list(ollama.Client().chat(**ASKED, stream=True))
        aplain, alines = asyncio.run(ask())
    assert plain == aplain
    assert plain.message.content == said
    assert lines == alines
    assert {one.wire for one in seen.requests} == {"ollama.chat"}
    assert [one.text for one in seen.streams] == [said] * 2
    assert {one.closed for one in seen.streams} == {"drained"}


@pytest.mark.parametrize("host", ["http://127.0.0.1:11434", "https://ollama.com", "https://chat.example.com/ollama"])
def test_any_host(host: str) -> None:
    with inject("ok") as seen:
        ollama.Client(host=host).chat(**ASKED)
    assert seen.requests[0].url.partition("/api/")[2] == "chat"
    assert seen.requests[0].host == host.partition("://")[2].partition(":")[0].partition("/")[0]


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_an_error_is_its_text(status: int) -> None:
    body = WIRE.error(status, "model 'qwen3' not found", "model_not_found")
    assert body == {"error": "model 'qwen3' not found"}
    for stream in (False, True):
        with inject(Reply.json(body, status=status)), pytest.raises(ollama.ResponseError) as raised:
            list(ollama.chat(**ASKED, stream=stream))
        assert (raised.value.status_code, raised.value.error) == (status, "model 'qwen3' not found")


def test_an_error_in_a_stream_has_no_status() -> None:
    with inject("stream.error_mid_500") as seen, pytest.raises(ollama.ResponseError) as raised:
        list(ollama.chat(**ASKED, stream=True))
    assert raised.value.status_code == -1
    assert seen.streams[0].text


def test_lines() -> None:
    body = '{"a": 1}\r\n\n{"b": "\u2028"}\n{"c": '.encode()
    assert NDJSON.read(body) == ['{"a": 1}', '{"b": "\u2028"}']
    assert NDJSON.read(body + b"2}") == ['{"a": 1}', '{"b": "\u2028"}', '{"c": 2}']
    assert NDJSON.write(Event.data('"\udc80"')) == b'"\\udc80"\n'
    for event, what in {
        Event.comment("ping"): "a comment",
        Event.data("1", ("event", "message")): "the name of an event",
        Event.data("1", ("id", "7")): "the id of an event",
        Event((("retry", "3000"),)): "a line of retry",
        Event((("data", "{"), ("data", "}"))): "data on several lines",
        Event(()): "data on several lines",
    }.items():
        with pytest.raises(DoesNotApply, match=f"it sends {what}, and a stream of newline-delimited JSON"):
            NDJSON.write(event)


def test_the_result_of_a_call_names_its_tool() -> None:
    call = {"function": {"name": "plan", "arguments": {}}}
    said: list[Any] = [
        *MESSAGES,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_name": "plan", "content": "x"},
    ]
    with inject("ok") as seen:
        ollama.chat(model="qwen3", messages=said)
    assert [one["function"]["name"] for one in seen.requests[0].tool_calls] == ["plan"]
    assert seen.requests[0].tool_results == [(None, "plan", "x")]
