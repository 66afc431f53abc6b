"""One name, the same meaning, on every wire that can carry it: what the rows make of anthropic.messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmfaults import Answer, ToolCall
from pytest_llmfaults._faults import CATALOGUE, faults, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._sse import payloads
from pytest_llmfaults.errors import DoesNotApply, InvalidUse

WIRE = WIRES["anthropic.messages"]
ROWS = [row for row in CATALOGUE.values() if row.applies_to(WIRE)]
TOOLS = [{"name": "search", "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}}}]
CALL = Answer(tool_calls=(ToolCall("search", {"query": "weather today"}),))


def reply(name: str, answer: Answer | None = None, *, wire: str = WIRE.name, **body: Any) -> Reply:
    row = CATALOGUE[name]
    one = WIRES[wire]
    more = {"tools": TOOLS} if row.needs == "tool_calls" else {}
    content = json.dumps({**one.example, **more, **body}).encode()
    request = Request("POST", f"https://api.example.com{one.routes[0]}", (), content, wire=wire)
    said = answer or (CALL if row.needs == "tool_calls" else Answer("Hold the position."))
    return row.reply(healthy(one, request, said, needs=row.needs, fault=name))


def message(name: str, answer: Answer | None = None, **body: Any) -> Any:
    return json.loads(reply(name, answer, **body).body)


def events(name: str, answer: Answer | None = None, **body: Any) -> list[Any]:
    return [json.loads(text) for text in payloads(reply(name, answer, stream=True, **body).body)]


def blocks(name: str, answer: Answer | None = None) -> list[tuple[str, Any]]:
    """Return the type of each block and what it says."""
    found = message(name, answer)["content"]
    return [(one["type"], one.get(one["type"], one.get("input", one.get("data")))) for one in found]


def test_what_is_said() -> None:
    assert blocks("content.empty") == [("text", "")]
    assert message("content.null")["content"] is None
    assert "content" not in message("content.absent")
    assert blocks("content.parts_empty") == []
    assert blocks("content.parts") == [("text", "Hold the "), ("text", "position.")]
    assert message("content.object")["content"] == {"text": "Hold the position."}
    assert blocks("content.empty", CALL) == [("text", "")]
    assert blocks("reasoning.only_reasoning") == [("thinking", "Hold the position."), ("text", "")]
    assert blocks("reasoning.only_reasoning_absent") == [("thinking", "Hold the position.")]
    assert blocks("reasoning.only_thoughts")[1] == ("text", "")
    assert blocks("reasoning.only_redacted") == [("redacted_thinking", "ZW5jcnlwdGVk")]
    assert [kind for kind, _ in blocks("control.thinking_interleaved")] == ["thinking", "text"] * 2
    assert "signature" not in message("reasoning.signature_absent")["content"][0]


def test_how_it_ends() -> None:
    ends = {
        "finish.length": "max_tokens",
        "finish.content_filter": "refusal",
        "finish.tool_calls_with_text": "tool_use",
        "finish.end_turn": "stop",
        "finish.stop_upper": "END_TURN",
        "finish.null": None,
        "finish.pause_turn": "pause_turn",
        "finish.context_window": "model_context_window_exceeded",
        "content.empty_length": "max_tokens",
    }
    assert {name: message(name)["stop_reason"] for name in ends} == ends
    assert message("finish.refusal_details")["stop_details"]["category"] == "cyber"
    assert blocks("finish.content_filter") == []
    assert blocks("tools.calls_empty") == []
    assert message("tools.calls_empty")["stop_reason"] == "tool_use"
    assert message("finish.stop_sequence", stop_sequences=["END"])["stop_sequence"] == "END"
    assert message("content.empty_length", max_tokens=77)["usage"]["output_tokens"] == 77
    assert message("reasoning.ate_budget")["usage"]["output_tokens_details"] == {"thinking_tokens": 1024}
    assert message("finish.error_partial")["usage"] == {"input_tokens": None, "output_tokens": None}


def test_calls() -> None:
    assert blocks("tools.name_unknown")[0][0] == "tool_use"
    (call,) = message("tools.name_unknown")["content"]
    assert call["name"] == "does_not_exist"
    assert [call["id"] for call in message("tools.id_duplicate")["content"]] == ["toolu_" + "0" * 23 + "1"] * 2
    assert [call["name"] for call in message("tools.one_call_unknown")["content"]] == ["search", "does_not_exist"]
    assert message("tools.arguments_null")["content"][0]["input"] is None
    assert message("tools.arguments_extra_key")["content"][0]["input"]["note"] == "extra"
    assert "type" not in message("tools.type_absent")["content"][0]
    assert blocks("control.tool_calls_content_text") == [
        ("text", "Let me look."),
        ("tool_use", {"query": "weather today"}),
    ]
    assert blocks("tools.call_in_text_tag")[0][0] == "text"


def test_arguments_are_text_in_a_stream_only() -> None:
    with pytest.raises(DoesNotApply, match=r"holds parsed JSON, and text only in a stream\. Let it say stream=true"):
        reply("tools.arguments_truncated")
    text = '{"query": "weather today"}'

    def partial(name: str) -> list[str]:
        deltas = [one["delta"] for one in events(name) if one["type"] == "content_block_delta"]
        return [delta["partial_json"] for delta in deltas if delta["type"] == "input_json_delta"]

    assert "".join(partial("tools.arguments_truncated")) == text[: len(text) // 2]
    assert partial("tools.arguments_empty") == [""]
    assert "".join(partial("tools.arguments_twice")) == text * 2
    assert "".join(partial("tools.arguments_null_text")) == "null"
    assert "".join(partial("tools.eof_in_arguments")).startswith('{"query":')
    assert partial("tools.input_whole") == []
    assert partial("tools.arguments_cumulative")[-1] == text
    assert set(map(len, partial("control.stream_arguments_letters")[1:])) == {1}


def test_streams() -> None:
    kinds = {
        "stream.eof_before_finish": ("content_block_delta", 4),
        "stream.eof_after_finish": ("message_delta", 7),
        "stream.no_finish_chunk": ("message_stop", 7),
        "stream.done_only": ("message_stop", 1),
        "stream.reset_peer_before_text": ("message_start", 1),
        "stream.error_mid_429": ("error", 5),
        "stream.error_event": ("error", 5),
        "stream.json_whole_in_event": ("message_stop", 2),
    }
    assert {name: (events(name)[-1]["type"], len(events(name))) for name in kinds} == kinds
    assert events("stream.error_mid_429")[-1]["error"]["type"] == "rate_limit_error"
    assert b"event:" not in reply("stream.event_unnamed", stream=True).body
    assert events("stream.message_start_absent")[0]["type"] == "content_block_start"
    assert events("stream.block_index_skipped")[1]["index"] == 1
    assert "usage" not in events("usage.delta_absent")[-2]
    assert events("finish.null")[-2]["delta"]["stop_reason"] is None
    pings = [one["type"] for one in events("control.stream_ping")]
    assert pings.count("ping") == 4
    assert [one for one in pings if one != "ping"] == [one["type"] for one in events("control.stream_ids")]
    swapped = [one["delta"]["text"] for one in events("stream.content_swapped") if one["type"] == "content_block_delta"]
    assert swapped == [" the", "Hold", " position."]


def test_errors() -> None:
    body = json.loads(reply("status.529").body)
    assert body["error"]["type"] == "overloaded_error"
    limit = reply("status.429_spend_limit")
    assert json.loads(limit.body)["error"]["details"] == {"error_code": "enforced_spend_limit_reached"}
    assert limit.header("retry-after") is None
    assert reply("status.429_ratelimit_reset").header("anthropic-ratelimit-requests-remaining") == "0"


def test_controls_say_the_same() -> None:
    extra = message("control.extra_fields")
    assert extra["x_extra"] == {"a": [1]}
    assert extra["content"][0] == {"type": "text", "text": "Hold the position.", "x_extra": True}
    assert message("control.null_fields")["container"] is None
    assert message("control.usage_plain")["usage"] == {"input_tokens": 24, "output_tokens": 17}
    nested = message("envelope.nested")
    assert nested["provider"]["type"] == "message"
    assert {key for key, value in nested.items() if value is None} == {"id", "content", "model", "type"}


def test_faults_are_chosen_by_wire() -> None:
    every, own = faults("content"), faults("content", wire=WIRE.name)
    assert {row.name for row in every} - {row.name for row in own} == {
        "content.refusal",
        "content.refusal_beside_text",
        "content.parts_absent",
        "content.object_empty",
    }
    assert all(row.applies_to(WIRE) for row in faults(wire=WIRE.name))
    assert faults("envelope.choices_*", wire=WIRE.name) == faults("envelope.choices_*")
    with pytest.raises(InvalidUse, match="is not a wire"):
        faults("content", wire="anthropic")
