"""One name, the same meaning, on every wire that can carry it: what the rows make of bedrock.converse."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest
from botocore.eventstream import ChecksumMismatch, EventStreamBuffer
from botocore.exceptions import EventStreamError
from botocore.parsers import ResponseParserError

from pytest_llmfaults import Answer, ToolCall, inject
from pytest_llmfaults._faults import CATALOGUE, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import DoesNotApply, OtherWire
from tests.bedrock_asks import tooled

WIRE = WIRES["bedrock.converse"]
TOOLS = tooled({"search": {"type": "object", "properties": {"query": {"type": "string"}}}})
CALL = Answer(tool_calls=(ToolCall("search", {"query": "weather today"}),))
TEXT = Answer("Hold the position.")
ASKED: Any = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "hello"}]}]}


@pytest.fixture(scope="module")
def client() -> Any:
    placeholders = {"aws_access_key_id": "placeholder-key", "aws_secret_access_key": "placeholder-key"}
    return boto3.client("bedrock-runtime", region_name="us-east-1", **placeholders)


def reply(name: str, answer: Answer | None = None, *, stream: bool = False, **body: Any) -> Reply:
    row = CATALOGUE[name]
    needs = row.needs == "tool_calls"
    more = {"messages": [], **(TOOLS if needs else {}), **body}
    request = WIRE.request(more, origin="https://api.example.com", stream=stream)
    return row.reply(healthy(WIRE, request, answer or (CALL if needs else TEXT), needs=row.needs, fault=name))


def message(name: str, answer: Answer | None = None, **body: Any) -> Any:
    return json.loads(reply(name, answer, **body).body)


def blocks(name: str, answer: Answer | None = None) -> Any:
    return message(name, answer)["output"]["message"]["content"]


def chunks(name: str, answer: Answer | None = None) -> list[Any]:
    assert WIRE.stream is not None
    return WIRE.stream.read(reply(name, answer, stream=True).body)


def kinds(name: str, answer: Answer | None = None) -> list[str]:
    return [next(iter(chunk)) for chunk in chunks(name, answer)]


def deltas(name: str, answer: Answer | None = None) -> list[Any]:
    return [chunk["contentBlockDelta"]["delta"] for chunk in chunks(name, answer) if "contentBlockDelta" in chunk]


def test_what_frames_cannot_say_is_refused_by_name() -> None:
    lacking = {row.name: row.lacking(WIRE) for row in CATALOGUE.values() if not row.applies_to(WIRE)}
    assert lacking["control.stream_comment"] == "server_sent_events"
    assert lacking["stream.ndjson"] == "server_sent_events"
    assert lacking["stream.done_only"] == "end_mark"
    assert lacking["tools.calls_null"] == lacking["reasoning.only_in_details"] == "message_fields"
    assert lacking["content.block_type_absent"] == "block_type"
    elsewhere = WIRES["anthropic.messages"]
    base = healthy(elsewhere, elsewhere.request({}, origin="https://api.example.com", stream=True), TEXT)
    with pytest.raises(OtherWire, match=r"apply to the wire anthropic\.messages, which has no event_frames\.$"):
        CATALOGUE["stream.frame_checksum"].reply(base)


def test_what_is_said() -> None:
    assert blocks("content.empty") == [{"text": ""}]
    assert blocks("content.null") is None
    assert "content" not in message("content.absent")["output"]["message"]
    assert blocks("content.parts_empty") == []
    assert blocks("content.parts") == [{"text": "Hold the "}, {"text": "position."}]
    assert blocks("content.string") == "Hold the position."
    assert blocks("content.empty", CALL) == [{"text": ""}]
    assert blocks("content.block_typed") == [{"type": "text", "text": "Hold the position."}]
    thought, text = blocks("reasoning.only_reasoning")
    assert thought["reasoningContent"]["reasoningText"]["text"] == "Hold the position."
    assert text == {"text": ""}
    assert blocks("reasoning.only_redacted") == [{"reasoningContent": {"redactedContent": "ZW5jcnlwdGVk"}}]
    assert blocks("control.redacted_thinking")[1] == {"text": "Hold the position."}
    assert [next(iter(one)) for one in blocks("control.thinking_interleaved")] == ["reasoningContent", "text"] * 2
    (thought, _) = blocks("reasoning.signature_absent")
    assert "signature" not in thought["reasoningContent"]["reasoningText"]
    assert message("envelope.message_absent")["output"] == {}
    assert message("envelope.error_beside_answer")["message"] == "Provider disconnected"


def test_how_it_ends() -> None:
    ends = {
        "finish.length": "max_tokens",
        "finish.content_filter": "content_filtered",
        "finish.tool_calls_with_text": "tool_use",
        "finish.guardrail_intervened": "guardrail_intervened",
        "finish.malformed_call": "malformed_tool_use",
        "finish.malformed_output": "malformed_model_output",
        "finish.context_window": "model_context_window_exceeded",
        "finish.stop_sequence": "stop_sequence",
        "finish.null": None,
    }
    assert {name: message(name)["stopReason"] for name in ends} == ends
    assert {name: chunks(name)[-2]["messageStop"]["stopReason"] for name in ends} == ends
    assert message("content.empty_length", inferenceConfig={"maxTokens": 77})["usage"]["outputTokens"] == 77


def test_calls() -> None:
    (call,) = blocks("tools.name_unknown")
    assert call["toolUse"]["name"] == "does_not_exist"
    assert [one["toolUse"]["toolUseId"] for one in blocks("tools.id_duplicate")] == ["tooluse_" + "0" * 21 + "1"] * 2
    assert blocks("tools.arguments_null")[0]["toolUse"]["input"] is None
    assert blocks("tools.calls_empty") == []
    assert message("tools.calls_empty")["stopReason"] == "tool_use"
    assert blocks("control.tool_calls_content_text")[0] == {"text": "Let me look."}


def test_the_input_of_a_call_is_parsed_in_a_reply_and_text_in_a_stream() -> None:
    text = '{"query": "weather today"}'

    def told(name: str) -> str:
        return "".join(delta["toolUse"]["input"] for delta in deltas(name))

    with pytest.raises(DoesNotApply, match=r"holds parsed JSON, and text only in a stream\. Let it ask for one"):
        reply("tools.arguments_truncated")
    assert told("tools.arguments_truncated") == text[: len(text) // 2]
    assert told("tools.arguments_twice") == text * 2
    assert blocks("tools.arguments_double_encoded")[0]["toolUse"]["input"] == text
    assert told("tools.arguments_double_encoded") == json.dumps(text)
    assert deltas("tools.arguments_empty") == [{"toolUse": {"input": ""}}]
    assert deltas("tools.arguments_absent") == []


def test_streams() -> None:
    said = ["messageStart", *["contentBlockDelta"] * 3, "contentBlockStop", "messageStop", "metadata"]
    assert kinds("stream.frame_too_long") == said[:2]
    assert kinds("stream.frame_checksum") == said[:2]
    assert kinds("stream.eof_before_finish") == said[:3]
    assert kinds("stream.eof_mid_event") == said[:2]
    assert kinds("stream.message_start_absent") == said[1:]
    assert kinds("stream.block_stop_absent") == [kind for kind in said if kind != "contentBlockStop"]
    assert kinds("usage.metadata_absent") == said[:-1]
    assert kinds("tools.start_absent")[1] == "contentBlockDelta"
    assert chunks("stream.block_index_skipped")[1]["contentBlockDelta"]["contentBlockIndex"] == 1
    assert kinds("stream.exception_mid") == [*said[:3], "modelStreamErrorException"]
    assert kinds("control.stream_event_unknown").count("mystery") == 3
    assert deltas("content.block_typed")[0] == {"type": "text", "text": "Hold"}
    with pytest.raises(DoesNotApply, match="that is the same as an empty list of blocks"):
        reply("content.absent", stream=True)


def test_what_is_in_an_event_that_is_broken() -> None:
    """It is the payload that is broken: the frame and its name are whole."""
    buffer = EventStreamBuffer()
    buffer.add_data(reply("stream.event_truncated", stream=True).body)
    frames = list(buffer)
    (broken,) = [frame for frame in frames if not frame.payload.endswith(b"}")]
    assert broken.headers[":event-type"] == "contentBlockDelta"
    assert broken.payload.startswith(b'{"delta": {"text"')


STREAMS = {
    "stream.frame_prelude_checksum": ChecksumMismatch,
    "stream.frame_checksum": ChecksumMismatch,
    "stream.framed_as_sse": ChecksumMismatch,
    "stream.html_page": ChecksumMismatch,
    "stream.frame_too_long": None,  # the SDK waits for the rest of the frame, and ends without a word
    "stream.eof_mid_event": None,
    "stream.event_unnamed": None,
    "control.stream_event_unknown": None,
    "stream.event_truncated": None,  # the SDK takes it for an event without anything in it
    "content.block_typed": ResponseParserError,
    "stream.error_frame": EventStreamError,
    "stream.exception_mid": EventStreamError,
}


SEEN = {
    "stream.frame_too_long": 2,
    "stream.eof_mid_event": 2,
    "stream.event_unnamed": 0,
    "control.stream_event_unknown": 7,
    "stream.event_truncated": 7,
}
"""How many events the SDK tells of, where it raises nothing."""


@pytest.mark.parametrize("name", STREAMS)
def test_what_the_official_client_makes_of_a_stream(name: str, client: Any) -> None:
    def read() -> list[Any]:
        return list(client.converse_stream(**ASKED)["stream"])

    with inject(name, answer=TEXT):
        if STREAMS[name] is None:
            assert len(read()) == SEEN[name]
        else:
            with pytest.raises(STREAMS[name]):
                read()


def test_a_union_with_two_members_is_refused_by_the_official_client(client: Any) -> None:
    with inject("content.block_typed", answer=TEXT), pytest.raises(ResponseParserError, match="one and only one"):
        client.converse(**ASKED)
    with inject("control.block_kind_unknown", answer=TEXT):
        made = client.converse(**ASKED)["output"]["message"]["content"]
    assert made == [{"SDK_UNKNOWN_MEMBER": {"name": "mystery"}}, {"text": "Hold the position."}]


def test_a_good_reply_has_no_union_with_two_members(client: Any) -> None:
    with inject("control.extra_fields", answer=Answer("Hold.")):
        reply = client.converse(modelId="m", messages=[{"role": "user", "content": [{"text": "x"}]}])
    assert reply["output"]["message"]["content"] == [{"text": "Hold."}]


def test_errors_carry_their_type_in_a_header() -> None:
    kind = "x-amzn-errortype"
    assert (reply("status.429_rate").header(kind) or "").startswith("ThrottlingException:")
    assert (reply("status.error_truncated").header(kind) or "").startswith("ValidationException:")
    assert reply("status.429_untyped").header(kind) is None
    assert reply("status.502_html").header(kind) is None  # of a proxy
    assert json.loads(reply("status.503").body).keys() == {"message"}
    assert WIRES["openai.chat"].failed(429, {}).header(kind) is None
