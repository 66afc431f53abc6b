"""The wire bedrock.converse, judged by the official SDK: its model of the API, its client, its reader of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import botocore.session
import pytest
import requests
from botocore.eventstream import EventStreamBuffer
from botocore.exceptions import ClientError, EventStreamError
from botocore.validate import ParamValidator

from pytest_llmfaults import Answer, Refused, ToolCall, Usage, inject
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from tests.bedrock_asks import formatted, tooled

WIRE = WIRES["bedrock.converse"]
MODEL = "eu.anthropic.claude-sonnet-5-5:0"
ASKED: Any = {"modelId": MODEL, "messages": [{"role": "user", "content": [{"text": "hello"}]}]}
DATA: Any = {"actions": [{"action": "BUY", "ticker": "ACME", "quantity": 2}]}
PLAN: Any = {"type": "object", "properties": {"actions": {"type": "array"}}, "required": ["actions"]}
LOOKUP: Any = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
BOTH = {"lookup": LOOKUP, "plan": PLAN}
STREAMED = botocore.session.get_session().get_service_model("bedrock-runtime").shape_for("ConverseStreamOutput")
WHOLE = botocore.session.get_session().get_service_model("bedrock-runtime").shape_for("ConverseResponse")


@pytest.fixture(scope="module")
def client() -> Any:
    placeholders = {"aws_access_key_id": "placeholder-key", "aws_secret_access_key": "placeholder-key"}
    return boto3.client("bedrock-runtime", region_name="us-east-1", **placeholders)


def request(*, stream: bool = False, **body: Any) -> Request:
    return WIRE.request({"messages": [], **body}, origin="https://api.example.com", stream=stream)


def message(ask: Request, answer: Answer) -> Any:
    return json.loads(healthy(WIRE, ask, answer).reply.body)


def blocks(ask: Request, answer: Answer) -> Any:
    return message(ask, answer)["output"]["message"]["content"]


ANSWERS: dict[str, tuple[dict[str, Any], Answer]] = {
    "text": ({}, Answer("Hold.")),
    "nothing": ({}, Answer()),
    "empty": ({}, Answer("")),
    "reasoning": ({}, Answer("Hold.", reasoning="Hm, let me see.", usage=Usage(5, 9, 4))),
    "data": (formatted(PLAN), Answer(data=DATA)),
    "forced": (tooled(BOTH, any={}), Answer(data=DATA)),
    "calls": (tooled(BOTH), Answer(tool_calls="offered")),
    "thought and calls": (tooled(BOTH), Answer(reasoning="Hm.", tool_calls="offered")),
    "text and a call": (tooled(BOTH), Answer("Wait.", tool_calls=(ToolCall("plan", DATA, "mine"),))),
    "call without arguments": ({}, Answer(tool_calls=(ToolCall("ping"),))),
    "finish": ({}, Answer("Ho", finish="max_tokens")),
    "unicode": ({}, Answer("日本語の答え 🙂\u2028 two\nlines ")),
}


def unknown(value: Any, shape: Any) -> Iterator[str]:
    """Yield what a shape of the SDK's model does not know, and what its enumeration of words does not have."""
    if shape.type_name == "structure" and not shape.is_document_type:
        for key, inner in value.items():
            if key in shape.members:
                yield from unknown(inner, shape.members[key])
            else:
                yield f"{shape.name}.{key}"
    elif shape.type_name == "list":
        for inner in value:
            yield from unknown(inner, shape.member)
    elif shape.type_name == "string" and shape.enum and value not in shape.enum:
        yield f"{shape.name} {value!r}"


def strictly(value: Any, shape: Any) -> None:
    """Refuse what the SDK's model of the API does not say: too little, too much, or of another type."""
    assert not ParamValidator().validate(value, shape).has_errors(), ParamValidator().validate(value, shape)
    assert list(unknown(value, shape)) == []


def chunks(body: dict[str, Any], answer: Answer) -> list[Any]:
    """Return the events of a healthy stream, as the SDK's own reader of frames finds them."""
    buffer = EventStreamBuffer()
    buffer.add_data(healthy(WIRE, request(stream=True, **body), answer).as_asked().reply.body)
    return [{frame.headers[":event-type"]: json.loads(frame.payload)} for frame in buffer]


@pytest.mark.parametrize("case", ANSWERS)
def test_a_healthy_reply_is_strictly_what_the_model_of_the_api_says(case: str) -> None:
    body, answer = ANSWERS[case]
    strictly(message(request(**body), answer), WHOLE)


@pytest.mark.parametrize("case", ANSWERS)
def test_each_event_of_a_healthy_stream_is_strictly_one_of_the_api(case: str) -> None:
    found = chunks(*ANSWERS[case])
    for chunk in found:
        strictly(chunk, STREAMED)
    kinds = [next(iter(chunk)) for chunk in found]
    assert (kinds[0], kinds[-2:]) == ("messageStart", ["messageStop", "metadata"])


@pytest.mark.parametrize("case", ANSWERS)
def test_the_events_say_what_the_reply_says(case: str) -> None:
    body, answer = ANSWERS[case]
    found, whole = chunks(body, answer), message(request(**body), answer)
    content = list(joined(found))
    assert found[0]["messageStart"] == {"role": "assistant"}
    assert {
        "output": {"message": {"role": "assistant", "content": content}},
        **found[-2]["messageStop"],
        **found[-1]["metadata"],
    } == whole


def joined(found: list[Any]) -> Iterator[Any]:
    """Yield the blocks of a stream, each put together from its pieces."""
    started: Any = None
    texts: dict[str, str] = {}
    for chunk in found:
        delta = chunk.get("contentBlockDelta", {}).get("delta", {})
        started = chunk["contentBlockStart"]["start"]["toolUse"] if "contentBlockStart" in chunk else started
        for key, text in (delta.get("reasoningContent") or delta.get("toolUse") or delta).items():
            texts[key] = texts.get(key, "") + text
        if "contentBlockStop" in chunk:
            if started is not None:
                yield {"toolUse": {**started, "input": json.loads(texts["input"])}}
            else:
                yield {"reasoningContent": {"reasoningText": texts}} if "signature" in texts else texts
            started, texts = None, {}


@pytest.mark.parametrize(
    "body",
    [
        {},
        formatted(PLAN),
        {"outputConfig": {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"schema": "{"}}}}},
        tooled(BOTH),
        tooled(BOTH, auto={}),
        tooled(BOTH, tool={"name": "unknown"}),
        {"toolConfig": {"tools": [{"cachePoint": {"type": "default"}}], "toolChoice": {"any": {}}}},
        {"toolConfig": 7, "outputConfig": []},
    ],
)
def test_data_goes_into_the_text(body: dict[str, Any]) -> None:
    ask = request(**body)
    (block,) = blocks(ask, Answer(data=DATA))
    assert json.loads(block["text"]) == DATA
    assert WIRE.data_slot(ask) == "content"


@pytest.mark.parametrize("choice", [{"any": {}}, {"tool": {"name": "plan"}}])
def test_data_goes_into_the_call_that_the_request_forces(choice: dict[str, Any]) -> None:
    ask = request(**tooled(BOTH, **choice))
    (block,) = blocks(ask, Answer(data=DATA))
    assert (block["toolUse"]["name"], block["toolUse"]["input"]) == ("plan", DATA)
    assert WIRE.data_slot(ask) == "arguments"
    assert WIRE.wants_data(ask, DATA) == PLAN


def test_the_schema_of_a_text_is_read_from_the_text_that_it_is() -> None:
    assert WIRE.wants_data(request(**formatted(PLAN)), None) == PLAN
    assert WIRE.wants_data(request(), None) is None


def test_what_a_request_says() -> None:
    asked = request(stream=True, **tooled(BOTH), inferenceConfig={"maxTokens": 77})
    assert asked.url == "https://api.example.com/model/anthropic.claude-sonnet-5-5/converse-stream"
    assert (asked.stream, asked.token_limit, len(asked.tools)) == (True, 77, 2)
    assert not request().stream
    nowhere = WIRE.takes(Request("POST", "https://api.example.com/converse"))
    assert (nowhere.model, nowhere.tools, nowhere.token_limit) == (None, [], None)


def test_the_official_client_plain_and_streamed_on_its_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing but the placeholders: it asks nobody for credentials or for a region."""
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    said = Answer("One two three four.", reasoning="Let me count.", tool_calls=(ToolCall("plan", DATA),))
    with inject(said) as seen:
        made = boto3.Session().client("bedrock-runtime")
        plain = made.converse(**ASKED)
        events = list(made.converse_stream(**ASKED)["stream"])
    assert [next(iter(block)) for block in plain["output"]["message"]["content"]] == [
        "reasoningContent",
        "text",
        "toolUse",
    ]
    assert plain["output"]["message"]["content"] == list(joined(events))
    assert (
        events[-1]["metadata"]["usage"] == plain["usage"] == {"inputTokens": 24, "outputTokens": 17, "totalTokens": 41}
    )
    assert [one.library for one in seen.requests] == ["urllib3"] * 2
    assert {(one.wire, one.model, one.host) for one in seen.requests} == {
        ("bedrock.converse", MODEL, "bedrock-runtime.us-east-1.amazonaws.com")
    }
    assert [one.stream for one in seen.requests] == [False, True]
    assert [one.text for one in seen.streams if one is not None] == ["One two three four."]


def test_without_any_credentials_the_search_for_them_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address that a machine of the provider asks for its credentials is one of another machine."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    with pytest.raises(Refused, match=r"PUT 169\.254\.169\.254/latest/api/token \(urllib3\) was refused"), inject("ok"):  # noqa: PT012
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")  # the placeholders
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        made = boto3.Session(region_name="us-east-1")
        made.client("bedrock-runtime").converse(**ASKED)


def test_waits_between_attempts_are_virtual_and_counted(client: Any) -> None:
    with inject("status.503", "status.429_rate", "ok") as seen:
        assert client.converse(**ASKED)["ResponseMetadata"]["RetryAttempts"] == 2
    assert seen.attempts == 3
    assert all(0 <= wait <= limit for wait, limit in zip(seen.waits, (1, 2), strict=True))


@pytest.mark.parametrize(
    ("name", "raised", "attempts"),
    [
        ("status.400", "ValidationException", 1),
        ("status.403", "AccessDeniedException", 1),
        ("status.404", "ResourceNotFoundException", 1),
        ("status.408", "ModelTimeoutException", 1),
        ("status.424", "ModelErrorException", 1),
        ("status.429_rate", "ThrottlingException", 3),
        ("status.429_model_not_ready", "ModelNotReadyException", 3),
        ("status.400_service_quota", "ServiceQuotaExceededException", 1),
        ("status.500", "InternalServerException", 3),
        ("status.503", "ServiceUnavailableException", 3),
    ],
)
def test_an_error_is_the_exception_of_its_type(name: str, raised: str, attempts: int, client: Any) -> None:
    with inject(name) as seen, pytest.raises(getattr(client.exceptions, raised)) as error:
        client.converse(**ASKED)
    assert error.value.response["Error"]["Code"] == raised
    assert error.value.response["Error"]["Message"]
    assert seen.attempts == attempts


def test_an_error_without_its_header_has_no_type(client: Any) -> None:
    with inject("status.429_untyped"), pytest.raises(ClientError) as error:
        client.converse(**ASKED)
    assert type(error.value) is ClientError
    assert error.value.response["Error"]["Code"] == "429"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("stream.error_mid_429", "throttlingException"),
        ("stream.error_mid_500", "internalServerException"),
        ("stream.error_first_400", "validationException"),
        ("stream.exception_first", "modelStreamErrorException"),
        ("stream.exception_mid", "modelStreamErrorException"),
        ("stream.error_frame", "InternalError"),
    ],
)
def test_an_error_in_a_stream_is_raised_and_never_retried(name: str, code: str, client: Any) -> None:
    with inject(name) as seen, pytest.raises(EventStreamError) as error:
        list(client.converse_stream(**ASKED)["stream"])
    assert error.value.response["Error"]["Code"] == code
    assert seen.attempts == 1


def test_another_route_of_the_provider_is_refused_by_name() -> None:
    with (
        pytest.raises(Refused, match=r"is on the wire bedrock\.invoke_model, which this version cannot speak yet"),
        inject("ok"),
    ):
        requests.post(
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke-with-response-stream", json={}, timeout=1
        )
