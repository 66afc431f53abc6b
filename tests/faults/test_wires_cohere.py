"""One name, the same meaning, on every wire that can carry it: what the rows make of cohere.chat."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmfaults import Answer, ToolCall
from pytest_llmfaults._faults import CATALOGUE, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._sse import payloads
from pytest_llmfaults.errors import DoesNotApply, OtherWire

WIRE = WIRES["cohere.chat"]
TOOLS = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
CALL = Answer(tool_calls=(ToolCall("search", {"query": "weather today"}),))


def reply(name: str, answer: Answer | None = None, **body: Any) -> Reply:
    row = CATALOGUE[name]
    more = {"tools": TOOLS} if row.needs == "tool_calls" else {}
    content = json.dumps({**WIRE.example, **more, **body}).encode()
    request = Request("POST", "http://api.example.com/v2/chat", (), content, wire=WIRE.name)
    said = answer or (CALL if row.needs == "tool_calls" else Answer("Hold the position."))
    return row.reply(healthy(WIRE, request, said, needs=row.needs, fault=name))


def whole(name: str, answer: Answer | None = None, **body: Any) -> Any:
    return json.loads(reply(name, answer, **body).body)


def message(name: str, answer: Answer | None = None, **body: Any) -> Any:
    return whole(name, answer, **body)["message"]


def events(name: str, answer: Answer | None = None) -> list[Any]:
    return [json.loads(text) for text in payloads(reply(name, answer, stream=True).body) if text != "[DONE]"]


def test_what_is_said() -> None:
    assert message("content.empty")["content"] == [{"type": "text", "text": ""}]
    assert message("content.null") == {"role": "assistant", "content": None}
    assert message("content.absent") == {"role": "assistant"}
    thought, text = message("reasoning.only_reasoning")["content"]
    assert (thought, text["text"]) == ({"type": "thinking", "thinking": "Hold the position."}, "")
    thought, text = message("control.reasoning_content")["content"]
    assert (thought["type"], text) == ("thinking", {"type": "text", "text": "Hold the position."})
    assert message("content.string") == {"role": "assistant", "content": "Hold the position."}
    assert message("envelope.message_string") == "Hold the position."
    with pytest.raises(OtherWire, match="which has no usage_reasoning"):
        reply("reasoning.hidden_then_empty")


def test_how_it_ends() -> None:
    ends = {
        "finish.length": "MAX_TOKENS",
        "finish.tool_calls_with_text": "TOOL_CALL",
        "finish.stop_sequence": "STOP_SEQUENCE",
        "finish.error": "ERROR",
        "finish.timeout": "TIMEOUT",
        "finish.end_turn": "end_turn",
        "finish.null": None,
    }
    assert {name: whole(name)["finish_reason"] for name in ends} == ends
    assert "stop_sequence" not in whole("finish.stop_sequence")
    assert whole("finish.length", max_tokens=77)["usage"]["tokens"] == {"input_tokens": 24, "output_tokens": 77}
    with pytest.raises(DoesNotApply, match="it is about a filter, and this wire has no reason for one"):
        reply("finish.content_filter")


def test_counts_are_told_twice() -> None:
    counts = {"input_tokens": 24, "output_tokens": 17}
    assert whole("usage.tokens_absent")["usage"] == {"billed_units": counts, "cached_tokens": 0}
    assert whole("usage.billed_absent")["usage"] == {"tokens": counts, "cached_tokens": 0}
    assert whole("control.usage_plain")["usage"] == {"tokens": counts}
    assert whole("finish.error_partial")["usage"] == {"tokens": dict.fromkeys(counts)}
    assert whole("usage.zeros")["usage"]["billed_units"] == dict.fromkeys(counts, 0)
    assert whole("usage.prompt_null")["usage"]["tokens"]["input_tokens"] is None


def test_calls_and_their_plan() -> None:
    assert message("control.plan_absent").keys() == {"role", "tool_calls"}
    alone = whole("tools.plan_without_calls")
    assert alone["message"] == {"role": "assistant", "tool_plan": "I will use the tools that fit."}
    assert alone["finish_reason"] == "TOOL_CALL"
    (call,) = message("tools.arguments_truncated")["tool_calls"]
    assert call["function"]["arguments"] == '{"query": "we'
    pieces = [one for one in events("tools.arguments_twice") if one["type"] == "tool-call-delta"]
    said = "".join(one["delta"]["message"]["tool_calls"]["function"]["arguments"] for one in pieces)
    assert said == '{"query": "weather today"}' * 2
    started = next(one for one in events("tools.arguments_null") if one["type"] == "tool-call-start")
    assert started["delta"]["message"]["tool_calls"]["function"] == {"name": "search", "arguments": None}
    assert events("tools.eof_in_arguments")[-1]["type"] == "tool-call-delta"
    with pytest.raises(DoesNotApply, match=r"it leaves out the event .* or content-start, and the healthy stream"):
        reply("stream.block_start_absent", CALL, stream=True)


def test_streams() -> None:
    ends = {
        "stream.eof_before_finish": "content-delta",
        "stream.no_finish_chunk": "content-end",
        "stream.eof_after_finish": "message-end",
        "stream.error_mid_429": "message-end",
        "stream.reset_peer_before_text": "message-start",
    }
    assert {name: events(name)[-1]["type"] for name in ends} == ends
    assert events("stream.error_mid_500")[-1]["delta"]["finish_reason"] == "ERROR"
    assert events("stream.message_start_absent")[0]["type"] == "content-start"
    assert events("stream.block_start_absent")[1]["type"] == "content-delta"
    assert [one["type"] for one in events("stream.block_stop_absent")][-2:] == ["content-delta", "message-end"]
    assert events("stream.block_index_skipped")[1]["index"] == 1
    assert b"event:" not in reply("stream.event_unnamed", stream=True).body
    assert "content" not in events("content.absent")[0]["delta"]["message"]
    assert events("envelope.role_null")[0]["delta"]["message"]["role"] is None
    assert events("envelope.message_absent")[0]["delta"] == {}
    assert "usage" not in events("usage.absent")[-1]["delta"]
    unknown = [one["type"] for one in events("control.stream_event_unknown")]
    assert unknown.count("mystery") == 4


def test_errors() -> None:
    minute, month = reply("status.429_trial_minute"), reply("status.429_trial_month")
    assert set(json.loads(minute.body)) == {"id", "message"}
    assert (minute.header("x-trial-endpoint-call-remaining"), minute.header("retry-after")) == ("0", None)
    assert json.loads(month.body)["message"].endswith("1000 API calls / month.")
    assert reply("status.498").status == 498
    with pytest.raises(DoesNotApply, match=r"on the wire cohere\.chat an error is no object"):
        reply("status.429_spend_limit")
