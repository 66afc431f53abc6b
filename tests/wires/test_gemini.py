"""The wire gemini, judged by the official SDK: its models, its clients, and the reply to what it asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
import requests
from google import genai
from google.genai import errors, types

from pytest_llmfaults import Answer, Refused, ToolCall, Usage, inject
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._sse import payloads
from pytest_llmfaults._wires.gemini_schema import json_schema
from tests.wires.models import DATA, Lookup, Plan

WIRE = WIRES["gemini"]
MODEL = "gemini-3.8-flash"
ASKED: Any = {"model": MODEL, "contents": "hello"}


@pytest.fixture(scope="module")
def client() -> Iterator[genai.Client]:
    with genai.Client(api_key="placeholder-key") as made:
        yield made


def function(name: str, schema: Any = None, *, key: str = "parametersJsonSchema") -> dict[str, Any]:
    return {"name": name, key: schema or {"type": "object"}}


PLAN = function("plan", Plan.model_json_schema())
LOOKUP = function("lookup", Lookup.model_json_schema())
FORMAT: Any = {"responseMimeType": "application/json", "responseJsonSchema": Plan.model_json_schema()}


def tools(*functions: Any, mode: str | None = None, **more: Any) -> dict[str, Any]:
    config = {} if mode is None else {"toolConfig": {"functionCallingConfig": {"mode": mode, **more}}}
    return {"tools": [{"functionDeclarations": list(functions)}], **config}


def request(*, stream: bool = False, **body: Any) -> Request:
    return WIRE.request({"contents": [], **body}, origin="https://api.example.com", stream=stream)


def message(ask: Request, answer: Answer) -> Any:
    return json.loads(healthy(WIRE, ask, answer).reply.body)


def parts(ask: Request, answer: Answer) -> Any:
    return message(ask, answer)["candidates"][0]["content"]["parts"]


ANSWERS: dict[str, tuple[dict[str, Any], Answer]] = {
    "text": ({}, Answer("Hold.")),
    "nothing": ({}, Answer()),
    "empty": ({}, Answer("")),
    "reasoning": ({}, Answer("Hold.", reasoning="Hm, let me see.", usage=Usage(5, 9, 4))),
    "data": ({"generationConfig": FORMAT}, Answer(data=DATA)),
    "forced": (tools(LOOKUP, PLAN, mode="ANY"), Answer(data=DATA)),
    "calls": (tools(PLAN, LOOKUP), Answer(tool_calls="offered")),
    "thought and calls": (tools(PLAN), Answer(reasoning="Hm.", tool_calls="offered")),
    "text and a call": (tools(PLAN), Answer("Wait.", tool_calls=(ToolCall("plan", DATA, "mine", "c2ln"),))),
    "call without arguments": ({}, Answer(tool_calls=(ToolCall("ping"),))),
    "finish": ({}, Answer("Ho", finish="MAX_TOKENS")),
    "unicode": ({}, Answer("日本語の答え 🙂\u2028 two\nlines ")),
}


def strictly(text: str | bytes) -> Any:
    """Return JSON as the SDK's model of it has it; what the model does not know is refused."""
    parsed = types.GenerateContentResponse.model_validate_json(text, strict=True)
    return parsed.model_dump(mode="json", by_alias=True, exclude_unset=True)


@pytest.mark.parametrize("case", ANSWERS)
def test_a_healthy_reply_is_strictly_valid_for_the_official_types(case: str) -> None:
    body, answer = ANSWERS[case]
    reply = healthy(WIRE, request(**body), answer).reply
    assert strictly(reply.body) == json.loads(reply.body)


@pytest.mark.parametrize("case", ANSWERS)
def test_each_event_of_a_healthy_stream_is_strictly_valid(case: str) -> None:
    body, answer = ANSWERS[case]
    found = payloads(healthy(WIRE, request(stream=True, **body), answer).as_asked().reply.body)
    for text in found:
        assert strictly(text) == json.loads(text)
    reasons = ["finishReason" in json.loads(text)["candidates"][0] for text in found]
    assert reasons == [False] * (len(found) - 1) + [True]


@pytest.mark.parametrize("case", ANSWERS)
def test_the_events_say_what_the_reply_says(case: str) -> None:
    body, answer = ANSWERS[case]
    events = [
        json.loads(text) for text in payloads(healthy(WIRE, request(stream=True, **body), answer).as_asked().reply.body)
    ]
    whole = message(request(**body), answer)
    candidate = {**events[-1]["candidates"][0], "content": {"role": "model", "parts": list(joined(events))}}
    assert {**events[-1], "candidates": [candidate]} == whole


def joined(events: list[Any]) -> Iterator[Any]:
    """Yield the parts of a stream, the pieces of a text put together."""
    open_part: dict[str, Any] | None = None
    for event in events[:-1]:
        (part,) = event["candidates"][0]["content"]["parts"]
        if "text" in part and open_part is not None and open_part.get("thought") == part.get("thought"):
            open_part["text"] += part["text"]
            continue
        if open_part is not None:
            yield open_part
        open_part = part if "text" in part else None
        if open_part is None:
            yield part
    if open_part is not None:
        yield open_part


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"generationConfig": {"responseMimeType": "application/json"}},
        {"generationConfig": FORMAT},
        {"generation_config": {"response_mime_type": "application/json", "response_schema": {"type": "OBJECT"}}},
        tools(PLAN),
        tools(PLAN, mode="AUTO"),
        tools(PLAN, mode="NONE"),
        {"tools": [{"googleSearch": {}}], "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
        {"tools": "nonsense", "toolConfig": 7, "generationConfig": []},
    ],
)
def test_data_goes_into_the_text(body: dict[str, Any]) -> None:
    ask = request(**body)
    (part,) = parts(ask, Answer(data=DATA))
    assert json.loads(part["text"]) == DATA
    assert WIRE.data_slot(ask) == "content"


@pytest.mark.parametrize(
    "body",
    [
        tools(LOOKUP, PLAN, mode="ANY"),
        tools(LOOKUP, PLAN, mode="ANY", allowedFunctionNames=["plan"]),
        {
            "tools": [{"function_declarations": [LOOKUP]}, {"function_declarations": [PLAN]}],
            "tool_config": {"function_calling_config": {"mode": "any"}},
        },
    ],
)
def test_data_goes_into_the_call_that_the_request_forces(body: dict[str, Any]) -> None:
    ask = request(**body)
    (part,) = parts(ask, Answer(data=DATA))
    assert (part["functionCall"]["name"], part["functionCall"]["args"]) == ("plan", DATA)
    assert WIRE.data_slot(ask) == "arguments"
    assert WIRE.wants_data(ask, DATA) == Plan.model_json_schema()


def test_offered_calls_are_valid_and_only_the_first_is_signed() -> None:
    first, second = parts(request(**tools(LOOKUP, PLAN)), Answer(tool_calls="offered"))
    assert [one["functionCall"]["name"] for one in (first, second)] == ["lookup", "plan"]
    assert first["functionCall"]["id"] != second["functionCall"]["id"]
    Plan.model_validate(second["functionCall"]["args"])
    assert "thoughtSignature" in first
    assert "thoughtSignature" not in second


def test_schemas_in_the_words_of_gemini_are_read() -> None:
    gemini = {
        "type": "OBJECT",
        "properties": {
            "type": {"type": "STRING", "nullable": True},
            "tags": {"type": "ARRAY", "minItems": "2", "items": {"type": "STRING"}},
            "either": {"any_of": [{"type": "INTEGER"}, {"type": "BOOLEAN"}]},
        },
        "required": ["tags"],
    }
    read = json_schema(gemini)
    assert read["type"] == "object"
    assert read["properties"]["type"] == {"type": ["string", "null"]}
    assert read["properties"]["tags"] == {"type": "array", "minItems": 2, "items": {"type": "string"}}
    assert read["properties"]["either"]["anyOf"][1] == {"type": "boolean"}
    ask = request(**tools(function("note", gemini, key="parameters")))
    (part,) = parts(ask, Answer(tool_calls="offered"))
    assert len(part["functionCall"]["args"]["tags"]) == 2


@pytest.mark.parametrize("schema", [{"response_schema": Plan}, {"response_json_schema": Plan.model_json_schema()}])
def test_the_official_parser_gets_the_data(schema: dict[str, Any], client: genai.Client) -> None:
    config: Any = {"response_mime_type": "application/json", **schema}
    with inject("ok", answer=Answer(data=DATA)):
        parsed = client.models.generate_content(**ASKED, config=config).parsed
    assert Plan.model_validate(parsed, from_attributes=True) == Plan.model_validate(DATA)
    with inject("ok"):
        made = client.models.generate_content(**ASKED, config=config).parsed
    assert isinstance(Plan.model_validate(made, from_attributes=True), Plan)


@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")  # the SDK's own
def test_the_official_clients_plain_and_streamed_sync_and_async() -> None:
    """On their defaults: httpx2, and under asyncio aiohttp, or httpx2 where that client is given."""
    said = Answer("One two three four.", reasoning="Let me count.")

    async def ask(**options: Any) -> tuple[Any, list[Any]]:
        async with genai.Client(**options).aio as client:
            plain = await client.models.generate_content(**ASKED)
            return plain, [chunk async for chunk in await client.models.generate_content_stream(**ASKED)]

    def sync() -> tuple[Any, list[Any]]:
        with genai.Client() as client:
            return client.models.generate_content(**ASKED), list(client.models.generate_content_stream(**ASKED))

    def told(answers: tuple[Any, list[Any]]) -> Any:
        plain, chunks = answers
        return [one.model_dump(exclude={"sdk_http_response"}) for one in (plain, *chunks)], plain.text

    inner = types.HttpOptions(httpx_async_client=httpx2.AsyncClient())
    with inject(said) as seen:
        found = [told(sync()), told(asyncio.run(ask())), told(asyncio.run(ask(http_options=inner)))]
    assert found[0] == found[1] == found[2]
    assert found[0][1] == said.text
    assert [one.library for one in seen.requests] == ["httpx2"] * 2 + ["aiohttp"] * 2 + ["httpx2"] * 2
    assert {(one.wire, one.model) for one in seen.requests} == {("gemini", MODEL)}
    assert [one.stream for one in seen.requests] == [False, True] * 3
    assert [(one.text, one.closed) for one in seen.streams] == [(said.text, "drained")] * 3


def test_automatic_function_calls_of_the_sdk(client: genai.Client) -> None:
    asked: list[str] = []

    def search(query: str) -> str:
        """Search."""
        asked.append(query)
        return "sunny"

    calls = Answer(tool_calls=(ToolCall("search", {"query": "weather"}),))
    with inject(calls, Answer("It is sunny.")) as seen:
        reply = client.models.generate_content(**ASKED, config=types.GenerateContentConfig(tools=[search]))
    assert (reply.text, asked, seen.attempts) == ("It is sunny.", ["weather"], 2)


@pytest.mark.parametrize(
    "path",
    [
        "https://gateway.example.com/llm/v1beta/models/gemini-pro:generateContent",
        "https://aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google/models/gemini-pro:generateContent",
        "https://gateway.example.com/models/gemini-pro:streamGenerateContent?alt=sse&key=k",
    ],
)
def test_hand_made_clients_at_any_base_url(path: str) -> None:
    with inject(Answer("Hold."), model="gemini-pro") as seen:
        reply = requests.post(path, json={"contents": [{"parts": [{"text": "hi"}]}]}, timeout=5)
    (asked,) = seen.requests
    body = payloads(reply.content)[0] if asked.stream else reply.text
    assert asked.model == "gemini-pro"
    assert json.loads(body)["candidates"][0]["content"]["parts"] == [{"text": "Hold."[: 1 if asked.stream else 9]}]
    assert json.loads(body)["modelVersion"] == "gemini-pro"


def test_vertex_ai_by_the_official_client() -> None:
    with inject(Answer("Hold.")) as seen:
        client = genai.Client(vertexai=True, api_key="placeholder-key")
        assert client.models.generate_content(**ASKED).text == "Hold."
        assert "".join(chunk.text or "" for chunk in client.models.generate_content_stream(**ASKED)) == "Hold."
    assert "/publishers/google/models/" in seen.requests[0].url


def test_other_routes_and_other_forms_of_a_stream_are_refused_by_name(client: genai.Client) -> None:
    with pytest.raises(Refused, match=r"gemini\.count_tokens"), inject("ok"):
        client.models.count_tokens(**ASKED)
    url = f"https://gateway.example.com/v1beta/models/{MODEL}:streamGenerateContent"
    with pytest.raises(Refused, match=r"as one JSON array .*only as server-sent events"), inject("ok"):
        requests.post(url, json={}, timeout=5)


@pytest.mark.parametrize(
    ("status", "word", "error"),
    [
        (400, "INVALID_ARGUMENT", errors.ClientError),
        (403, "PERMISSION_DENIED", errors.ClientError),
        (404, "NOT_FOUND", errors.ClientError),
        (429, "RESOURCE_EXHAUSTED", errors.ClientError),
        (500, "INTERNAL", errors.ServerError),
        (503, "UNAVAILABLE", errors.ServerError),
        (504, "DEADLINE_EXCEEDED", errors.ServerError),
    ],
)
def test_errors_have_the_word_of_their_status(
    status: int, word: str, error: type[errors.APIError], client: genai.Client
) -> None:
    body = WIRE.error(status, "It failed.", None)
    with inject(Reply.json(body, status=status)) as seen, pytest.raises(error) as raised:
        client.models.generate_content(**ASKED)
    assert (raised.value.code, raised.value.status, raised.value.message) == (status, word, "It failed.")
    assert seen.attempts == 1  # the SDK retries only when it is asked to


def test_an_error_in_a_stream_is_the_error_of_its_status(client: genai.Client) -> None:
    with inject("stream.error_mid_500") as seen, pytest.raises(errors.ServerError) as raised:
        list(client.models.generate_content_stream(**ASKED))
    assert (raised.value.code, raised.value.status) == (500, "INTERNAL")
    assert seen.streams[0].output


def test_a_limit_of_tokens_is_read_where_this_wire_has_it(client: genai.Client) -> None:
    with inject("finish.length"):
        reply = client.models.generate_content(**ASKED, config={"max_output_tokens": 77})
    assert reply.usage_metadata is not None
    assert reply.usage_metadata.candidates_token_count == 77
