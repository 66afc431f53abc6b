"""Transport, body, envelope, usage, finish and control: what crosses the wire."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer, ToolCall, Usage
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._reply import End, Pause
from pytest_llmfaults.errors import DoesNotApply
from tests.faults.replies import WIRE, base, reply, request

BODY = base().reply.body


def data(name: str, kind: str = "text", **values: Any) -> Any:
    return json.loads(reply(name, base(kind), **values).body)


@pytest.mark.parametrize(
    ("name", "connection", "end"),
    [
        ("transport.refused", "refused", "keep"),
        ("transport.dns_failure", "unresolved", "keep"),
        ("transport.connect_timeout", "timed_out", "keep"),
        ("transport.tls_verify", "untrusted", "keep"),
        ("transport.reset_peer", "accepted", "reset"),
        ("transport.closed", "accepted", "close"),
        ("transport.timeout", "accepted", "stall"),
        ("transport.closed_in_headers", "accepted", "close"),
        ("transport.reset_peer_after_headers", "accepted", "reset"),
        ("transport.timeout_after_headers", "accepted", "stall"),
        ("transport.stale_keep_alive", "accepted", "stale"),
        ("transport.not_http", "accepted", "close"),
        ("transport.closed_in_body", "accepted", "close"),
        ("transport.chunked_empty", "accepted", "close"),
        ("transport.content_length_too_short", "accepted", "keep"),
        ("control.http_1_0", "accepted", "close"),
        ("control.no_length", "accepted", "close"),
        ("control.connection_close", "accepted", "close"),
    ],
)
def test_connection_and_end(name: str, connection: str, end: str) -> None:
    one = reply(name)
    assert one.connection == connection
    last = one.script()[-1]
    assert isinstance(last, End)
    assert last.kind == end


@pytest.mark.parametrize("name", ["transport.reset_peer", "transport.closed", "transport.timeout"])
def test_not_one_byte(name: str) -> None:
    assert len(reply(name).script()) == 1


def test_half_a_head() -> None:
    assert reply("transport.closed_in_headers").script()[0] == b"HTTP/1.1 200 OK\r\nContent-Type: appl"


@pytest.mark.parametrize("name", ["transport.reset_peer_after_headers", "transport.timeout_after_headers"])
def test_a_whole_head_and_no_body(name: str) -> None:
    head = reply(name).script()[0]
    assert isinstance(head, bytes)
    assert head.endswith(b"Content-Length: %d\r\n\r\n" % len(BODY))


@pytest.mark.parametrize("at", [0.05, 0.5, 0.95])
@pytest.mark.parametrize(
    "name", ["transport.reset_peer_in_body", "transport.closed_in_body", "transport.timeout_in_body"]
)
def test_a_part_of_the_body_under_the_whole_length(name: str, at: float) -> None:
    sent = reply(name, at=at).script()[0]
    assert isinstance(sent, bytes)
    head, _, body = sent.partition(b"\r\n\r\n")
    assert b"content-length: %d" % len(BODY) in head
    assert body == BODY[: int(at * len(BODY))]


def test_lengths_that_lie() -> None:
    assert reply("transport.content_length_too_long").header("content-length") == str(len(BODY) + 16)
    assert reply("transport.content_length_too_short").header("content-length") == str(len(BODY) - 16)


@pytest.mark.parametrize("name", ["transport.chunked_cut", "transport.chunked_unterminated", "transport.chunked_empty"])
def test_the_last_chunk_never_comes(name: str) -> None:
    script = reply(name).script()
    assert b"0\r\n\r\n" not in script
    assert isinstance(script[0], bytes)
    assert b"Transfer-Encoding: chunked" in script[0]


def test_a_bad_frame() -> None:
    script = reply("transport.chunked_bad_frame").script()
    assert isinstance(script[0], bytes)
    assert script[0].endswith(b"transfer-encoding: chunked\r\n\r\n" + BODY)


def test_slow() -> None:
    assert reply("transport.latency", seconds=5).script()[0] == Pause(5.0)
    drip = reply("transport.slow_drip", seconds=2.5)
    pauses = [chunk for chunk in drip.chunks if isinstance(chunk, Pause)]
    assert pauses == [Pause(2.5)] * 20
    assert drip.body == BODY
    assert drip.header("content-length") == str(len(BODY))


def test_a_certificate_needs_https() -> None:
    plain = healthy(WIRE, request(url="http://127.0.0.1:8000/v1/chat/completions"), Answer())
    with pytest.raises(DoesNotApply, match=r"the URL is http, and a certificate belongs to https\. Give the client"):
        reply("transport.tls_verify", plain)


@pytest.mark.parametrize("at", [0.05, 0.5, 0.95])
def test_truncated(at: float) -> None:
    one = reply("body.truncated_json", at=at)
    assert one.body == BODY[: int(at * len(BODY))]
    assert f"Content-Length: {len(one.body)}".encode() in one.head()


def test_bodies_that_do_not_decode() -> None:
    assert reply("body.empty").body == b""
    assert reply("body.html_page").body.startswith(b"<!DOCTYPE html>")
    assert reply("body.html_as_json").header("content-type") == "application/json"
    assert reply("body.truncated_last_byte").body == BODY[:-1]
    assert reply("body.truncated_in_character").body.endswith(b'"content": "\xc3')
    with pytest.raises(UnicodeDecodeError):
        reply("body.broken_utf8").body.decode()
    with pytest.raises(json.JSONDecodeError, match="control character"):
        json.loads(reply("body.raw_control_characters").body)
    assert json.loads(reply("body.raw_control_characters").body, strict=False)
    waits = reply("body.whitespace_only", lines=3, seconds=2)
    assert waits.chunks == (Pause(2), b"\n") * 3
    assert reply("body.whitespace_only", lines=2, seconds=0).chunks == (b"\n", b"\n")


def test_encodings() -> None:
    assert json.loads(reply("body.utf16").body.decode("utf-16"))
    assert json.loads(reply("body.bom").body.decode("utf-8-sig")) == json.loads(BODY)
    assert "é Hello" in reply("body.latin1").body.decode("latin-1")
    assert "é Hello" in reply("body.charset_lie").body.decode()
    assert reply("body.charset_lie").header("content-type") == "application/json; charset=iso-8859-1"
    assert gzip.decompress(reply("body.gzip_unasked").body) == BODY
    assert reply("body.gzip_unlabelled").header("content-encoding") is None
    assert reply("body.gzip_lie").body == BODY
    with pytest.raises(EOFError):
        gzip.decompress(reply("body.gzip_truncated").body)
    assert reply("body.zstd").header("content-encoding") == "zstd"


def test_unusual_json() -> None:
    assert json.loads(json.loads(reply("body.double_encoded").body)) == json.loads(BODY)
    assert reply("body.concatenated").body == BODY * 2
    assert reply("body.concatenated", separator="newline").body == BODY + b"\n" + BODY
    assert b"NaN" in reply("body.nan").body
    assert b"-Infinity" in reply("body.nan").body
    assert reply("body.huge_integer").body.endswith(b', "seed": ' + b"9" * 5000 + b"}")
    assert len(reply("body.huge", megabytes=1).body) > 1_048_576
    assert reply("body.deep", depth=100).body.endswith(b'"extra": ' + b"[" * 100 + b"]" * 100 + b"}")
    assert reply("body.json_no_type").header("content-type") is None


def test_a_stream_that_nobody_asked_for() -> None:
    lines = reply("body.sse").body.decode().split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert text == base().value("content")
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert reply("body.sse_as_json", line_end="crlf").body.endswith(b"data: [DONE]\r\n\r\n")
    assert b"\n" not in reply("body.sse_as_json", line_end="cr").body
    calls = reply("body.sse", base("calls")).body.decode()
    assert calls.count('"type": "function"') == 2


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("envelope.top_null", b"null"),
        ("envelope.top_object_empty", b"{}"),
        ("envelope.top_list_empty", b"[]"),
        ("envelope.top_string", b'"ok"'),
        ("envelope.top_number", b"0"),
        ("envelope.top_true", b"true"),
        ("envelope.error_string", b'{"error": "The model crashed."}'),
    ],
)
def test_whole_bodies(name: str, body: bytes) -> None:
    assert reply(name).body == body


def test_choices() -> None:
    choice = base().value("choice")
    text = base().value("content")
    assert data("envelope.choices_object")["choices"] == choice
    assert data("envelope.choices_string")["choices"] == text
    assert data("envelope.choices_string_item")["choices"] == [text]
    assert data("envelope.choices_list_item")["choices"] == [[choice]]
    assert data("envelope.choices_string", "calls")["choices"] == ""
    assert data("envelope.nested", key="data")["data"] == json.loads(BODY)
    assert set(data("envelope.all_null")) == {"id", "choices", "created", "model", "object", "usage"}
    assert data("envelope.prompt_blocked")["choices"] == []
    first, second = data("envelope.choices_two", "calls")["choices"]
    assert first == base("calls").value("choice")
    assert (second["index"], second["message"]["content"], second["finish_reason"]) == (1, "Another answer.", "stop")
    assert "tool_calls" not in second["message"]
    with pytest.raises(DoesNotApply, match="a second choice that nobody asked for, and the request asks for n=2"):
        reply("envelope.choices_two", base(n=2))
    assert data("envelope.error_base_resp")["choices"] is None
    assert data("envelope.error_base_resp")["base_resp"] == {"status_code": 1002, "status_msg": "rate limit"}
    assert data("envelope.service_tier_other", tier="on_demand")["service_tier"] == "on_demand"


def test_messages() -> None:
    assert "message" not in data("envelope.message_absent")["choices"][0]
    assert data("envelope.message_as_text")["choices"][0]["text"] == base().value("content")
    assert data("envelope.message_as_delta")["choices"][0]["delta"] == base().value("message")
    assert data("envelope.error_beside_answer")["choices"][0]["message"]["content"] == "Hello from a "
    assert "role" not in data("envelope.role_absent")["choices"][0]["message"]
    assert "index" not in data("envelope.index_absent")["choices"][0]


def test_usage() -> None:
    assert "usage" not in data("usage.absent")
    assert data("usage.float")["usage"]["completion_tokens"] == 17.92
    assert data("usage.float")["usage"]["total_tokens"] == 41.92
    assert data("usage.total_larger")["usage"]["total_tokens"] == 24 + 17 + 405
    assert data("usage.cached_null")["usage"]["prompt_tokens_details"] == {"cached_tokens": None, "audio_tokens": 0}
    assert data("usage.string")["usage"]["prompt_tokens_details"] == {"cached_tokens": "0", "audio_tokens": "0"}
    assert set(data("usage.negative")["usage"]["completion_tokens_details"].values()) == {-1}
    assert set(data("usage.total_absent")["usage"]) & {"prompt_tokens", "total_tokens"} == {"prompt_tokens"}
    with pytest.raises(DoesNotApply, match="it changes nothing in this reply"):
        reply("usage.zeros", base("text", Answer("x", usage=Usage(0, 0, 0))))


def test_a_cut_text() -> None:
    cut = data("finish.length")
    assert cut["choices"][0]["message"]["content"] == "Hello fro"
    assert cut["choices"][0]["finish_reason"] == "length"
    assert cut["usage"]["completion_tokens"] == 4096
    assert cut["usage"]["total_tokens"] == 24 + 4096
    limited = reply("finish.length", base("text", max_completion_tokens=9))
    assert json.loads(limited.body)["usage"]["completion_tokens"] == 9
    for reason in ("model_length", "insufficient_system_resource"):
        choice = data(f"finish.{reason}")["choices"][0]
        assert (choice["message"]["content"], choice["finish_reason"]) == ("Hello fro", reason)
    whole = data("finish.length_complete")["choices"][0]
    assert (whole["message"]["content"], whole["finish_reason"]) == (base().value("content"), "length")


def test_a_cut_call() -> None:
    calls = data("finish.length", "calls")["choices"][0]["message"]["tool_calls"]
    assert len(calls) == 1
    with pytest.raises(json.JSONDecodeError):
        json.loads(calls[0]["function"]["arguments"])


def test_text_is_cut_before_the_calls_that_follow_it() -> None:
    both = base("text", Answer("Let me look.", tool_calls=(ToolCall("look_up"),)))
    message = json.loads(reply("finish.length", both).body)["choices"][0]["message"]
    assert message["content"] == "Let "
    assert "tool_calls" not in message


def test_nothing_to_cut() -> None:
    with pytest.raises(DoesNotApply, match=r"finish\.length does not apply to .*: it cuts what the model said"):
        reply("finish.length", base("text", Answer("")))


@pytest.mark.parametrize("kind", ["text", "data", "calls", "forced"])
def test_a_filter_leaves_nothing(kind: str) -> None:
    choice = data("finish.content_filter", kind)["choices"][0]
    assert choice["finish_reason"] == "content_filter"
    assert choice["message"]["content"] is None
    assert "tool_calls" not in choice["message"]
    assert data("finish.content_filter_empty", kind)["choices"][0]["message"]["content"] == ""
    assert data("finish.content_filter_content_absent", kind)["choices"][0]["message"] == {"role": "assistant"}
    assert data("finish.error_native", kind)["usage"]["total_tokens"] == 0


def test_a_reason_that_does_not_fit() -> None:
    choice = data("finish.tool_calls_with_text", "calls")["choices"][0]
    assert choice["message"]["content"] == "Let me look that up."
    assert "tool_calls" not in choice["message"]
    assert "finish_reason" not in data("finish.absent")["choices"][0]


def test_heads_of_controls() -> None:
    assert reply("control.early_hints").head().startswith(b"HTTP/1.1 103 Early Hints\r\nLink: ")
    assert b"\r\n\r\nHTTP/1.1 200 OK\r\n" in reply("control.early_hints").head()
    assert reply("control.http_1_0").head().startswith(b"HTTP/1.0 200 OK\r\n")
    assert reply("control.reason_phrase_empty").head().startswith(b"HTTP/1.1 200 \r\n")
    assert b"\r\nCONTENT-TYPE: application/json\r\n" in reply("control.header_upper").head()
    assert reply("control.header_upper").head().lower().count(b"content-length") == 1
    assert reply("control.no_length").head().endswith(b"Connection: close\r\n\r\n")


def test_framing_of_controls() -> None:
    chunked = reply("control.chunked", bytes=1)
    assert len(chunked.chunks) == len(BODY)
    assert chunked.body == BODY
    led = reply("control.leading_whitespace", lines=2, seconds=1.5)
    assert led.chunks == (Pause(1.5), b"\n", Pause(1.5), b"\n", BODY)
    assert gzip.decompress(reply("control.gzip").body) == BODY
    with pytest.raises(DoesNotApply, match=r"the request does not accept gzip\. Let the client send"):
        reply("control.gzip", base("text", accept=None))


def test_texts_of_controls() -> None:
    assert "\u2028\u0085end" in reply("control.line_separator").body.decode()
    assert reply("control.non_ascii").body.decode().count("\u2713") == 1
    assert reply("control.ascii_escaped").body.isascii()
    assert json.loads(reply("control.ascii_escaped").body) == json.loads(reply("control.non_ascii").body)
    assert data("control.key_order") == json.loads(BODY)
    assert list(data("control.key_order")) == list(reversed(json.loads(BODY)))
    assert data("control.pretty_printed") == json.loads(BODY)


def test_thoughts_stay_where_null_fields_come() -> None:
    healthy_reply = base("text", Answer("x", reasoning="a thought"))
    for name in ("control.null_fields", "control.extra_fields"):
        message = json.loads(reply(name, healthy_reply).body)["choices"][0]["message"]
        assert message["reasoning_content"] == "a thought"
    assert data("control.null_fields")["choices"][0]["message"]["reasoning_content"] is None


def test_calls_of_controls() -> None:
    ids = [call["id"] for call in data("control.tool_calls_id_foreign", "calls")["choices"][0]["message"]["tool_calls"]]
    assert ids == ["functions.look_up:0", "functions.store:1"]
    arguments = json.loads(reply("control.arguments_inner_json", base("calls")).body)["choices"][0]["message"]
    inner = json.loads(arguments["tool_calls"][0]["function"]["arguments"])
    assert json.loads(inner["title"]) == {"a": 1}
    with pytest.raises(DoesNotApply, match="the answer calls tools, which this would take away"):
        reply("control.tool_calls_empty", base("calls"))
