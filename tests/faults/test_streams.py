"""Rows and streams: the same name means the same for both kinds of request, or is refused."""

from __future__ import annotations

import dataclasses
import gzip
import http.client
import io
import json
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE, Fault, healthy
from pytest_llmfaults._reply import Pause, Reply
from pytest_llmfaults._wires import openai_chat_stream
from pytest_llmfaults._wires._sse import payloads
from pytest_llmfaults.errors import DoesNotApply
from tests.faults.replies import ON_WIRE, STREAM, WIRE, base, base_for, played, reply, request

STREAMED = openai_chat_stream.STREAM
ROWS = [pytest.param(row, id=name) for name, row in ON_WIRE.items() if row.applies_to(WIRE)]
TEXT = Answer("Hold the position.")
CALLS = "calls"


def stream(name: str, kind: str = "text", answer: Answer | None = None, **values: Any) -> Reply:
    """Return what a row makes of a request for a stream."""
    if answer is None and kind == "text":
        answer = TEXT
    return reply(name, base(kind, answer, **STREAM), **values)


def data(one: Reply) -> list[str]:
    """Return the data of the events of a stream."""
    return payloads(one.body)


def texts(one: Reply) -> list[Any]:
    """Return the content of each chunk that has a choice."""
    found = [json.loads(text) for text in data(one) if text != "[DONE]"]
    return [chunk["choices"][0]["delta"].get("content") for chunk in found if chunk["choices"]]


def calls(one: Reply) -> list[Any]:
    """Return the deltas of calls."""
    found = [json.loads(text)["choices"] for text in data(one) if text != "[DONE]"]
    return [
        choices[0]["delta"]["tool_calls"][0] for choices in found if choices and "tool_calls" in choices[0]["delta"]
    ]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_refused_for_one_kind_of_request_and_says_so(row: Fault) -> None:
    assert row.streamed in {"answer", "bytes", "same", "never", "only"}
    assert set(row.instead) <= set(CATALOGUE)
    assert not row.instead or row.streamed in {"never", "only"}
    if row.streamed == "never":
        with pytest.raises(DoesNotApply, match=r"and the request asks for a stream \(stream=true\)\.( Take |$)"):
            row.reply(base_for(row, stream=True))
    if row.streamed == "only":
        with pytest.raises(DoesNotApply, match=r"it corrupts a stream, and the request asks for none\. Let it say"):
            row.reply(base_for(row, stream=False))


@pytest.mark.parametrize("row", [one for one in ROWS if one.values[0].streamed == "same"])  # type: ignore[union-attr]
def test_the_same_bytes_for_both_kinds_of_request(row: Fault) -> None:
    assert played(row.reply(base_for(row, stream=True))) == played(row.reply(base_for(row, stream=False)))


@pytest.mark.parametrize("row", [one for one in ROWS if one.values[0].streamed == "answer"])  # type: ignore[union-attr]
def test_what_edits_the_answer_leaves_the_way_it_crosses_the_wire(row: Fault) -> None:
    plain = base_for(row, stream=False)
    try:
        changed = row.reply(plain)
    except DoesNotApply:
        assert row.family in {"structured", "tools"}  # tests/faults/test_rows.py knows requests that they apply to
        return
    assert dataclasses.replace(changed, chunks=(), headers=()) == dataclasses.replace(
        plain.reply, chunks=(), headers=()
    )
    asked = base_for(row, stream=True)
    streamed = row.reply(asked)
    assert streamed.header("content-type") == "text/event-stream"
    assert streamed.framing == "chunked"
    assert data(streamed)[-1] == "[DONE]"
    assert streamed.body == WIRE.streamed(asked.request, json.loads(changed.body)).body


def test_a_redirect_leads_to_the_stream() -> None:
    asked = dataclasses.replace(base("text", **STREAM), followed=True)
    assert CATALOGUE["status.307_moved"].reply(asked) == asked.as_asked().reply


def test_usage_has_to_be_asked_for() -> None:
    asked = base("text", stream=True)
    with pytest.raises(DoesNotApply, match=r"this stream does not hold. Let the request ask for it: stream_options="):
        reply("usage.total_absent", asked)
    with pytest.raises(DoesNotApply, match="the chunk of the usage comes anyway"):
        reply("control.stream_usage_chunk", base("text", **STREAM))


def test_a_recorded_stream_is_played_as_it_is() -> None:
    asked = healthy(WIRE, request(**STREAM), TEXT)
    recorded = dataclasses.replace(asked, reply=asked.as_asked().reply, recorded="a.yaml")
    assert recorded.as_asked().reply == recorded.reply
    with pytest.raises(DoesNotApply, match=r"it edits JSON, and the reply in a\.yaml is none"):
        CATALOGUE["content.empty"].reply(recorded)


@pytest.mark.parametrize(
    "row",
    [one for one in ROWS if one.id and one.id.startswith("control.") and one.values[0].streamed != "never"],  # type: ignore[union-attr]
)
def test_a_control_says_the_same_by_the_book(row: Fault) -> None:
    asked = base_for(row, stream=True)
    one = row.reply(asked)
    body = gzip.decompress(one.body) if one.header("content-encoding") else one.body
    *found, done = payloads(body)
    assert done.strip() == "[DONE]"
    chunks = [json.loads(text) for text in found]
    first = [chunk for chunk in chunks if not chunk["choices"] or chunk["choices"][0]["index"] == 0]
    said = "".join(map(STREAMED.said, first))
    assert said.startswith(asked.value("content") or "") or row.needs == "data"
    reasons = {chunk["choices"][0]["finish_reason"] for chunk in chunks if chunk["choices"]}
    assert reasons == {None, asked.value("finish")}
    assert one.connection == "accepted"
    assert one.ending == "clean"
    assert 200 <= one.status < 300


def test_ends() -> None:
    assert stream("stream.empty").chunks == ()
    assert data(stream("stream.done_only")) == ["[DONE]"]
    assert texts(stream("stream.eof_before_finish")) == ["", "Hold", " the"]
    assert texts(stream("stream.eof_before_finish", at=0.95)) == ["", "Hold", " the", " position."]
    assert texts(stream("stream.eof_mid_event")) == ["", "Hold"]
    assert not stream("stream.eof_mid_event").body.endswith(b"\n")
    assert json.loads(data(stream("stream.eof_after_finish"))[-1])["choices"][0]["finish_reason"] == "stop"
    assert "stop" not in "".join(data(stream("stream.no_finish_chunk")))
    assert stream("stream.closed", events=2).ending == "cut"
    assert len(stream("stream.reset_peer", events=4).chunks) == 4
    with pytest.raises(DoesNotApply, match="it ends after 8 events, and the stream has 7"):
        stream("stream.stall", events=8)
    assert data(stream("stream.stall_after_done"))[-1] == "[DONE]"
    assert stream("stream.stall_keepalive", comments=2, seconds=1.5).chunks[-4:] == (
        Pause(1.5),
        b": keepalive\n\n",
        Pause(1.5),
        b": keepalive\n\n",
    )
    assert stream("stream.slow_first_event", seconds=3).chunks[0] == Pause(3.0)
    assert stream("stream.slow_events", seconds=3).chunks[::2] == (Pause(3.0),) * 7


def test_silence_has_no_middle() -> None:
    with pytest.raises(DoesNotApply, match=r"stream\.eof_mid_event .* the answer says nothing\. Give answer="):
        stream("stream.eof_mid_event", answer=Answer(""))


def test_instead_of_a_stream() -> None:
    whole = base("text", TEXT).reply
    assert stream("stream.json_whole") == whole
    assert stream("stream.json_whole_as_sse").body == whole.body
    assert json.loads(data(stream("stream.json_whole_in_event"))[0]) == json.loads(whole.body)
    assert json.loads(stream("stream.json_whole_indented").body) == json.loads(whole.body)
    assert stream("stream.sse_no_type").header("content-type") is None
    assert [json.loads(line)["object"] for line in stream("stream.ndjson").body.splitlines()] == [
        "chat.completion.chunk"
    ] * 6


def test_events() -> None:
    assert data(stream("stream.error_mid_429"))[-2:] == [
        '{"error": {"message": "Rate limit reached.", "type": "rate_limit_error", "param": null, "code": 429}}',
        "[DONE]",
    ]
    assert b"event: error\ndata: {" in stream("stream.error_event").body
    assert texts(stream("stream.content_cumulative"))[1:4] == ["Hold", "Hold the", "Hold the position."]
    assert texts(stream("stream.content_repeated")).count(" the") == 2
    assert texts(stream("stream.content_swapped"))[1:3] == [" the", "Hold"]
    assert data(stream("stream.event_concatenated"))[1].count('"content"') == 2
    assert stream("stream.event_lines_joined").body.count(b"\n\n") == 0
    broken = data(stream("stream.event_truncated"))
    assert len(broken) == 7
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken[2])
    assert json.loads(json.loads(data(stream("stream.event_double_encoded"))[2]))["object"] == "chat.completion.chunk"


def test_calls_in_pieces() -> None:
    assert [call.get("index") for call in calls(stream("tools.index_absent", CALLS)) if "id" in call] == [None, 1]
    assert [call.get("index") for call in calls(stream("tools.index_mixed", CALLS)) if "id" in call] == [0, None]
    assert {call["index"] for call in calls(stream("tools.index_from_one", CALLS))} == {1, 2}
    shared = calls(stream("tools.index_shared", CALLS))
    assert [call["index"] for call in shared] == [0, 0]
    assert all(json.loads(call["function"]["arguments"]) for call in shared)
    split = calls(stream("tools.name_split", CALLS))
    assert split[0]["function"]["name"] + split[1]["function"]["name"] == "look_up"
    ids = [call["id"] for call in calls(stream("tools.id_each", CALLS))]
    assert len(ids) == len(set(ids))
    late = calls(stream("tools.name_late", CALLS))
    assert [call["function"]["name"] for call in late[:2]] == ["", "look_up"]
    assert json.loads(late[1]["function"]["arguments"])
    cut = "".join(call["function"]["arguments"] for call in calls(stream("tools.eof_in_arguments", CALLS)))
    assert cut.startswith("{")
    assert not cut.endswith("}")
    assert data(stream("tools.done_in_arguments", CALLS))[-1] == "[DONE]"
    mixed = [call["index"] for call in calls(stream("control.stream_tools_interleaved", CALLS))]
    assert mixed[:4] == [0, 1, 0, 1]


def test_a_lone_call_comes_twice_where_two_are_needed() -> None:
    found = calls(stream("tools.index_absent_two", "forced"))
    assert [call["id"] for call in found if "id" in call][1] == "call_again"


def test_usage_in_odd_places() -> None:
    def usages(name: str) -> list[Any]:
        found = [json.loads(text) for text in data(stream(name)) if text != "[DONE]"]
        return [chunk.get("usage", "absent") for chunk in found]

    assert sum(bool(one and one != "absent") for one in usages("usage.twice")) == 2
    assert usages("usage.null_after")[-1] is None
    assert usages("usage.empty_chunk_after")[-1] == "absent"
    assert [one["completion_tokens"] for one in usages("usage.in_each")] == [0, 1, 2, 3, 3]
    assert [one["total_tokens"] for one in usages("usage.zeros_until_last")] == [0, 0, 0, 0, 41]


def test_how_events_cross_the_wire() -> None:
    assert stream("control.stream_crlf").body.count(b"\r\n\r\n") == 7
    assert b"\n" not in stream("control.stream_cr").body
    assert all(bytes(one).endswith(b"\r") for one in stream("control.stream_crlf_split").chunks[:-1])  # type: ignore[arg-type]
    assert {len(one) for one in stream("control.stream_bytes").chunks} == {1}  # type: ignore[arg-type]
    assert len(stream("control.stream_one_write").chunks) == 1
    split = stream("control.stream_split_character")
    assert len(split.chunks) == 4
    for one in split.chunks[:-1]:
        with pytest.raises(UnicodeDecodeError):
            bytes(one).decode()  # type: ignore[arg-type]
    assert stream("control.stream_no_space").body.startswith(b"data:{")
    assert stream("control.stream_ids").body.count(b"id: ") == 7
    assert stream("control.stream_comment", count=3, seconds=2).chunks[:2] == (
        Pause(2.0),
        b": OPENROUTER PROCESSING\n\n",
    )


def test_a_body_is_cut_where_its_chunks_are() -> None:
    whole = base("text", TEXT, **STREAM).as_asked().reply
    cut = stream("transport.chunked_cut", at=0.5)
    assert cut.body == whole.body[: len(whole.body) // 2]
    assert cut.chunks[:2] == whole.chunks[:2]
    assert stream("transport.reset_peer_in_body").header("content-length") is None
    assert stream("transport.slow_drip").body == whole.body
    assert stream("transport.chunked_bad_frame").head().count(b"chunked") == 1
    in_character = stream("body.truncated_in_character")
    assert in_character.body.endswith(b'"content": "\xc3')
    assert in_character.framing == "chunked"


def test_a_body_within_so_many_bytes() -> None:
    whole = base("text", TEXT, **STREAM).as_asked().reply
    script = b"".join(act for act in whole.script() if isinstance(act, bytes))
    head = len(whole.head())
    assert whole.body_within(head) == b""
    assert whole.body_within(len(script)) == whole.body
    taken = [whole.body_within(count) for count in range(len(script) + 1)]
    assert all(after.startswith(before) for before, after in zip(taken, taken[1:], strict=False))
    plain = base("text", TEXT).reply
    assert plain.body_within(len(plain.head()) + 3) == plain.body[:3]
    assert stream("transport.timeout_after_headers").body_within(10**6) == b""


def _parsed(one: Reply) -> bytes:
    """Return the body of a reply as the client of the standard library reads it."""
    raw = b"".join(act for act in one.script() if isinstance(act, bytes))
    while raw.startswith(b"HTTP/1.1 1"):  # hints, which that client takes for the answer
        raw = raw.partition(b"\r\n\r\n")[2]
    read = http.client.HTTPResponse(_Arrived(raw), method="POST")  # type: ignore[arg-type]  # it uses nothing else
    read.begin()
    return read.read()


class _Arrived:
    """A socket from which all has arrived."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def makefile(self, *_: object) -> io.BytesIO:
        return io.BytesIO(self.raw)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=name)
        for name, row in ON_WIRE.items()
        if row.family == "control" and row.streamed != "never"
    ],
)
def test_the_framing_of_a_good_stream_is_what_its_head_says(row: Fault) -> None:
    one = row.reply(base_for(row, stream=True))
    if one.status == 200:
        assert _parsed(one) == one.body


def test_a_text_that_is_too_short_to_cut_in_a_character_says_so() -> None:
    with pytest.raises(DoesNotApply, match=r"the text is cut between them\. Give a longer answer=\.$"):
        stream("control.stream_split_character", answer=Answer("Hi"))
