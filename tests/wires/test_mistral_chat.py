"""The wire mistral.chat, judged by the official SDK: its models, its clients, and the errors that it makes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

import openai
import pytest
from mistralai.client import Mistral, models
from mistralai.client.errors import HTTPValidationError, SDKError

from pytest_llmfaults import Answer, Refused, Reply, ToolCall, Usage, inject, quota
from pytest_llmfaults._faults import CATALOGUE, healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES, wire_at
from pytest_llmfaults._wires._sse import payloads
from tests.wires.models import DATA, Lookup, Plan

WIRE = WIRES["mistral.chat"]
MESSAGES: Final[Any] = [{"role": "user", "content": "What now?"}]


def tool(name: str, schema: Any = None) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": schema or {"type": "object"}}}


PLAN, LOOKUP = tool("plan", Plan.model_json_schema()), tool("lookup", Lookup.model_json_schema())
FORMAT: Final[Any] = {"type": "json_schema", "json_schema": {"name": "plan", "schema": Plan.model_json_schema()}}
ANSWERS: Final[Mapping[str, tuple[dict[str, Any], Answer]]] = {
    "text": ({}, Answer("Hold.")),
    "nothing": ({}, Answer()),
    "empty": ({}, Answer("")),
    "reasoning": ({}, Answer("Hold.", reasoning="Hm, let me see.", usage=Usage(5, 9, 4))),
    "data": ({"response_format": FORMAT}, Answer(data=DATA)),
    "forced": ({"tools": [LOOKUP, PLAN], "tool_choice": "any"}, Answer(data=DATA)),
    "calls": ({"tools": [PLAN, LOOKUP]}, Answer(tool_calls="offered")),
    "thought and calls": ({"tools": [PLAN]}, Answer(reasoning="Hm.", tool_calls="offered")),
    "text and a call": ({"tools": [PLAN]}, Answer("Wait.", tool_calls=(ToolCall("plan", DATA, "mine12345"),))),
    "finish": ({}, Answer("Ho", finish="length")),
    "unicode": ({}, Answer("日本語の答え 🙂\u2028 two\nlines ")),
}
each_case = pytest.mark.parametrize("case", ANSWERS)


def asked(*, stream: bool = False, **more: Any) -> Request:
    return WIRE.request({**WIRE.example, **more}, origin="https://api.mistral.ai/v1", stream=stream)


def body(case: str) -> Any:
    extra, answer = ANSWERS[case]
    return json.loads(healthy(WIRE, asked(**extra), answer).reply.body)


def complete(**more: Any) -> Any:
    with Mistral() as client:
        return client.chat.complete(model="m", messages=MESSAGES, **more)


def streamed(**more: Any) -> list[Any]:
    with Mistral() as client, client.chat.stream(model="m", messages=MESSAGES, **more) as stream:
        return [event.data for event in stream]


@each_case
def test_a_healthy_reply_is_strictly_valid_for_the_official_types(case: str) -> None:
    said = body(case)
    parsed = models.ChatCompletionResponse.model_validate_json(json.dumps(said), strict=True)
    assert parsed.model_dump(mode="json", exclude_unset=True) == said
    assert all(len(call["id"]) == 9 for call in said["choices"][0]["message"].get("tool_calls", ()))


@each_case
def test_each_chunk_of_a_healthy_stream_is_strictly_valid(case: str) -> None:
    extra, answer = ANSWERS[case]
    texts = payloads(healthy(WIRE, asked(stream=True, **extra), answer).as_asked().reply.body)
    assert texts.pop() == "[DONE]"
    for text in texts:
        parsed = models.CompletionChunk.model_validate_json(text, strict=True)
        assert parsed.model_dump(mode="json", exclude_unset=True) == json.loads(text)
    assert [("usage" in json.loads(text)) for text in texts] == [False] * (len(texts) - 1) + [True]


def joined(chunks: list[Any]) -> tuple[str, str, list[Any], str]:
    """Return thoughts, text, calls and reason of a stream, put together as its reader does."""
    thoughts, said, calls = "", "", []
    for chunk in chunks:
        delta = chunk.choices[0].delta
        if isinstance(delta.content, str):
            said += delta.content
        elif delta.content:
            thoughts += "".join(part.text for block in delta.content for part in block.thinking)
        calls += [json.loads(call.function.arguments) for call in delta.tool_calls or ()]
    return thoughts, said, calls, chunks[-1].choices[0].finish_reason


@each_case
def test_the_sdk_reads_the_same_whole_and_streamed(case: str) -> None:
    extra, answer = ANSWERS[case]
    with inject(answer) as seen:
        message = complete(**extra).choices[0].message
        chunks = streamed(**extra)
    content = message.content
    parts = content if isinstance(content, list) else []
    thought = "".join(part.thinking[0].text for part in parts if part.type == "thinking")
    text = "".join(part.text for part in parts if part.type == "text") if parts else content
    calls = [json.loads(call.function.arguments) for call in message.tool_calls or ()]
    assert joined(chunks) == (thought, text, calls, body(case)["choices"][0]["finish_reason"])
    assert thought == (answer.reasoning or "")
    assert [(one.wire, one.stream) for one in seen.requests] == [("mistral.chat", False), ("mistral.chat", True)]


def test_an_asynchronous_client_gets_the_same() -> None:
    async def both() -> tuple[Any, str]:
        async with Mistral() as client:
            plain = await client.chat.complete_async(model="m", messages=MESSAGES)
            async with await client.chat.stream_async(model="m", messages=MESSAGES) as stream:
                chunks = [event.data async for event in stream]
        return plain.choices[0].message.content, joined(chunks)[1]

    with inject(Answer("Hold the position.")):
        assert asyncio.run(both()) == ("Hold the position.",) * 2


def test_data_is_parsed_by_the_sdk() -> None:
    with inject(Answer(data=DATA)), Mistral() as client:
        found: Any = client.chat.parse(Plan, model="m", messages=MESSAGES)
    assert found.choices[0].message.parsed.model_dump() == DATA


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("status.401", "unauthorized", None),
        ("status.404", "invalid_model", "1500"),
        ("status.429_rate", "rate_limited", "1300"),
        ("status.429_quota", "insufficient_quota", None),
        ("status.500", "internal_server_error", None),
    ],
)
def test_an_error_reaches_the_user_as_the_sdk_reads_it(name: str, kind: str, code: str | None) -> None:
    with inject(name), pytest.raises(SDKError) as raised:
        complete()
    held = json.loads(raised.value.body)
    assert (held["object"], held["type"], held["code"]) == ("error", kind, code)
    assert held["raw_status_code"] == raised.value.status_code


def test_what_does_not_validate_is_an_error_of_its_own() -> None:
    refused = Reply.json(WIRE.error(422, "Input should be a list.", None), status=422)
    with inject(refused), pytest.raises(HTTPValidationError) as raised:
        complete()
    detail = raised.value.data.detail
    assert detail is not None
    assert (detail[0].msg, detail[0].loc) == ("Input should be a list.", ["body", "messages"])


def test_a_quota_tells_what_is_left() -> None:
    with inject(quota(requests=2, per_seconds=60)) as seen:
        complete()
        complete()
        with pytest.raises(SDKError, match="rate_limited"):
            complete()
    left = [reply.header("x-ratelimit-remaining-req-minute") for reply in seen.replies]
    assert left == ["1", "0", "0"]
    assert seen.replies[0].header("x-ratelimit-limit-req-minute") == "2"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("reasoning.only_thoughts", [("thinking", "First I look at the question."), ("text", "")]),
        ("reasoning.only_reasoning_absent", [("thinking", "Hold.")]),
        ("content.empty", ""),
        ("content.null", None),
    ],
)
def test_a_fault_on_text_or_thoughts_is_in_the_content(name: str, content: Any) -> None:
    base = healthy(WIRE, asked(), Answer("Hold."))
    made = json.loads(CATALOGUE[name].reply(base).body)["choices"][0]["message"]["content"]
    shown = [(one["type"], one["text"] if "text" in one else one["thinking"][0]["text"]) for one in made or ()]
    assert (shown or made) == content


def test_a_text_beside_thoughts_leaves_them() -> None:
    base = healthy(WIRE, asked(), Answer("Hold.", reasoning="Hm."))
    slots = WIRE.slots
    changed = slots["content"].put(base.envelope(), "Sell.", stream=False)
    assert (slots["reasoning"].get(changed), slots["content"].get(changed)) == ("Hm.", "Sell.")
    alone = slots["reasoning"].put(changed, None, stream=False)
    assert alone["choices"][0]["message"]["content"] == "Sell."


def test_of_two_wires_with_one_route_the_host_decides() -> None:
    path = "/v1/chat/completions"
    assert [wire_at(path, host) for host in ("api.mistral.ai", "api.openai.com", "gateway.example.com")] == [
        "mistral.chat",
        "openai.chat",
        "openai.chat",
    ]
    with inject(Answer("Hi."), wire="mistral.chat") as seen, Mistral(server_url="https://llm.acme.example") as client:
        client.chat.complete(model="m", messages=MESSAGES)
    assert seen.requests[0].wire == "mistral.chat"


def test_a_host_that_is_known_stays_on_its_wire() -> None:
    with pytest.raises(Refused, match=r"it is on the wire mistral.chat, not wire='openai.chat'"):  # noqa: SIM117
        with inject("status.503", wire="openai.chat"):
            complete()
    with inject(Answer("Hi.", reasoning="Hm.")):
        on = openai.OpenAI(base_url="https://api.mistral.ai/v1")
        content: Any = on.chat.completions.create(model="m", messages=MESSAGES).choices[0].message.content
    assert [part["type"] for part in content] == ["thinking", "text"]
