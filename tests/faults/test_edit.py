"""The small pure functions that rows name."""

from __future__ import annotations

import json

import pytest

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._faults._codings import accepts, gzipped, zstandard
from pytest_llmfaults._faults._edit import (
    ABSENT,
    answers,
    error,
    half,
    page,
    put,
    raw,
    reshape,
    rewrite,
    with_value,
    without,
)
from pytest_llmfaults._faults._fault import Fault
from pytest_llmfaults._faults._said import resaid
from pytest_llmfaults.errors import DoesNotApply
from tests.faults.replies import FORMAT, TOOLS, base, request


def test_with_value_leaves_what_it_is_given_alone() -> None:
    given = {"a": [{"b": 1}]}
    assert with_value(given, ("a", 0, "b"), 2) == {"a": [{"b": 2}]}
    assert with_value(given, ("a", 0, "c"), 3) == {"a": [{"b": 1, "c": 3}]}
    assert with_value(given, (), 4) == 4
    assert given == {"a": [{"b": 1}]}


def test_absent_is_not_null() -> None:
    assert without({"a": 1, "b": 2}, ("a",)) == {"b": 2}
    assert with_value({"a": [1, 2]}, ("a", 0), ABSENT) == {"a": [2]}
    assert with_value({"a": 1}, ("b",), ABSENT) == {"a": 1}
    assert with_value({"a": 1}, ("a",), None) == {"a": None}


def test_put_and_rewrite() -> None:
    healthy = base()
    envelope = json.loads(put("content", "x", ("finish", None), ("usage", ABSENT))(healthy).body)
    assert envelope["choices"][0]["message"]["content"] == "x"
    assert envelope["choices"][0]["finish_reason"] is None
    assert "usage" not in envelope
    envelope = json.loads(rewrite("content", str.upper)(healthy).body)
    assert envelope["choices"][0]["message"]["content"] == "HELLO FROM A HEALTHY MODEL."


def test_reshape_and_raw_take_values() -> None:
    healthy = base()
    assert json.loads(reshape(lambda one, key: {key: one["id"]})(healthy, key="k").body) == {"k": healthy.value("id")}
    reply = raw(lambda body, at: body[:at], content_type="text/x", x_one="1", x_two=None)(healthy, at=3)
    assert reply.body == healthy.reply.body[:3]
    assert (reply.header("content-type"), reply.header("x-one"), reply.header("x-two")) == ("text/x", "1", None)


def test_error_is_in_the_words_of_the_wire() -> None:
    reply = error(429, "Slow down.", "rate_limit_exceeded", retry_after="3")(base())
    assert (reply.status, reply.header("retry-after")) == (429, "3")
    expected = {"message": "Slow down.", "type": "requests", "param": None, "code": "rate_limit_exceeded"}
    assert json.loads(reply.body) == {"error": expected}


def test_answers_is_the_same_on_each_wire() -> None:
    assert json.loads(answers(402, {"a": 1})(base()).body) == {"a": 1}
    text = answers(500, "no", "text/plain", server="nginx")(base())
    assert (text.body, text.header("content-type"), text.header("server")) == (b"no", "text/plain", "nginx")
    assert answers(500, b"\xff")(base()).body == b"\xff"


def test_small_ones() -> None:
    assert half("abcd") == "ab"
    assert half("a") == ""
    assert half(None) is None
    assert page("T").count("T") >= 2
    assert "<title>T</title>" in page("T")


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 131072, 131073, 300_000])
def test_codings_can_be_undone(size: int) -> None:
    import gzip

    body = bytes(index % 251 for index in range(size))
    assert gzip.decompress(gzipped(body)) == body
    assert gzipped(body) == gzipped(body)
    frame = zstandard(body)
    assert frame[:4] == b"\x28\xb5\x2f\xfd"
    assert int.from_bytes(frame[5:9], "little") == size
    assert _unframed(frame[9:]) == body


def _unframed(blocks: bytes) -> bytes:
    """Read raw blocks as the format's description says."""
    out = b""
    while True:
        header = int.from_bytes(blocks[:3], "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        assert kind == 0
        out, blocks = out + blocks[3 : 3 + size], blocks[3 + size :]
        if last:
            assert not blocks
            return out


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("gzip, deflate", True),
        ("deflate, GZIP;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0", False),
        ("br", False),
        ("identity", False),
        ("", False),
        (None, False),
    ],
)
def test_accepts(accept: str | None, expected: bool) -> None:
    assert accepts(request(accept=accept), "gzip") is expected


def test_resaid_changes_the_text() -> None:
    envelope = resaid(base(), lambda text: text + "!")
    assert envelope["choices"][0]["message"]["content"] == "Hello from a healthy model.!"


def test_resaid_keeps_data_good() -> None:
    envelope = resaid(base("data"), lambda text: text + "!")
    assert json.loads(envelope["choices"][0]["message"]["content"]) == {"title": "example!", "tags": ["example"] * 2}


@pytest.mark.parametrize("kind", ["calls", "forced"])
def test_resaid_keeps_arguments_good(kind: str) -> None:
    call = resaid(base(kind), lambda text: text + "!")["choices"][0]["message"]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"])["title"] == "example!"


def test_resaid_takes_only_a_string_that_is_free() -> None:
    narrow = {"type": "object", "properties": {"a": {"enum": ["x"]}, "b": {"anyOf": [{"type": "string"}]}}}
    wanted = {"type": "json_schema", "json_schema": {"schema": narrow}}
    healthy = base("text", Answer(data={"a": "x", "b": "y"}), response_format=wanted)
    content = resaid(healthy, lambda text: text + "!")["choices"][0]["message"]["content"]
    assert json.loads(content) == {"a": "x", "b": "y!"}
    healthy = base("text", Answer(data={"a": "x"}), response_format=wanted)
    with pytest.raises(DoesNotApply, match="Give an answer with text"):
        resaid(healthy, lambda text: text + "!")


def test_resaid_with_nothing_said() -> None:
    with pytest.raises(DoesNotApply):
        resaid(base("text", Answer(tool_calls=(ToolCall("f"),))), str.upper)


def test_a_row_names_itself_when_it_does_not_apply() -> None:
    def play(_base: object) -> object:
        msg = "because. Do this."
        raise DoesNotApply(msg)

    row = Fault(name="x.y", play=play, meaning="X.", draw="same")  # type: ignore[arg-type]
    with pytest.raises(DoesNotApply) as caught:
        row.reply(base())
    assert str(caught.value) == "x.y does not apply to POST api.openai.com/v1/chat/completions: because. Do this."


def test_a_row_that_changes_nothing_is_refused() -> None:
    row = Fault(name="x.y", play=lambda base: base.reply, meaning="X.", draw="same")
    with pytest.raises(DoesNotApply, match="it changes nothing in this reply"):
        row.reply(base())


def test_a_slot_that_the_wire_lacks() -> None:
    row = Fault(name="x.y", play=put("nowhere", 1), meaning="X.", draw="same")
    with pytest.raises(DoesNotApply, match=r"the wire openai\.chat has no nowhere"):
        row.reply(base())
    row = Fault(name="x.y", play=put("content", 1), slot="nowhere", meaning="X.", draw="same")
    with pytest.raises(DoesNotApply, match=r"does not apply to the wire openai\.chat, which has no nowhere"):
        row.reply(base())


def test_value() -> None:
    assert base().value("tool_calls") is None
    assert base().value("arguments") is None
    assert base().value("usage_prompt") == 24
    assert base("text", response_format=FORMAT, tools=TOOLS).value("content").startswith("{")
