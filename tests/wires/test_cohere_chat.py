"""The wire cohere.chat, judged by the official SDK: its models, its clients, and the reply to what it asks."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import cohere
import pydantic
import pytest
from cohere.core.api_error import ApiError
from cohere.v2.types import V2ChatResponse, V2ChatStreamResponse

from pytest_llmfaults import Answer, Reply, ToolCall, Usage, inject, quota
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._sse import payloads
from tests.wires.models import DATA, Plan

WIRE = WIRES["cohere.chat"]
MESSAGES: Any = [{"role": "user", "content": "hello"}]
ASKED: Any = {"model": "command-a-03-2025", "messages": MESSAGES}
EVENT: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(V2ChatStreamResponse)


def tool(name: str, schema: Any = None) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": schema or {"type": "object"}}}


PLAN = tool("plan", Plan.model_json_schema())
LOOKUP = tool("lookup")
FORMAT = {"type": "json_object", "json_schema": Plan.model_json_schema()}


def request(**body: Any) -> Request:
    content = json.dumps({**ASKED, **body}).encode()
    return Request("POST", "https://api.cohere.com/v2/chat", body=content, wire=WIRE.name)


def reply(ask: Request, answer: Answer) -> Any:
    return json.loads(healthy(WIRE, ask, answer).reply.body)


def unknown(model: Any) -> set[str]:
    """Return what the SDK's types do not know, at any depth."""
    if isinstance(model, list):
        return {name for one in model for name in unknown(one)}
    if not isinstance(model, pydantic.BaseModel):
        return set()
    return set(model.model_extra or ()) | {name for _, value in model for name in unknown(value)}


ANSWERS = {
    "text": (request(), Answer("Hold.")),
    "nothing": (request(), Answer()),
    "empty": (request(), Answer("")),
    "reasoning": (request(thinking={"type": "enabled"}), Answer("Hold.", reasoning="Hm, let me see.")),
    "usage": (request(), Answer("Hold.", usage=Usage(5, 9))),
    "data": (request(response_format=FORMAT), Answer(data=DATA)),
    "any object": (request(response_format={"type": "json_object"}), Answer()),
    "forced": (request(tools=[PLAN], tool_choice="REQUIRED"), Answer(data=DATA)),
    "calls": (request(tools=[PLAN, LOOKUP]), Answer(tool_calls="offered")),
    "thought and calls": (request(tools=[PLAN]), Answer(reasoning="Hm.", tool_calls="offered")),
    "text and a call": (request(tools=[PLAN]), Answer("Wait.", tool_calls=(ToolCall("plan", DATA),))),
    "call without arguments": (request(), Answer(tool_calls=(ToolCall("ping"),))),
    "finish": (request(), Answer("Ho", finish="MAX_TOKENS")),
    "unicode": (request(), Answer("日本語の答え 🙂\u2028 two\nlines ")),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_a_healthy_reply_is_strictly_valid_for_the_official_types(case: str) -> None:
    body = healthy(WIRE, *ANSWERS[case]).reply.body
    parsed = V2ChatResponse.model_validate_json(body, strict=True)
    assert parsed.model_dump(exclude_unset=True) == json.loads(body)
    assert unknown(parsed) == set()
    assert parsed.finish_reason in {"COMPLETE", "TOOL_CALL", "MAX_TOKENS"}


@pytest.mark.parametrize("case", ANSWERS)
def test_each_event_of_a_healthy_stream_is_strictly_valid(case: str) -> None:
    ask, answer = ANSWERS[case]
    made = healthy(WIRE, request(**{**ask.json, "stream": True}), answer).as_asked().reply
    *events, mark = payloads(made.body)
    assert mark == "[DONE]"
    parsed = [EVENT.validate_json(event, strict=True) for event in events]
    assert [one.model_dump(exclude_unset=True) for one in parsed] == list(map(json.loads, events))
    assert unknown(parsed[0]) == {"content", "tool_plan", "tool_calls", "citations"}  # recorded streams have them
    assert unknown(parsed[1:]) == set()
    named = [line.removeprefix("event: ") for line in made.body.decode().split("\n") if line.startswith("event:")]
    assert named == [one.type for one in parsed]


def joined(events: list[Any]) -> dict[str, Any]:
    """Put the message of a stream together, as the vendor's page says."""
    blocks: dict[int, Any] = {}
    calls: dict[int, Any] = {}
    plan = ""
    for event in events:
        said: Any = event.delta.message if event.type not in {"content-end", "tool-call-end", "message-end"} else None
        if event.type == "content-start":
            blocks[event.index] = said.content.model_dump(exclude_unset=True)
        elif event.type == "content-delta":
            for key, text in said.content.model_dump(exclude_unset=True).items():
                blocks[event.index][key] += text
        elif event.type == "tool-plan-delta":
            plan += said.tool_plan
        elif event.type == "tool-call-start":
            calls[event.index] = said.tool_calls.model_dump(exclude_unset=True)
        elif event.type == "tool-call-delta":
            calls[event.index]["function"]["arguments"] += said.tool_calls.function.arguments
    return {
        "role": events[0].delta.message.role,
        **({"content": list(blocks.values())} if blocks else {}),
        **({"tool_plan": plan} if plan else {}),
        **({"tool_calls": list(calls.values())} if calls else {}),
    }


@pytest.mark.parametrize("case", ANSWERS)
def test_the_events_say_what_the_reply_says(case: str) -> None:
    ask, answer = ANSWERS[case]
    whole = reply(ask, answer)
    with inject(answer) as seen:
        events: list[Any] = list(cohere.ClientV2().chat_stream(**ask.json))
    assert joined(events) == whole["message"]
    assert events[0].id == whole["id"]
    end = events[-1].delta.model_dump(exclude_unset=True)
    assert end == {"finish_reason": whole["finish_reason"], "usage": whole["usage"]}
    texts = [block["text"] for block in whole["message"].get("content", ()) if block["type"] == "text"]
    assert seen.streams[0].text == "".join(texts)
    assert seen.streams[0].closed == "drained"


@pytest.mark.parametrize(
    ("body", "slot"),
    [
        ({}, "content"),
        ({"response_format": {"type": "text"}}, "content"),
        ({"response_format": FORMAT}, "content"),
        ({"response_format": "nonsense", "tools": "nonsense"}, "content"),
        ({"tools": [PLAN]}, "content"),
        ({"tools": [PLAN], "tool_choice": "NONE"}, "content"),
        ({"tools": [LOOKUP, PLAN], "tool_choice": "REQUIRED"}, "arguments"),
    ],
)
def test_data_goes_where_the_request_asks_for_it(body: dict[str, Any], slot: str) -> None:
    ask = request(**body)
    message = reply(ask, Answer(data=DATA))["message"]
    assert WIRE.data_slot(ask) == slot
    if slot == "content":
        assert json.loads(message["content"][0]["text"]) == DATA
        assert "tool_calls" not in message
    else:
        (call,) = message["tool_calls"]
        assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("plan", DATA)


def test_what_is_said_beside_calls_is_their_plan() -> None:
    def message(**answer: Any) -> Any:
        return reply(request(tools=[LOOKUP]), Answer(tool_calls="offered", **answer))["message"]

    assert message()["tool_plan"] == "I will use the tools that fit."
    assert message(text="Wait.")["tool_plan"] == "Wait."
    assert "content" not in message(text="Wait.")
    thinking = message(reasoning="Hm.")
    assert thinking["content"] == [{"type": "thinking", "thinking": "Hm."}]
    assert "tool_plan" not in thinking


def test_no_tool_is_called_where_none_may_be() -> None:
    made = reply(request(tools=[LOOKUP], tool_choice="NONE"), Answer(tool_calls="offered"))
    assert (made["message"], made["finish_reason"]) == ({"role": "assistant", "content": []}, "COMPLETE")


def test_the_official_clients_plain_and_streamed_sync_and_async() -> None:
    said = "One two three four."

    async def ask() -> tuple[Any, list[Any]]:
        client = cohere.AsyncClientV2()
        plain = await client.chat(**ASKED)
        return plain, [event async for event in client.chat_stream(**ASKED)]

    with inject(Answer(said, reasoning="Hm, I see.")) as seen:
        plain = cohere.ClientV2().chat(**ASKED)
        events = list(cohere.ClientV2().chat_stream(**ASKED))
        aplain, aevents = asyncio.run(ask())
    assert plain == aplain
    assert events == aevents
    assert [block.type for block in plain.message.content or ()] == ["thinking", "text"]
    assert {one.wire for one in seen.requests} == {"cohere.chat"}
    assert [one.text for one in seen.streams] == [said] * 2


@pytest.mark.parametrize("base", ["https://api.cohere.com", "https://gateway.example.com/team", "http://10.0.0.7:8080"])
def test_any_base_url(base: str) -> None:
    with inject("ok") as seen:
        cohere.ClientV2(base_url=base).chat(**ASKED)
    assert seen.requests[0].url == f"{base}/v2/chat"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 498, 500, 503, 504])
def test_an_error_is_its_text(status: int) -> None:
    body = WIRE.error(status, "The model does not exist.", "model_not_found")
    client = cohere.ClientV2(api_key="a key")
    for ask in (lambda: client.chat(**ASKED), lambda: list(client.chat_stream(**ASKED))):
        with inject(Reply.json(body, status=status)), pytest.raises(ApiError) as raised:
            ask()
        assert (raised.value.status_code, raised.value.body) == (status, body)
    assert set(body) == {"id", "message"}


def test_an_error_in_a_stream_is_a_reason_and_the_sdk_raises_nothing() -> None:
    with inject("stream.error_mid_429") as seen:
        *_, last = cohere.ClientV2().chat_stream(**ASKED)
    assert last.type == "message-end"
    assert last.delta is not None
    assert (last.delta.finish_reason, last.delta.error) == ("ERROR", "Rate limit reached.")
    assert seen.streams[0].text


def test_a_quota_of_a_trial_key_does_not_say_when_to_come_back() -> None:
    with inject(quota(requests=1, per_seconds=30)) as seen:
        cohere.ClientV2().chat(**ASKED)
        with pytest.raises(cohere.TooManyRequestsError):
            cohere.ClientV2().chat(**ASKED)
    assert [one.status for one in seen.replies] == [200, 429, 429, 429]
    assert [round(wait) for wait in seen.waits] == [0, 1, 2]
    told = {(one.header("x-trial-endpoint-call-limit"), one.header("retry-after")) for one in seen.replies}
    assert told == {("1", None)}


def test_the_next_request_is_read() -> None:
    with inject(Answer(tool_calls=(ToolCall("lookup"),)), "ok") as seen:
        client = cohere.ClientV2()
        first = client.chat(**ASKED, tools=[LOOKUP])  # type: ignore[list-item]
        calls = first.message.tool_calls or []
        documents = [{"type": "document", "document": {"data": data}} for data in ("Oslo", {"country": "NO"})]
        told: Any = [
            *MESSAGES,
            {"role": "assistant", "tool_plan": first.message.tool_plan, "tool_calls": calls},
            {"role": "tool", "tool_call_id": calls[0].id, "content": documents},
        ]
        client.chat(model="command-a-03-2025", messages=told, max_tokens=7)
    second = seen.requests[1]
    assert [call["function"]["name"] for call in second.tool_calls] == ["lookup"]
    assert second.tool_results == [("lookup_000000000001", "lookup", 'Oslo{"country": "NO"}')]
    assert (second.model, second.token_limit, second.stream) == ("command-a-03-2025", 7, False)
