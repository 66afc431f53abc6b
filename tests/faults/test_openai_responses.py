"""What the rows make of openai.responses: one name, the same meaning, where what is said is a list of items."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmfaults import Answer, ToolCall, fault
from pytest_llmfaults._faults import CATALOGUE, Fault, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._sse import payloads
from pytest_llmfaults.errors import DoesNotApply, OtherWire

WIRE = WIRES["openai.responses"]
ROWS = [row for row in CATALOGUE.values() if row.applies_to(WIRE)]
TOOLS = [{"type": "function", "name": "search", "parameters": {"properties": {"query": {"type": "string"}}}}]
CALL = Answer(tool_calls=(ToolCall("search", {"query": "weather today"}),))
ANSWERS = (Answer("Hold."), Answer(""), Answer("Hold.", reasoning="Hm."), CALL, Answer(tool_calls="offered"))


def reply(row: Fault | str, answer: Answer | None = None, **body: Any) -> Reply:
    row = fault(row) if isinstance(row, str) else row
    more = {"tools": TOOLS} if row.needs == "tool_calls" else {}
    headers = (("Accept-Encoding", "gzip, deflate"),)
    content = json.dumps({**WIRE.example, **more, **body}).encode()
    request = Request("POST", "https://api.example.com/v1/responses", headers, content, wire=WIRE.name)
    said = answer or (CALL if row.needs == "tool_calls" else Answer("Hold the position."))
    return row.reply(healthy(WIRE, request, said, needs=row.needs, fault=row.name))


def envelope(row: Fault | str, answer: Answer | None = None, **body: Any) -> Any:
    return json.loads(reply(row, answer, **body).body)


def events(row: Fault | str, answer: Answer | None = None) -> list[Any]:
    return [json.loads(text) for text in payloads(reply(row, answer, stream=True).body)]


def items(name: str, answer: Answer | None = None) -> list[tuple[str, Any]]:
    """Return the type of each item and what it says."""
    key = {"message": "content", "reasoning": "summary", "function_call": "arguments"}
    return [(one["type"], one.get(key[one["type"]])) for one in envelope(name, answer)["output"]]


def parts(name: str, answer: Answer | None = None) -> Any:
    """Return the content of the message, of each part what it says."""
    content = next(one for one in envelope(name, answer)["output"] if one["type"] == "message").get("content")
    if not isinstance(content, list):
        return content
    return [part.get("text", part.get("refusal")) if isinstance(part, dict) else part for part in content]


def ends(name: str, answer: Answer | None = None, **body: Any) -> tuple[Any, Any]:
    """Return the status and the reason."""
    got = envelope(name, answer, **body)
    return got.get("status"), (got.get("incomplete_details") or {}).get("reason")


def test_what_is_said() -> None:
    assert parts("content.empty") == [""]
    assert parts("content.null") is None
    assert "content" not in envelope("content.absent")["output"][0]
    assert "content" not in envelope("content.absent", CALL)["output"][0]
    assert parts("content.parts_empty") == []
    assert parts("content.parts") == ["Hold the ", "position."]
    assert {part["type"] for part in envelope("content.parts")["output"][0]["content"]} == {"output_text"}
    assert parts("content.object") == {"text": "Hold the position."}
    assert parts("content.string") == "Hold the position."
    assert parts("content.block_text_null") == [None]
    assert parts("content.refusal") == ["I cannot help with that."]
    assert envelope("content.refusal")["output"][0]["content"][0]["type"] == "refusal"
    assert items("content.empty", CALL)[0][0] == "message"
    assert [kind for kind, _ in items("reasoning.only_reasoning")] == ["reasoning", "message"]
    assert parts("reasoning.only_reasoning") == [""]
    assert items("reasoning.only_item") == [("reasoning", [])]
    assert items("envelope.output_empty") == []
    assert envelope("envelope.output_null")["output"] is None
    assert "output" not in envelope("envelope.output_absent")
    assert envelope("envelope.nested")["provider"]["object"] == "response"
    assert envelope("envelope.nested")["output"] is None


def test_how_it_ends() -> None:
    ended = {
        "finish.length": ("incomplete", "max_output_tokens"),
        "finish.content_filter": ("incomplete", "content_filter"),
        "finish.sensitive": ("incomplete", "sensitive"),
        "finish.error": ("failed", None),
        "finish.error_partial": ("failed", None),
        "finish.failed_limit": ("failed", None),
        "finish.stop_upper": ("COMPLETED", None),
        "finish.null": (None, None),
        "finish.absent": (None, None),
        "finish.queued": ("queued", None),
        "finish.cancelled": ("cancelled", None),
        "finish.incomplete_unexplained": ("incomplete", None),
        "content.parts_empty": ("completed", None),
        "tools.arguments_truncated": ("completed", None),
    }
    assert {name: ends(name) for name in ended} == ended
    assert "status" not in envelope("finish.absent")
    assert envelope("finish.object")["status"]["type"] == "stop"
    assert envelope("finish.error")["error"]["code"] == "server_error"
    assert envelope("finish.failed_limit")["error"]["code"] == "rate_limit_exceeded"
    assert envelope("finish.length")["output"][0]["status"] == "incomplete"
    assert envelope("content.empty_length", max_output_tokens=77)["usage"]["output_tokens"] == 77
    assert envelope("finish.length", max_output_tokens=77)["usage"]["total_tokens"] == 77 + 24
    assert envelope("usage.all_null")["usage"] == {"input_tokens": None, "output_tokens": None, "total_tokens": 0}
    assert envelope("reasoning.ate_budget")["usage"]["output_tokens_details"] == {"reasoning_tokens": 4096}


def test_what_this_wire_cannot_say_is_refused() -> None:
    for name, words in {
        "finish.tool_calls_with_text": "says that tools are called where none is",
        "tools.finish_stop": "changes nothing|says that nothing is called where a tool is",
        "tools.arguments_truncated_stop": "says that nothing is called where a tool is",
        "tools.calls_empty": "says that tools are called where none is",
    }.items():
        with pytest.raises(DoesNotApply, match=words):
            reply(name)
    for name in ("stream.done_only", "stream.stall_after_done", "tools.done_in_arguments"):
        with pytest.raises(OtherWire, match=r"the wire openai\.responses, which has no end_mark"):
            reply(name, stream=True)


def test_calls() -> None:
    (call,) = envelope("tools.name_unknown")["output"]
    assert (call["type"], call["name"]) == ("function_call", "does_not_exist")
    assert [one["call_id"] for one in envelope("tools.id_duplicate")["output"]] == ["call_" + "0" * 23 + "1"] * 2
    assert [one["name"] for one in envelope("tools.one_call_unknown")["output"]] == ["search", "does_not_exist"]
    assert items("tools.arguments_empty") == [("function_call", "")]
    assert items("tools.arguments_truncated") == [("function_call", '{"query": "we')]
    assert "type" not in envelope("tools.type_absent")["output"][0]
    assert parts("tools.call_in_text_tag")[0].startswith("<tool_call>")
    assert [kind for kind, _ in items("control.tool_calls_content_text")] == ["message", "function_call"]


def test_streams() -> None:
    last = {
        "stream.eof_before_finish": "response.output_text.delta",
        "stream.end_absent": "response.output_item.done",
        "stream.reset_peer_before_text": "response.created",
        "stream.error_mid_429": "error",
        "finish.length": "response.incomplete",
        "finish.error_partial": "response.failed",
        "finish.queued": "response.queued",
        "tools.eof_in_arguments": "response.function_call_arguments.delta",
        "tools.arguments_at_end": "response.completed",
    }
    assert {name: events(name)[-1]["type"] for name in last} == last
    assert events("stream.error_mid_429")[-1]["code"] == "rate_limit_exceeded"
    assert b"event:" not in reply("stream.event_unnamed", stream=True).body
    assert events("stream.created_absent")[0]["type"] == "response.output_item.added"
    assert {one["output_index"] for one in events("stream.output_index_skipped") if "output_index" in one} == {1}
    assert not any("sequence_number" in one for one in events("stream.sequence_absent"))
    kept = events("control.stream_keepalive")
    assert [one["sequence_number"] for one in kept] == list(range(len(kept)))
    assert [one["type"] for one in kept].count("keepalive") == 3
    assert [one.get("obfuscation") is not None for one in events("control.stream_obfuscation")] == [
        "delta" in one for one in events("control.stream_ids")
    ]
    lost: dict[str, Any] = {"null": None, "empty": [], "absent": "nothing"}
    for output, held in lost.items():
        ended = events(fault("stream.output_lost_at_end", output=output))
        assert ended[-1]["response"].get("output", "nothing") == held
        assert [one["delta"] for one in ended if "delta" in one] == ["Hold", " the", " position."]


def test_controls_say_the_same() -> None:
    for name in ("control.reasoning_item_empty", "control.item_built_in", "control.item_unknown"):
        assert envelope(name)["output"][1:] == envelope("control.model_other")["output"]
    phases = [(one["phase"], one["content"][0]["text"]) for one in envelope("control.message_commentary")["output"]]
    assert phases == [("commentary", "Let me look."), ("final_answer", "Hold the position.")]
    assert envelope("control.null_fields")["conversation"] is None


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [("status.400_previous_response", 400, "previous_response_not_found"), ("status.404_item", 404, None)],
)
def test_what_the_provider_does_not_remember(name: str, status: int, code: str | None) -> None:
    made = reply(name)
    assert (made.status, json.loads(made.body)["error"]["code"]) == (status, code)
