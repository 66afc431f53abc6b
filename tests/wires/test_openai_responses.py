"""The wire openai.responses, judged by the official SDK: its models, its clients, and the reply to what it asks."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import openai
import pydantic
import pytest
from openai.types.responses import Response, ResponseStreamEvent

from pytest_llmfaults import Answer, Refused, ToolCall, Usage, inject
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._sse import payloads
from tests.wires.models import DATA, Lookup, Plan

WIRE = WIRES["openai.responses"]
ASKED: Any = {"model": "gpt-5", "input": "hello"}


def tool(name: str, schema: Any = None) -> dict[str, Any]:
    return {"type": "function", "name": name, "parameters": schema or {"type": "object"}}


PLAN = tool("plan", Plan.model_json_schema())
LOOKUP = tool("lookup", Lookup.model_json_schema())
FORMAT: Any = {"format": {"type": "json_schema", "name": "plan", "strict": True, "schema": Plan.model_json_schema()}}


def request(**body: Any) -> Request:
    content = json.dumps({**ASKED, **body}).encode()
    return Request("POST", "https://api.openai.com/v1/responses", body=content, wire=WIRE.name)


def response(ask: Request, answer: Answer) -> Any:
    return json.loads(healthy(WIRE, ask, answer).reply.body)


def client(**options: Any) -> openai.OpenAI:
    return openai.OpenAI(api_key="placeholder-key", **options)


ANSWERS = {
    "text": (request(), Answer("Hold.")),
    "nothing": (request(), Answer()),
    "empty": (request(), Answer("")),
    "reasoning": (request(), Answer("Hold.", reasoning="Hm, let me see.", usage=Usage(5, 9, 4))),
    "data": (request(text=FORMAT), Answer(data=DATA)),
    "forced": (request(tools=[LOOKUP, PLAN], tool_choice="required"), Answer(data=DATA)),
    "calls": (request(tools=[PLAN, LOOKUP]), Answer(tool_calls="offered")),
    "thought and calls": (request(tools=[PLAN]), Answer(reasoning="Hm.", tool_calls="offered")),
    "text and a call": (request(tools=[PLAN]), Answer("Wait.", tool_calls=(ToolCall("plan", DATA, "mine"),))),
    "call without arguments": (request(), Answer(tool_calls=(ToolCall("ping"),))),
    "cut": (request(max_output_tokens=64), Answer("Ho", finish="max_output_tokens")),
    "failed": (request(), Answer("Ho", finish="failed")),
    "what comes back": (
        request(
            instructions="Be brief.",
            max_output_tokens=100,
            metadata={"a": "b"},
            parallel_tool_calls=False,
            previous_response_id="resp_1",
            reasoning={"effort": "low"},
            temperature=0.5,
            text={"verbosity": "low"},
            tool_choice={"type": "function", "name": "plan"},
            tools=[PLAN, {"type": "web_search"}],
            truncation="auto",
            background=True,
        ),
        Answer("Hold."),
    ),
    "unicode": (request(), Answer("日本語の答え 🙂\u2028 two\nlines ")),
}
EVENT: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(ResponseStreamEvent)


def strictly(parsed: pydantic.BaseModel) -> Any:
    return parsed.model_dump(exclude_unset=True, by_alias=True)


@pytest.mark.parametrize("case", ANSWERS)
def test_a_healthy_reply_is_strictly_valid_for_the_official_types(case: str) -> None:
    reply = healthy(WIRE, *ANSWERS[case]).reply
    parsed = Response.model_validate_json(reply.body, strict=True)
    assert not parsed.model_extra
    assert strictly(parsed) == json.loads(reply.body)
    assert parsed.usage is not None
    assert reply.header("x-request-id")


@pytest.mark.parametrize("case", ANSWERS)
def test_each_event_of_a_healthy_stream_is_strictly_valid(case: str) -> None:
    ask, answer = ANSWERS[case]
    body = healthy(WIRE, request(**{**ask.json, "stream": True}), answer).as_asked().reply.body
    found = [json.loads(text) for text in payloads(body)]
    for event in found:
        assert strictly(EVENT.validate_python(event, strict=True)) == event
    assert body.count(b"event: ") == len(found)
    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    ends = {"completed": "response.completed", "incomplete": "response.incomplete", "failed": "response.failed"}
    assert [event["type"] for event in (found[0], found[-1])] == [
        "response.created",
        ends[found[-1]["response"]["status"]],
    ]
    assert found[-1]["response"] == response(ask, answer)
    assert found[0]["response"]["output"] == []


@pytest.mark.parametrize("case", [case for case in ANSWERS if case not in {"cut", "failed"}])
def test_the_stream_helper_puts_the_reply_together_again(case: str) -> None:
    ask, answer = ANSWERS[case]
    with inject(answer), client().responses.stream(**ask.json) as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        final = stream.get_final_response()
    told = json.loads(final.to_json(exclude_unset=True))
    for item in told["output"]:
        item.pop("parsed_arguments", None)
        for part in item.get("content", ()):
            part.pop("parsed", None)
    assert told == response(ask, answer)
    assert "".join(deltas) == final.output_text


@pytest.mark.parametrize("case", ["cut", "failed"])
def test_the_stream_helper_has_no_final_reply_where_it_is_not_complete(case: str) -> None:
    ask, answer = ANSWERS[case]
    with inject(answer), client().responses.stream(**ask.json) as stream:
        last = list(stream)[-1]
        with pytest.raises(RuntimeError, match=r"response\.completed"):
            stream.get_final_response()
    assert last.type in {"response.incomplete", "response.failed"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": {"verbosity": "low"}},
        {"text": FORMAT},
        {"text": {"format": {"type": "json_object"}}},
        {"tools": [PLAN]},
        {"tools": [PLAN], "tool_choice": "auto"},
        {"tools": [PLAN], "tool_choice": "none"},
        {"tools": [PLAN], "tool_choice": {"type": "function", "name": "unknown"}},
        {"tools": [{"type": "web_search"}], "tool_choice": "required"},
        {"tools": "nonsense", "tool_choice": 7, "text": []},
        {"tools": [PLAN], "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"name": "plan"}]}},
    ],
)
def test_data_goes_into_the_text(body: dict[str, Any]) -> None:
    got = response(request(**body), Answer(data=DATA))
    (item,) = got["output"]
    assert json.loads(item["content"][0]["text"]) == DATA
    assert (got["status"], got["incomplete_details"]) == ("completed", None)
    assert WIRE.data_slot(request(**body)) == "content"


@pytest.mark.parametrize(
    "choice",
    [
        "required",
        {"type": "function", "name": "plan"},
        {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "plan"}]},
    ],
)
def test_data_goes_into_the_call_that_the_request_forces(choice: Any) -> None:
    ask = request(tools=[LOOKUP, PLAN], tool_choice=choice)
    (item,) = response(ask, Answer(data=DATA))["output"]
    assert (item["type"], item["name"], json.loads(item["arguments"])) == ("function_call", "plan", DATA)
    assert WIRE.data_slot(ask) == "arguments"
    assert WIRE.wants_data(ask, DATA) == Plan.model_json_schema()


def test_offered_calls_are_valid_and_those_that_may_be_made() -> None:
    both = response(request(tools=[LOOKUP, PLAN]), Answer(tool_calls="offered"))["output"]
    assert [item["name"] for item in both] == ["lookup", "plan"]
    assert len({item["call_id"] for item in both} | {item["id"] for item in both}) == 4
    Plan.model_validate_json(both[1]["arguments"])
    single = request(tools=[LOOKUP, PLAN], parallel_tool_calls=False)
    assert len(response(single, Answer(tool_calls="offered"))["output"]) == 1


def test_the_official_parser_gets_the_data() -> None:
    with inject("ok", answer=Answer(data=DATA)):
        parsed = client().responses.parse(**ASKED, text_format=Plan)
        with client().responses.stream(**ASKED, text_format=Plan) as stream:
            streamed = stream.get_final_response()
    assert parsed.output_parsed == streamed.output_parsed == Plan.model_validate(DATA)
    with inject("ok"):
        assert isinstance(client().responses.parse(**ASKED, text_format=Plan).output_parsed, Plan)


def test_the_official_clients_plain_and_streamed_sync_and_async() -> None:
    said = "One two three four."

    async def ask() -> tuple[Any, list[Any], str]:
        async with openai.AsyncOpenAI() as aclient:
            plain = await aclient.responses.create(**ASKED)
            events = [event async for event in await aclient.responses.create(**ASKED, stream=True)]
            async with aclient.responses.stream(**ASKED) as stream:
                return plain, events, (await stream.get_final_response()).output_text

    with inject(Answer(said)) as seen:
        plain = openai.OpenAI().responses.create(**ASKED)
        events = list(openai.OpenAI().responses.create(**ASKED, stream=True))
        aplain, aevents, atext = asyncio.run(ask())
    assert plain == aplain
    assert plain.output_text == atext == said
    assert events == aevents
    assert seen.attempts == 5
    assert {one.wire for one in seen.requests} == {"openai.responses"}
    assert [one.text for one in seen.streams] == [said] * 3


@pytest.mark.parametrize("prefix", ["https://api.openai.com/v1", "https://gateway.example.com/llm/openai"])
def test_any_base_url(prefix: str) -> None:
    with inject("ok") as seen:
        client(base_url=prefix).responses.create(**ASKED)
    assert seen.requests[0].url == f"{prefix}/responses"


def test_other_routes_are_refused_by_name() -> None:
    with pytest.raises(Refused, match=r"openai\.responses\.input_tokens"), inject("ok"):
        client().responses.input_tokens.count(**ASKED)
    with pytest.raises(Refused, match=r"openai\.responses\.compact"), inject("ok"):
        client().responses.compact(**ASKED)
    with pytest.raises(Refused, match=r"GET api\.openai\.com/v1/responses/resp_1"), inject("ok"):
        client().responses.retrieve("resp_1")


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (400, "invalid_prompt", openai.BadRequestError),
        (401, None, openai.AuthenticationError),
        (404, None, openai.NotFoundError),
        (429, "insufficient_quota", openai.RateLimitError),
        (500, None, openai.InternalServerError),
    ],
)
def test_errors_have_the_body_of_the_provider(status: int, code: str | None, error: type[Exception]) -> None:
    body = WIRE.error(status, "It failed.", code)
    with inject(Reply.json(body, status=status)), pytest.raises(error) as raised:
        client(max_retries=0).responses.create(**ASKED)
    assert raised.value.body == body["error"]  # type: ignore[attr-defined]
    assert raised.value.code == code  # type: ignore[attr-defined]


def test_the_official_client_hands_an_error_event_on_and_raises_nothing() -> None:
    with inject("stream.error_mid_500"):
        *_, last = client().responses.create(**ASKED, stream=True)
    assert EVENT.validate_python(json.loads(last.to_json(exclude_unset=True)), strict=True).type == "error"
    with inject("stream.error_event"), pytest.raises(openai.APIError):
        list(client().responses.create(**ASKED, stream=True))


RECORDED: Any = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1762302535,
    "status": "completed",
    "model": "gpt-oss",
    "output": [
        {"id": "rs_1", "type": "reasoning", "summary": []},
        {"id": "rs_2", "type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "So."}]},
        {
            "id": "msg_1",
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hold the position.", "annotations": []}],
        },
    ],
}


def test_a_reply_of_another_server_can_be_the_healthy_one(tmp_path: Path) -> None:
    path = tmp_path / "reply.json"
    path.write_text(json.dumps(RECORDED))
    answer = Answer.recorded(path)
    ask = request()
    assert healthy(WIRE, ask, answer).value("reasoning") == "So."
    with inject("content.empty", "reasoning.only_thoughts", "ok", answer=answer):
        empty, thoughts, good = (client().responses.create(**ASKED) for _ in range(3))
        events = list(client().responses.create(**ASKED, stream=True))
    assert (empty.output_text, thoughts.output_text, good.output_text) == ("", "", "Hold the position.")
    assert [item.id for item in thoughts.output] == ["rs_1", "rs_2", "msg_1"]
    kinds = [event.type for event in events]
    assert kinds.count("response.reasoning_text.delta") == 3
    assert kinds.count("response.output_text.delta") == 3


def test_one_provider_has_two_wires() -> None:
    with inject(Answer("one"), wire="openai.chat") as chat, inject(Answer("two"), wire="openai.responses") as responses:
        said = client().chat.completions.create(model="gpt-5", messages=[]).choices[0].message.content
        assert (said, client().responses.create(**ASKED).output_text) == ("one", "two")
    assert (chat.attempts, responses.attempts) == (1, 1)
