from __future__ import annotations

import json
from typing import Any

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletion

from pytest_llmfaults._answer import Answer, ToolCall, Usage
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from tests.wires.models import DATA, Lookup, Plan

WIRE = WIRES["openai.chat"]


def tool(name: str, parameters: Any = None) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **({"parameters": parameters} if parameters else {})}}


PLAN = tool("plan", Plan.model_json_schema())
LOOKUP = tool("lookup", Lookup.model_json_schema())


def request(**body: Any) -> Request:
    content = json.dumps({"model": "gpt-5", "messages": [], **body}).encode()
    return Request("POST", "https://api.openai.com/v1/chat/completions", body=content, wire=WIRE.name)


def choice(ask: Request, answer: Answer) -> Any:
    return json.loads(healthy(WIRE, ask, answer).reply.body)["choices"][0]


def only_call(ask: Request, answer: Answer) -> tuple[str, Any]:
    """Return name and arguments of the one call, which the answer's ending fits."""
    got = choice(ask, answer)
    (call,) = got["message"]["tool_calls"]
    assert got["finish_reason"] == "tool_calls"
    assert got["message"]["content"] is None
    return call["function"]["name"], json.loads(call["function"]["arguments"])


def json_schema(schema: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "plan", "schema": schema, "strict": True}}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"response_format": {"type": "text"}},
        {"response_format": {"type": "json_object"}},
        {"response_format": json_schema(Plan.model_json_schema())},
        {"tools": [PLAN]},
        {"tools": [PLAN], "tool_choice": "auto"},
        {"tools": [PLAN], "tool_choice": "none"},
        {"tools": [PLAN], "response_format": json_schema(Plan.model_json_schema())},
        {"tools": [PLAN], "tool_choice": {"type": "function", "function": {"name": "unknown"}}},
        {"tool_choice": "required"},
        {"tools": [PLAN], "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [PLAN]}}},
        {"functions": [PLAN["function"]], "function_call": "auto"},
        {"tools": "nonsense", "tool_choice": 7, "response_format": []},
    ],
)
def test_data_goes_into_the_content(body: dict[str, Any]) -> None:
    got = choice(request(**body), Answer(data=DATA))
    assert json.loads(got["message"]["content"]) == DATA
    assert "tool_calls" not in got["message"]
    assert got["finish_reason"] == "stop"
    assert WIRE.data_slot(request(**body)) == "content"


@pytest.mark.parametrize(
    "body",
    [
        {"tools": [LOOKUP, PLAN], "tool_choice": {"type": "function", "function": {"name": "plan"}}},
        {"tools": [PLAN], "tool_choice": "required"},
        {"tools": [PLAN], "tool_choice": "any"},
        {"tools": [LOOKUP, PLAN], "tool_choice": "required"},
        {"tools": [tool("stop"), LOOKUP, PLAN], "tool_choice": "required", "response_format": {"type": "json_object"}},
        {
            "tools": [LOOKUP, tool("other"), PLAN],
            "tool_choice": {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "required", "tools": [tool("plan"), tool("lookup")]},
            },
        },
    ],
)
def test_data_goes_into_the_call_that_the_request_forces(body: dict[str, Any]) -> None:
    ask = request(**body)
    assert only_call(ask, Answer(data=DATA)) == ("plan", DATA)
    assert WIRE.data_slot(ask) == "arguments"
    assert WIRE.wants_data(ask, DATA) == Plan.model_json_schema()


def test_data_that_fits_no_tool_goes_to_the_first() -> None:
    ask = request(tools=[LOOKUP, PLAN], tool_choice="required")
    assert only_call(ask, Answer(data={"unknown": 1})) == ("lookup", {"unknown": 1})
    assert only_call(ask, Answer(data={"limit": 1})) == ("lookup", {"limit": 1})


def test_data_and_calls_of_the_answer_come_together() -> None:
    ask = request(tools=[LOOKUP, PLAN], tool_choice="required")
    got = choice(ask, Answer(data=DATA, tool_calls=(ToolCall("lookup", {"query": "x"}, id="mine"),)))
    names = [(call["id"], call["function"]["name"]) for call in got["message"]["tool_calls"]]
    assert names == [("call_000000000000000000000001", "plan"), ("mine", "lookup")]


def test_functions_of_old() -> None:
    functions = [LOOKUP["function"], PLAN["function"]]
    ask = request(functions=functions, function_call={"name": "plan"})
    got = choice(ask, Answer(data=DATA))
    assert got["message"]["function_call"]["name"] == "plan"
    assert json.loads(got["message"]["function_call"]["arguments"]) == DATA
    assert got["finish_reason"] == "function_call"
    assert WIRE.data_slot(ask) == "legacy_arguments"
    offered = choice(request(functions=functions), Answer(tool_calls="offered"))
    assert offered["message"]["function_call"]["name"] == "lookup"


@pytest.mark.parametrize(
    ("body", "schema"),
    [
        ({}, None),
        ({"response_format": {"type": "text"}}, None),
        ({"response_format": {"type": "json_object"}}, {"type": "object"}),
        ({"response_format": json_schema({"type": "object"})}, {"type": "object"}),
        ({"response_format": {"type": "json_schema"}}, None),
        ({"tools": [tool("plan")], "tool_choice": "required"}, {"type": "object"}),
    ],
)
def test_the_schema_of_the_data(body: dict[str, Any], schema: Any) -> None:
    assert WIRE.wants_data(request(**body), None) == schema


def test_offered_calls_are_valid_and_those_that_may_be_made() -> None:
    both = request(tools=[LOOKUP, PLAN])
    calls = choice(both, Answer(tool_calls="offered"))["message"]["tool_calls"]
    assert [call["function"]["name"] for call in calls] == ["lookup", "plan"]
    assert len({call["id"] for call in calls}) == 2
    Lookup.model_validate_json(calls[0]["function"]["arguments"])
    Plan.model_validate_json(calls[1]["function"]["arguments"])
    forced = request(tools=[LOOKUP, PLAN], tool_choice={"type": "function", "function": {"name": "plan"}})
    assert only_call(forced, Answer(tool_calls="offered"))[0] == "plan"
    single = request(tools=[LOOKUP, PLAN], parallel_tool_calls=False)
    assert only_call(single, Answer(tool_calls="offered"))[0] == "lookup"
    assert only_call(request(tools=[tool("ping")]), Answer(tool_calls="offered")) == ("ping", {})


def test_an_answer_that_says_nothing_fits_the_request() -> None:
    forced = request(tools=[PLAN], tool_choice="required")
    Plan.model_validate(only_call(forced, Answer())[1])
    content = choice(request(response_format=json_schema(Plan.model_json_schema())), Answer())["message"]["content"]
    Plan.model_validate_json(content)
    assert choice(request(), Answer())["message"]["content"]


ANSWERS = {
    "text": (request(), Answer("Hold.")),
    "nothing": (request(), Answer()),
    "reasoning": (request(), Answer("Hold.", reasoning="Hm.", usage=Usage(5, 9, 4))),
    "data": (request(), Answer(data=DATA)),
    "forced": (request(tools=[PLAN], tool_choice="required"), Answer(data=DATA)),
    "calls": (request(tools=[PLAN, LOOKUP]), Answer(tool_calls="offered")),
    "text and a call": (request(tools=[PLAN]), Answer("Wait.", tool_calls=(ToolCall("plan", DATA),))),
    "legacy": (request(functions=[PLAN["function"]], function_call={"name": "plan"}), Answer(data=DATA)),
    "finish": (request(), Answer("Ho", finish="length")),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_a_healthy_reply_is_valid_for_the_official_types(case: str) -> None:
    reply = healthy(WIRE, *ANSWERS[case]).reply
    assert reply.status == 200
    assert reply.header("content-type") == "application/json"
    completion = ChatCompletion.model_validate_json(reply.body, strict=True)
    assert not completion.model_extra
    message = completion.choices[0].message
    assert set(message.model_extra or ()) == ({"reasoning_content"} if case == "reasoning" else set())
    assert completion.usage is not None
    assert completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens


def client(answer: Answer) -> openai.OpenAI:
    """Return the official client, talking to a healthy gateway."""

    def respond(asked: httpx2.Request) -> httpx2.Response:
        ask = Request(asked.method, str(asked.url), tuple(asked.headers.items()), asked.content, wire=WIRE.name)
        reply = healthy(WIRE, ask, answer).reply
        return httpx2.Response(reply.status, headers=list(reply.headers), content=reply.body)

    http = httpx2.Client(transport=httpx2.MockTransport(respond))
    return openai.OpenAI(api_key="placeholder-key", http_client=http, max_retries=0)


def test_the_official_parser_gets_the_data_of_a_response_format() -> None:
    for answer in (Answer(data=DATA), Answer()):
        completion = client(answer).chat.completions.parse(model="gpt-5", messages=[], response_format=Plan)
        assert isinstance(completion.choices[0].message.parsed, Plan)
    assert completion.model == "gpt-5"


def test_the_official_parser_gets_the_data_of_a_forced_tool() -> None:
    tools = [openai.pydantic_function_tool(Lookup), openai.pydantic_function_tool(Plan)]
    for answer, model in ((Answer(data=DATA), Plan), (Answer(), Lookup)):
        completion = client(answer).chat.completions.parse(
            model="gpt-5", messages=[], tools=tools, tool_choice="required"
        )
        calls = completion.choices[0].message.tool_calls or []
        assert [type(call.function.parsed_arguments) for call in calls] == [model]


def test_the_official_parser_gets_offered_calls() -> None:
    tools = [openai.pydantic_function_tool(Lookup), openai.pydantic_function_tool(Plan)]
    completion = client(Answer(tool_calls="offered")).chat.completions.parse(model="gpt-5", messages=[], tools=tools)
    parsed = [call.function.parsed_arguments for call in completion.choices[0].message.tool_calls or ()]
    assert [type(one) for one in parsed] == [Lookup, Plan]
