"""One name, the same meaning, on every wire that can carry it: what the rows make of gemini."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmfaults import Answer, ToolCall
from pytest_llmfaults._faults import CATALOGUE, faults, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._sse import payloads
from pytest_llmfaults.errors import DoesNotApply, OtherWire

WIRE = WIRES["gemini"]
ROWS = [row for row in CATALOGUE.values() if row.applies_to(WIRE)]
SEARCH = {"name": "search", "parameters": {"type": "OBJECT", "properties": {"query": {"type": "STRING"}}}}
TOOLS = [{"functionDeclarations": [SEARCH]}]
CALL = Answer(tool_calls=(ToolCall("search", {"query": "weather today"}),))


def reply(name: str, answer: Answer | None = None, *, stream: bool = False, **body: Any) -> Reply:
    row = CATALOGUE[name]
    more = {"tools": TOOLS} if row.needs == "tool_calls" else {}
    request = WIRE.request({"contents": [], **more, **body}, origin="https://api.example.com", stream=stream)
    said = answer or (CALL if row.needs == "tool_calls" else Answer("Hold the position."))
    return row.reply(healthy(WIRE, request, said, needs=row.needs, fault=name))


def message(name: str, answer: Answer | None = None, **body: Any) -> Any:
    return json.loads(reply(name, answer, **body).body)


def candidate(name: str, answer: Answer | None = None, **body: Any) -> Any:
    return message(name, answer, **body)["candidates"][0]


def parts(name: str, answer: Answer | None = None, **body: Any) -> Any:
    return candidate(name, answer, **body)["content"]["parts"]


def events(name: str, answer: Answer | None = None, **body: Any) -> list[Any]:
    return [json.loads(text) for text in payloads(reply(name, answer, stream=True, **body).body)]


def reasons(name: str) -> list[Any]:
    return [event["candidates"][0].get("finishReason") for event in events(name)]


def test_a_row_that_this_wire_has_no_place_for_is_refused_by_name() -> None:
    lacking = {row.name: row.lacking(WIRE) for row in CATALOGUE.values() if not row.applies_to(WIRE)}
    for name in lacking:
        with pytest.raises(OtherWire, match=rf"^{name} does not apply to the wire gemini, .+\.$"):
            reply(name)
    assert {name for name, part in lacking.items() if part == "end_mark"} == {
        "stream.done_only",
        "stream.eof_after_finish",
        "stream.no_finish_chunk",
        "stream.stall_after_done",
        "control.stream_no_done_space",
    }
    assert lacking["tools.arguments_truncated"] == "argument_text"
    assert lacking["tools.eof_in_arguments"] == "argument_pieces"
    assert lacking["envelope.message_null"] == "message"


def test_what_is_said() -> None:
    assert parts("content.empty") == [{"text": ""}]
    assert candidate("content.null")["content"] is None
    assert "content" not in candidate("content.absent")
    assert parts("content.parts_empty") == []
    assert parts("content.parts") == [{"text": "Hold the "}, {"text": "position."}]
    assert parts("content.string") == "Hold the position."
    assert candidate("content.object")["content"] == {"text": "Hold the position."}
    assert candidate("content.parts_absent")["content"] == {"role": "model"}
    assert candidate("content.object_empty")["content"] == {}
    assert parts("content.empty", CALL) == [{"text": ""}]
    thought = {"text": "Hold the position.", "thought": True}
    assert parts("reasoning.only_reasoning") == [thought, {"text": ""}]
    assert parts("reasoning.only_reasoning_absent") == [thought]
    assert parts("reasoning.thought_without_text")[0] == {"thought": True, "thoughtSignature": "c2lnbmVk"}
    assert parts("control.reasoning_content")[1] == {"text": "Hold the position."}
    assert parts("control.text_signed") == [{"text": "Hold the position.", "thoughtSignature": "c2lnbmVk"}]
    assert candidate("envelope.role_unknown")["content"]["role"] == "assistant"
    assert message("envelope.choices_string")["candidates"] == "Hold the position."
    nested = message("envelope.nested")
    assert {key for key, value in nested.items() if value is None} == {"responseId", "candidates", "modelVersion"}
    assert message("envelope.error_base_resp")["candidates"] is None
    blocked = message("envelope.prompt_blocked")
    assert blocked["promptFeedback"] == {"blockReason": "PROHIBITED_CONTENT"}
    assert "candidates" not in blocked


def test_reasons_and_tokens() -> None:
    ends = {
        "finish.length": "MAX_TOKENS",
        "finish.max_tokens": "length",
        "finish.content_filter_partial": "SAFETY",
        "finish.end_turn": "end_turn",
        "finish.null": None,
        "content.empty_length": "MAX_TOKENS",
    }
    assert {name: candidate(name)["finishReason"] for name in ends} == ends
    gone = {"finish.content_filter": "SAFETY", "finish.malformed_call": "MALFORMED_FUNCTION_CALL"}
    gone |= {"finish.unknown_content_absent": "OTHER", "finish.withheld": "RECITATION"}
    for name, reason in gone.items():
        assert candidate(name) == {"finishReason": reason, "index": 0}
    assert candidate("finish.failed_call")["finishMessage"].startswith("Malformed function call: ")
    limited: dict[str, Any] = {"generation_config": {"max_output_tokens": 77}}
    assert message("content.empty_length", **limited)["usageMetadata"]["candidatesTokenCount"] == 77
    thoughts = message("reasoning.ate_budget_parts_absent", **limited)["usageMetadata"]
    assert (thoughts["candidatesTokenCount"], thoughts["thoughtsTokenCount"]) == (0, 77)
    assert message("usage.all_null")["usageMetadata"] == {
        "promptTokenCount": None,
        "candidatesTokenCount": None,
        "totalTokenCount": 0,
    }


def test_calls() -> None:
    def call(name: str, at: int = 0) -> Any:
        return parts(name)[at]["functionCall"]

    assert call("tools.name_unknown")["name"] == "does_not_exist"
    assert [call("tools.id_duplicate", at)["id"] for at in (0, 1)] == ["call_00000001"] * 2
    assert call("tools.same_call_twice", 1)["id"] == "call_again"
    assert call("tools.one_call_unknown", 1)["name"] == "does_not_exist"
    assert "id" not in call("tools.id_absent")
    assert "args" not in call("tools.arguments_absent")
    assert call("tools.arguments_null")["args"] is None
    assert call("tools.arguments_list")["args"] == [{"query": "weather today"}]
    assert call("tools.arguments_extra_key")["args"]["note"] == "extra"
    assert call("tools.function_null") is None
    assert list(parts("tools.signature_absent")[0]) == ["functionCall"]
    assert parts("control.tool_calls_content_text")[0] == {"text": "Let me look."}
    assert "<tool_call>" in parts("tools.call_in_text_tag")[0]["text"]


def test_a_call_cannot_be_cut_as_text() -> None:
    row = CATALOGUE["finish.length"]
    request = WIRE.request({"contents": [], "tools": TOOLS}, origin="https://api.example.com", stream=True)
    with pytest.raises(DoesNotApply, match=r"it writes a text where this wire holds parsed JSON\.$"):
        row.reply(healthy(WIRE, request, CALL))


def test_streams() -> None:
    healthy_events = events("control.stream_ids")
    assert len(healthy_events) == 4
    texts = [event["candidates"][0]["content"]["parts"][0]["text"] for event in healthy_events]
    assert texts == ["Hold", " the", " position.", ""]
    counts = [event["usageMetadata"].get("candidatesTokenCount") for event in healthy_events]
    assert counts == [None, None, None, 17]
    assert events("stream.eof_before_finish") == healthy_events[:2]
    assert len(events("stream.stall_after_finish")) == 4
    *_, last = found = events("control.stream_finish_with_text")
    assert (len(found), last["candidates"][0]["content"]["parts"]) == (3, [{"text": " position."}])
    assert "candidates" not in events("stream.choices_absent")[1]
    assert reasons("finish.stop_each") == ["STOP"] * 4
    assert reasons("finish.stop_then_length")[3:] == ["STOP", "MAX_TOKENS"]
    assert len(events("envelope.prompt_blocked")) == 1
    assert events("stream.error_mid_429")[-1]["error"]["status"] == "RESOURCE_EXHAUSTED"
    assert b"event: message" in reply("control.stream_event_field", stream=True).body
    assert "é✓" in reply("control.stream_arguments_non_ascii", stream=True).body.decode()
    (signed, _) = events("tools.id_integer")
    assert signed["candidates"][0]["content"]["parts"][0]["functionCall"]["id"] == 0


def test_a_stream_is_asked_for_by_the_path() -> None:
    with pytest.raises(DoesNotApply, match=r"the request asks for none\. Let it say :streamGenerateContent\.$"):
        reply("stream.stall")
    with pytest.raises(DoesNotApply, match=r"asks for a stream \(:streamGenerateContent\)"):
        reply("control.pretty_printed", stream=True)
    moved = reply("status.307_moved", stream=True).header("location")
    assert moved is not None
    assert moved.endswith(":streamGenerateContent?moved=1&alt=sse")


def test_errors() -> None:
    assert message("status.503")["error"]["status"] == "UNAVAILABLE"
    quota = message("status.429_quota")["error"]
    assert quota["details"][0]["reason"] == "INSUFFICIENT_QUOTA"
    day = message("status.429_quota_day")["error"]["details"]
    assert (day[0]["violations"][0]["quotaId"][:21], day[1]["retryDelay"]) == ("GenerateRequestsPerDa", "31s")


def test_faults_are_chosen_by_wire() -> None:
    every, own = faults("content"), faults("content", wire="gemini")
    assert {row.name for row in every} - {row.name for row in own} == {
        "content.refusal",
        "content.refusal_beside_text",
        "content.block_type_absent",
        "content.block_type_null",
        "content.block_only_unknown",
        "content.block_typed",
        "content.block_only_kind_unknown",
    }
