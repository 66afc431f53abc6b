"""One name, the same meaning, on every wire that can carry it: what the rows make of Ollama's two wires."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmfaults import Answer, ToolCall
from pytest_llmfaults._faults import CATALOGUE, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._ndjson import NDJSON
from pytest_llmfaults.errors import DoesNotApply, OtherWire

OWN = (WIRES["ollama.chat"], WIRES["ollama.generate"])
TOOLS = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
CALL = Answer(tool_calls=(ToolCall("search", {"query": "weather today"}),))
APPLYING = [(wire, row) for wire in OWN for row in CATALOGUE.values() if row.applies_to(wire)]
FOREIGN = [(wire, row) for wire in OWN for row in CATALOGUE.values() if not row.applies_to(wire)]


def named(pair: Any) -> str:
    return str(pair.name)


def reply(name: str, answer: Answer | None = None, *, wire: str = "ollama.chat", **body: Any) -> Reply:
    row, one = CATALOGUE[name], WIRES[wire]
    more = {"tools": TOOLS} if row.needs == "tool_calls" else {}
    content = json.dumps({**one.example, **more, **body}).encode()
    request = Request("POST", f"http://api.example.com{one.routes[0]}", (), content, wire=wire)
    said = answer or (CALL if row.needs == "tool_calls" else Answer("Hold the position."))
    return row.reply(healthy(one, request, said, needs=row.needs, fault=name))


def whole(name: str, answer: Answer | None = None, **body: Any) -> Any:
    return json.loads(reply(name, answer, **body).body)


def lines(name: str, answer: Answer | None = None, **body: Any) -> list[Any]:
    return [json.loads(text) for text in NDJSON.read(reply(name, answer, stream=True, **body).body)]


def test_what_is_said() -> None:
    assert whole("content.empty")["message"] == {"role": "assistant", "content": ""}
    assert whole("content.null")["message"]["content"] is None
    assert "content" not in whole("content.absent")["message"]
    assert whole("content.empty", CALL)["message"] == {"role": "assistant", "content": ""}
    assert whole("reasoning.only_reasoning")["message"]["thinking"] == "Hold the position."
    with pytest.raises(DoesNotApply, match="it uses the field thinking of other wires"):
        reply("reasoning.only_in_thinking")
    assert whole("content.empty", wire="ollama.generate")["response"] == ""
    assert whole("reasoning.only_reasoning", wire="ollama.generate")["thinking"] == "Hold the position."
    assert whole("envelope.message_string")["message"] == "Hold the position."
    with pytest.raises(OtherWire, match="which has no usage_reasoning"):
        reply("reasoning.hidden_then_empty")


@pytest.mark.parametrize("wire", [wire.name for wire in OWN])
def test_how_it_ends(wire: str) -> None:
    ends = {
        "finish.length": "length",
        "finish.tool_calls_without_calls": "stop",
        "finish.end_turn": "end_turn",
        "finish.null": None,
        "finish.load": "load",
        "content.empty_length": "length",
    }
    assert {name: whole(name, wire=wire)["done_reason"] for name in ends} == ends
    assert "eval_count" not in whole("finish.load", wire=wire)
    assert whole("content.empty_length", wire=wire, options={"num_predict": 77})["eval_count"] == 77
    assert whole("finish.length", wire=wire, options={"num_predict": 77})["eval_count"] == 77
    assert {"prompt_eval_count", "eval_count"} & set(whole("usage.absent", wire=wire)) == set()
    assert whole("usage.zeros", wire=wire)["prompt_eval_count"] == 0
    for name, why in {"finish.content_filter": "about a filter", "usage.null": "the field of the usage"}.items():
        with pytest.raises(DoesNotApply, match=why):
            reply(name, wire=wire)


def test_calls_come_whole_and_parsed() -> None:
    (call,) = whole("tools.name_unknown")["message"]["tool_calls"]
    assert call["function"] == {"name": "does_not_exist", "arguments": {"query": "weather today"}}

    def arguments(name: str) -> Any:
        return whole(name)["message"]["tool_calls"][0]["function"]["arguments"]

    assert arguments("tools.arguments_double_encoded") == '{"query": "weather today"}'
    assert arguments("tools.arguments_list_text") == [1]
    assert arguments("tools.arguments_null") is None
    assert whole("tools.same_call_twice")["message"]["tool_calls"] == CALL_TWICE
    for name in ("tools.arguments_truncated", "tools.arguments_empty", "tools.arguments_null_text"):
        for stream in (False, True):
            with pytest.raises(OtherWire, match="which has no argument_text"):
                reply(name, stream=stream)
    for name in ("tools.eof_in_arguments", "tools.arguments_cumulative", "control.stream_arguments_letters"):
        with pytest.raises(OtherWire, match="which has no argument_pieces"):
            reply(name, stream=True)
    first, last = lines("tools.arguments_double_encoded")
    assert isinstance(first["message"]["tool_calls"][0]["function"]["arguments"], str)
    assert last["message"] == {"role": "assistant", "content": ""}


CALL_TWICE = [{"function": {"name": "search", "arguments": {"query": "weather today"}}}] * 2


@pytest.mark.parametrize("wire", [wire.name for wire in OWN])
def test_streams(wire: str) -> None:
    assert [line["done"] for line in lines("stream.eof_before_finish", wire=wire)] == [False] * 2
    assert lines("stream.error_mid_429", wire=wire)[-1] == {"error": "Rate limit reached."}
    assert len(lines("stream.json_whole_in_event", wire=wire)) == 1
    assert lines("finish.null", wire=wire)[-1]["done_reason"] is None
    last = lines("stream.answer_absent_at_finish", wire=wire)[-1]
    assert last["done_reason"] == "stop"
    assert not {"message", "response"} & set(last)
    blank = reply("control.stream_blank_lines", wire=wire, stream=True).body
    assert blank.count(b"\n\n") == 4
    assert [json.loads(text) for text in NDJSON.read(blank)] == lines("control.stream_one_write", wire=wire)
    unasked = reply("body.sse", wire=wire)
    assert (unasked.header("content-type"), unasked.body.count(b"\n")) == ("application/x-ndjson", 4)
    for name, lacking in {
        "stream.done_only": "end_mark",
        "stream.stall_after_done": "end_mark",
        "control.stream_comment": "server_sent_events",
        "control.stream_crlf": "server_sent_events",
        "control.stream_bom": "server_sent_events",
    }.items():
        with pytest.raises(OtherWire, match=f"which has no {lacking}"):
            reply(name, wire=wire, stream=True)


def test_errors() -> None:
    assert whole("status.404") == {"error": "The model does not exist or you do not have access to it."}
    with pytest.raises(DoesNotApply, match="an error is a text"):
        reply("status.429_spend_limit")
    unparsed = reply("status.500_tool_call")
    assert unparsed.status == 500
    assert json.loads(unparsed.body)["error"].startswith("""error parsing tool call: raw='{"query": """)


def test_controls_say_the_same() -> None:
    assert whole("control.extra_fields")["message"]["x_extra"] is True
    assert whole("control.null_fields")["message"]["images"] is None
    (call,) = whole("control.tool_calls_numbered")["message"]["tool_calls"]
    assert (call["id"], call["function"]["index"], call["function"]["name"]) == ("call_00000001", 0, "search")
    with pytest.raises(DoesNotApply, match="the time as a text"):
        reply("envelope.created_iso")
