"""The wire anthropic.messages, judged by the official SDK: its models, its clients, and the reply to what it asks."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anthropic
import pydantic
import pytest
from anthropic.types import Message, RawMessageStreamEvent

from pytest_llmfaults import Answer, Refused, ToolCall, Usage, inject
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._sse import payloads
from tests.wires.models import DATA, Lookup, Plan

WIRE = WIRES["anthropic.messages"]
ASKED: Any = {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": [{"role": "user", "content": "hello"}]}


def tool(name: str, schema: Any = None) -> dict[str, Any]:
    return {"name": name, "input_schema": schema or {"type": "object"}}


PLAN = tool("plan", Plan.model_json_schema())
LOOKUP = tool("lookup", Lookup.model_json_schema())
FORMAT: Any = {"format": {"type": "json_schema", "schema": Plan.model_json_schema()}}


def request(**body: Any) -> Request:
    content = json.dumps({**ASKED, **body}).encode()
    return Request("POST", "https://api.anthropic.com/v1/messages", body=content, wire=WIRE.name)


def message(ask: Request, answer: Answer) -> Any:
    return json.loads(healthy(WIRE, ask, answer).reply.body)


def client(**options: Any) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="placeholder-key", **options)


ANSWERS = {
    "text": (request(), Answer("Hold.")),
    "nothing": (request(), Answer()),
    "empty": (request(), Answer("")),
    "reasoning": (request(), Answer("Hold.", reasoning="Hm, let me see.", usage=Usage(5, 9, 4))),
    "data": (request(output_config=FORMAT), Answer(data=DATA)),
    "forced": (request(tools=[LOOKUP, PLAN], tool_choice={"type": "any"}), Answer(data=DATA)),
    "calls": (request(tools=[PLAN, LOOKUP]), Answer(tool_calls="offered")),
    "thought and calls": (request(tools=[PLAN]), Answer(reasoning="Hm.", tool_calls="offered")),
    "text and a call": (request(tools=[PLAN]), Answer("Wait.", tool_calls=(ToolCall("plan", DATA, "mine"),))),
    "call without arguments": (request(), Answer(tool_calls=(ToolCall("ping"),))),
    "finish": (request(), Answer("Ho", finish="max_tokens")),
    "unicode": (request(), Answer("日本語の答え 🙂\u2028 two\nlines ")),
}
EVENT: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(RawMessageStreamEvent)


@pytest.mark.parametrize("case", ANSWERS)
def test_a_healthy_reply_is_strictly_valid_for_the_official_types(case: str) -> None:
    reply = healthy(WIRE, *ANSWERS[case]).reply
    parsed = Message.model_validate_json(reply.body, strict=True)
    assert not parsed.model_extra
    assert parsed.model_dump(exclude_unset=True) == json.loads(reply.body)
    assert parsed.stop_reason is not None
    assert reply.header("request-id")


@pytest.mark.parametrize("case", ANSWERS)
def test_each_event_of_a_healthy_stream_is_strictly_valid(case: str) -> None:
    ask, answer = ANSWERS[case]
    body = healthy(WIRE, request(**{**ask.json, "stream": True}), answer).as_asked().reply.body
    found = [json.loads(text) for text in payloads(body)]
    for event in found:
        assert EVENT.validate_python(event, strict=True).model_dump(exclude_unset=True) == event
    assert body.count(b"event: ") == len(found)
    assert [event["type"] for event in (found[0], found[-2], found[-1])] == [
        "message_start",
        "message_delta",
        "message_stop",
    ]


@pytest.mark.parametrize("case", ANSWERS)
def test_the_stream_helper_puts_the_reply_together_again(case: str) -> None:
    ask, answer = ANSWERS[case]
    with inject(answer), client().messages.stream(**ask.json) as stream:
        final = stream.get_final_message()
    told = json.loads(final.to_json(exclude_unset=True))
    assert told.pop("stop_details") is None  # the helper sets it
    assert told == message(ask, answer)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"output_config": {"effort": "low"}},
        {"output_config": FORMAT},
        {"output_format": FORMAT["format"]},
        {"tools": [PLAN]},
        {"tools": [PLAN], "tool_choice": {"type": "auto"}},
        {"tools": [PLAN], "tool_choice": {"type": "none"}},
        {"tools": [PLAN], "tool_choice": {"type": "tool", "name": "unknown"}},
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}], "tool_choice": {"type": "any"}},
        {"tools": "nonsense", "tool_choice": 7, "output_config": []},
    ],
)
def test_data_goes_into_the_text(body: dict[str, Any]) -> None:
    got = message(request(**body), Answer(data=DATA))
    (block,) = got["content"]
    assert json.loads(block["text"]) == DATA
    assert got["stop_reason"] == "end_turn"
    assert WIRE.data_slot(request(**body)) == "content"


@pytest.mark.parametrize(
    "choice",
    [{"type": "any"}, {"type": "tool", "name": "plan"}, {"type": "any", "disable_parallel_tool_use": True}],
)
def test_data_goes_into_the_call_that_the_request_forces(choice: dict[str, Any]) -> None:
    ask = request(tools=[LOOKUP, PLAN], tool_choice=choice)
    got = message(ask, Answer(data=DATA))
    (block,) = got["content"]
    assert (block["type"], block["name"], block["input"]) == ("tool_use", "plan", DATA)
    assert got["stop_reason"] == "tool_use"
    assert WIRE.data_slot(ask) == "arguments"
    assert WIRE.wants_data(ask, DATA) == Plan.model_json_schema()


def test_offered_calls_are_valid_and_those_that_may_be_made() -> None:
    both = message(request(tools=[LOOKUP, PLAN]), Answer(tool_calls="offered"))["content"]
    assert [block["name"] for block in both] == ["lookup", "plan"]
    assert len({block["id"] for block in both}) == 2
    Plan.model_validate(both[1]["input"])
    single = request(tools=[LOOKUP, PLAN], tool_choice={"type": "auto", "disable_parallel_tool_use": True})
    assert len(message(single, Answer(tool_calls="offered"))["content"]) == 1


def test_the_official_parser_gets_the_data() -> None:
    with inject("ok", answer=Answer(data=DATA)):
        parsed = client().messages.parse(**ASKED, output_format=Plan)
    assert parsed.parsed_output == Plan.model_validate(DATA)
    with inject("ok"):
        assert isinstance(client().messages.parse(**ASKED, output_format=Plan).parsed_output, Plan)


def test_the_official_clients_plain_and_streamed_sync_and_async() -> None:
    said = "One two three four."

    async def ask() -> tuple[Any, list[Any], str]:
        async with anthropic.AsyncAnthropic() as aclient:
            plain = await aclient.messages.create(**ASKED)
            events = [event async for event in await aclient.messages.create(**ASKED, stream=True)]
            async with aclient.messages.stream(**ASKED) as stream:
                text = "".join([piece async for piece in stream.text_stream])
            return plain, events, text

    with inject(Answer(said)) as seen:
        plain = anthropic.Anthropic().messages.create(**ASKED)
        events = list(anthropic.Anthropic().messages.create(**ASKED, stream=True))
        aplain, aevents, atext = asyncio.run(ask())
    assert plain == aplain
    assert plain.content[0].text == atext == said
    assert events == aevents
    assert seen.attempts == 5
    assert {one.wire for one in seen.requests} == {"anthropic.messages"}
    assert [one.text for one in seen.streams] == [said] * 3


@pytest.mark.parametrize("prefix", ["https://api.anthropic.com", "https://gateway.example.com/llm/anthropic"])
def test_any_base_url(prefix: str) -> None:
    with inject("ok") as seen:
        client(base_url=prefix).messages.create(**ASKED)
    assert seen.requests[0].url == f"{prefix}/v1/messages"


def test_counting_tokens_is_another_route_and_is_refused_by_name() -> None:
    with pytest.raises(Refused, match=r"anthropic\.count_tokens"), inject("ok"):
        client().messages.count_tokens(model="claude-sonnet-5-5", messages=ASKED["messages"])


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (400, "invalid_request_error", anthropic.BadRequestError),
        (401, "authentication_error", anthropic.AuthenticationError),
        (403, "permission_error", anthropic.PermissionDeniedError),
        (404, "not_found_error", anthropic.NotFoundError),
        (429, "rate_limit_error", anthropic.RateLimitError),
        (500, "api_error", anthropic.InternalServerError),
        (529, "overloaded_error", anthropic.InternalServerError),
    ],
)
def test_errors_have_the_type_of_their_status(status: int, kind: str, error: type[Exception]) -> None:
    body = WIRE.error(status, "It failed.", None)
    assert body["error"] == {"type": kind, "message": "It failed."}
    with inject(Reply.json(body, status=status)), pytest.raises(error) as raised:
        client(max_retries=0).messages.create(**ASKED)
    assert raised.value.type == kind  # type: ignore[attr-defined]


def test_an_overload_in_a_stream_is_no_overload_by_class() -> None:
    with inject("stream.error_event"), pytest.raises(anthropic.APIStatusError) as raised:
        list(client().messages.create(**ASKED, stream=True))
    assert raised.value.status_code == 200


def test_one_provider_fails_and_the_other_answers() -> None:
    """A chain by hand: openai, then anthropic."""
    import openai

    def ask() -> str:
        try:
            one = openai.OpenAI(max_retries=2).chat.completions.create(model="gpt-5", messages=[])
            return str(one.choices[0].message.content)
        except openai.APIError:
            block = anthropic.Anthropic().messages.create(**ASKED).content[0]
            return str(getattr(block, "text", ""))

    with inject("status.503", wire="openai.chat") as primary:
        with inject(Answer("from claude"), wire="anthropic.messages") as fallback:
            assert ask() == "from claude"
        assert (primary.attempts, fallback.attempts) == (3, 1)
        assert fallback.requests[0].wire == "anthropic.messages"
    with inject("status.503") as seen:
        with pytest.raises(anthropic.APIStatusError):
            ask()
        assert (seen.on(wire="openai.chat").attempts, seen.on(wire="anthropic.messages").attempts) == (3, 3)
