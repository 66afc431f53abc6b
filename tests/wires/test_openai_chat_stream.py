"""The healthy stream, judged by the models of the official SDK; and what becomes of a corrupted envelope."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai.types.chat import ChatCompletionChunk

from pytest_llmfaults._answer import Answer, ToolCall, Usage
from pytest_llmfaults._wires._encoding import Event
from pytest_llmfaults._wires._pieces import pieces
from pytest_llmfaults._wires._sse import Framing, payloads
from pytest_llmfaults._wires.openai_chat_stream import STREAM
from tests.faults.replies import BODIES, WIRE, base, request
from tests.faults.replies import STREAM as ASKED

ANSWERS = [
    *((kind, None) for kind in BODIES),
    ("text", Answer("text", reasoning="a thought", usage=Usage(1, 2, 1))),
    ("text", Answer("")),
    ("text", Answer("é", finish="length")),
    ("text", Answer("日本語の答え 🙂\u2028 two\nlines ")),
    ("text", Answer("Let me look.", tool_calls=(ToolCall("look_up", {"title": "x"}, "call_x"), ToolCall("store")))),
    ("data", Answer(reasoning="a thought")),
    ("calls", Answer(reasoning="a thought", tool_calls="offered")),
    ("forced", Answer(data={"title": "a", "tags": ["b", "c"]}, reasoning="a thought")),
]


def chunks(kind: str, answer: Answer | None = None, **more: Any) -> list[Any]:
    """Return the chunks of a healthy stream, read from its bytes."""
    body = base(kind, answer, **{**ASKED, **more}).as_asked().reply.body
    *found, done = payloads(body)
    assert done == "[DONE]"
    return [json.loads(text) for text in found]


def joined(found: list[Any]) -> dict[str, Any]:
    """Put the deltas of a stream together again, as a message."""
    message: dict[str, Any] = {}
    calls: dict[int, dict[str, Any]] = {}
    for chunk in found:
        for key, value in chunk["choices"][0]["delta"].items() if chunk["choices"] else ():
            if key == "tool_calls":
                for call in value:
                    one = calls.setdefault(call["index"], {**call, "function": {**call["function"], "arguments": ""}})
                    one["function"]["arguments"] += call["function"]["arguments"]
            elif isinstance(value, str) and isinstance(message.get(key), str):
                message[key] += value
            else:
                message[key] = value
    if calls:
        message["tool_calls"] = [
            {key: value for key, value in call.items() if key != "index"} for call in calls.values()
        ]
    return message


@pytest.mark.parametrize(("kind", "answer"), ANSWERS)
def test_a_healthy_stream_is_strictly_valid_and_says_what_the_envelope_says(kind: str, answer: Answer | None) -> None:
    found = chunks(kind, answer)
    for chunk in found:
        parsed = ChatCompletionChunk.model_validate_json(json.dumps(chunk), strict=True)
        assert parsed.model_dump(exclude_unset=True) == chunk
    envelope = base(kind, answer).envelope()
    message = dict(envelope["choices"][0]["message"])
    assert message.pop("annotations") == []
    assert joined(found) == message
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in found if chunk["choices"]]
    assert reasons == [None] * (len(reasons) - 1) + [envelope["choices"][0]["finish_reason"]]
    assert found[0]["choices"][0]["delta"]["role"] == "assistant"
    assert found[-1]["usage"] == envelope["usage"]
    assert found[-1]["choices"] == []
    assert {chunk["object"] for chunk in found} == {"chat.completion.chunk"}


def test_usage_comes_only_where_it_is_asked_for() -> None:
    for options in (None, {}, {"include_usage": False}):
        assert all("usage" not in chunk for chunk in chunks("text", stream_options=options))


def test_the_calls_come_one_after_the_other_and_their_arguments_in_pieces() -> None:
    deltas = [one["choices"][0]["delta"].get("tool_calls") for one in chunks("calls") if one["choices"]]
    calls = [one[0] for one in deltas if one]
    assert [call["index"] for call in calls] == sorted(call["index"] for call in calls)
    first = [call for call in calls if call["index"] == 0]
    assert set(first[0]) == {"index", "id", "type", "function"}
    assert first[0]["function"] == {"name": "look_up", "arguments": ""}
    assert len(first) > 3
    assert all(set(call) == {"index", "function"} and set(call["function"]) == {"arguments"} for call in first[1:])


def test_a_legacy_call_comes_in_pieces() -> None:
    function = {"name": "look_up", "parameters": {"type": "object"}}
    more = {"functions": [function], "function_call": {"name": "look_up"}}
    deltas = [one["choices"][0]["delta"] for one in chunks("text", Answer(data={"a": "b c"}), **more) if one["choices"]]
    parts = [delta["function_call"] for delta in deltas if "function_call" in delta]
    assert parts[0] == {"name": "look_up", "arguments": ""}
    assert json.loads("".join(part["arguments"] for part in parts)) == {"a": "b c"}


def test_one_http_chunk_an_event() -> None:
    reply = base("text", **ASKED).as_asked().reply
    assert reply.header("content-type") == "text/event-stream"
    assert reply.framing == "chunked"
    assert all(chunk.startswith(b"data: ") and chunk.endswith(b"\n\n") for chunk in map(bytes, reply.chunks))  # type: ignore[arg-type]
    assert len(reply.chunks) == len(payloads(reply.body))


@pytest.mark.parametrize(
    "text", ["", "a", "ab", "abc", "one-word", "two words", " a  b\n\n c ", "\u2028\u2028", "日本語"]
)
def test_pieces_are_the_text(text: str) -> None:
    found = pieces(text)
    assert "".join(found) == text
    assert all(found)
    assert len(found) >= min(3, len(text))


def deltas(message: Any, **choice: Any) -> list[Any]:
    """Return the choices of the chunks of an envelope with this message."""
    envelope = {"choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}]}
    return [chunk["choices"][0] for chunk in STREAM.chunks(envelope, request())]


def test_what_is_absent_is_in_no_delta_and_null_in_the_first() -> None:
    assert [one["delta"] for one in deltas({"role": "assistant"})] == [{"role": "assistant"}, {}]
    assert [one["delta"] for one in deltas({"content": None})] == [{"content": None}, {}]
    assert [one["delta"] for one in deltas({"content": ["x"]})] == [{"content": ["x"]}, {}]
    assert [one["delta"] for one in deltas({"content": "x"})] == [{"content": ""}, {"content": "x"}, {}]
    assert [one["delta"] for one in deltas({"reasoning": "a", "thinking": "bc"})] == [
        {},
        {"reasoning": "a", "thinking": "b"},
        {"thinking": "c"},
        {},
    ]
    call = {"id": None, "function": {"name": "f", "arguments": {"a": 1}}}
    assert deltas({"tool_calls": [call, None]})[1]["delta"] == {"tool_calls": [{"index": 0, **call}]}
    assert deltas({"tool_calls": [call, None]})[2]["delta"] == {"tool_calls": [None]}


def test_what_is_no_message_comes_whole_in_one_chunk() -> None:
    assert deltas(None) == [{"index": 0, "delta": None, "finish_reason": "stop"}]
    assert deltas("text") == [{"index": 0, "delta": "text", "finish_reason": "stop"}]
    for choices in (None, [], "x", {"message": 1}, [None], [[{"message": 1}]]):
        (only,) = STREAM.chunks({"id": "a", "choices": choices}, request())
        assert only["id"] == "a"
        assert "message" not in json.dumps(only)
    assert STREAM.chunks([1], request()) == [[1]]
    assert STREAM.chunks({"error": {"code": 1}}, request()) == [{"error": {"code": 1}}]


def test_what_comes_with_the_reason_is_in_its_chunk() -> None:
    first, *_, last = deltas({"content": "x"}, stop_reason=None, error={"code": 1}, logprobs={"content": []})
    assert first == {"index": 0, "delta": {"content": ""}, "finish_reason": None, "stop_reason": None, "logprobs": None}
    assert last["error"] == {"code": 1}
    assert last["logprobs"] == {"content": []}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("space", ["", " "])
def test_what_is_written_is_read(end: str, space: str) -> None:
    framing = Framing(line_end=end, space=space)
    events = [Event.data("one", ("id", "1")), Event.comment("ping"), Event((("data", "a"), ("data", "b\u2028")))]
    body = b"\xef\xbb\xbf" + b"".join(map(framing.written, events))
    assert payloads(body) == ["one", "a\nb\u2028"]
    assert payloads(body[: -len(end)]) == ["one"]


def test_an_event_without_data_is_none() -> None:
    assert payloads(b"data:\n\nretry: 1\n\n: x\n\ndata: y\n\ndata: cut") == ["y"]


def test_a_wire_without_a_stream_refuses() -> None:
    import dataclasses

    with pytest.raises(TypeError, match=r"openai\.chat has no stream"):
        dataclasses.replace(WIRE, stream=None).streamed(request(), {})


def test_a_stream_is_made_once() -> None:
    first, again = (base("text", Answer("a b c"), **ASKED).as_asked().reply for _ in range(2))
    assert first is again
    other = base("text", Answer("a b d"), **ASKED).as_asked().reply
    assert other.body.replace(b'" d"', b'" c"') == first.body
    without_usage = base("text", Answer("a b c"), stream=True).as_asked().reply
    assert len(without_usage.chunks) == len(first.chunks) - 1
