"""A recorded reply as the healthy one."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
import requests
import vcr  # type: ignore[import-untyped]
import yaml  # type: ignore[import-untyped]

from pytest_llmfaults import Answer, DoesNotApply, InvalidUse, fault, inject
from pytest_llmfaults._faults import CATALOGUE, healthy
from pytest_llmfaults._reply import Reply
from tests.faults import replies
from tests.suite import Suite
from tests.transports.tools import ASK, URL

from .test_cassettes import TAPED, cassette


def tape(path: Path, body: Any, headers: dict[str, list[str]], url: str = URL, status: int = 200) -> Path:
    """Write a cassette with one reply, byte for byte."""
    response = {"status": {"code": status, "message": "?"}, "headers": headers, "body": {"string": body}}
    request = {"method": "POST", "uri": url, "body": "{}", "headers": {}}
    path.write_text(yaml.safe_dump({"interactions": [{"request": request, "response": response}], "version": 1}))
    return path


def base(path: Path, index: int = 0, **body: Any) -> Reply:
    return healthy(replies.WIRE, replies.request(**body), Answer.recorded(path, index)).reply


def played(row: str, path: Path, **body: Any) -> Reply:
    one = CATALOGUE[row]
    return one.reply(
        healthy(replies.WIRE, replies.request(**body), Answer.recorded(path), needs=one.needs, fault=one.name)
    )


def test_a_real_cassette_is_corrupted(tmp_path: Path) -> None:
    path = cassette(tmp_path / "chat.yaml", TAPED)
    recorded = Answer.recorded(path)
    with inject("content.empty", recorded, "ok", answer=recorded) as seen:
        first, *others = [requests.post(URL, json=ASK, timeout=1) for _ in range(3)]
    assert first.json()["choices"] == [{"message": {"content": ""}, "finish_reason": "stop"}]
    assert [one.json() for one in others] == [TAPED, TAPED]
    assert seen.attempts == 3


def test_it_names_the_file_and_does_not_print_it(tmp_path: Path) -> None:
    path = cassette(tmp_path / "chat.yaml", TAPED)
    assert repr(Answer.recorded(path, 1)) == f"Answer(record=<{path}, index=1>)"


def test_as_the_answer_of_one_fault(tmp_path: Path) -> None:
    step = fault("finish.length", answer=Answer.recorded(cassette(tmp_path / "chat.yaml", TAPED)))
    with inject(step):
        (choice,) = requests.post(URL, json=ASK, timeout=1).json()["choices"]
    assert choice["finish_reason"] == "length"


def test_status_and_headers_are_those_of_the_record(tmp_path: Path) -> None:
    headers = {"X-Limit": ["1", "2"], "Content-Type": ["application/json"], "Content-Length": ["999"]}
    path = tape(tmp_path / "chat.yaml", '{"error": 1}', {**headers, "Transfer-Encoding": ["chunked"]}, status=429)
    reply = base(path)
    assert (reply.status, reply.body) == (429, b'{"error": 1}')
    assert sorted(reply.headers) == [("Content-Type", "application/json"), ("X-Limit", "1"), ("X-Limit", "2")]


@pytest.mark.parametrize("coding", ["gzip", "deflate", "raw deflate", "gzip, taken off", "br, taken off"])
def test_codings_are_taken_off(tmp_path: Path, coding: str) -> None:
    plain = json.dumps(TAPED).encode()
    raw = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    body = {
        "gzip": gzip.compress(plain),
        "deflate": zlib.compress(plain),
        "raw deflate": raw.compress(plain) + raw.flush(),
    }.get(coding, plain)
    name = coding.partition(",")[0].rpartition(" ")[2]
    reply = base(tape(tmp_path / "chat.yaml", body, {"Content-Encoding": [name]}))
    assert (reply.body, reply.headers) == (plain, ())


def test_a_coding_that_cannot_be_taken_off(tmp_path: Path) -> None:
    path = tape(tmp_path / "chat.yaml", b"\xff\xfe\x00\xd8", {"Content-Encoding": ["br"]})
    with pytest.raises(InvalidUse, match="decode_compressed_response"):
        Answer.recorded(path)


def test_a_json_cassette_as_vcrpy_writes_it(tmp_path: Path) -> None:
    request = vcr.request.Request("POST", URL, b"{}", {})
    response = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": json.dumps(TAPED).encode()}}
    text = vcr.serialize.serialize({"requests": [request], "responses": [response]}, vcr.serializers.jsonserializer)
    (tmp_path / "chat.json").write_text(text)
    assert json.loads(base(tmp_path / "chat.json").body) == TAPED


def test_a_plain_json_file_is_the_body(tmp_path: Path) -> None:
    (tmp_path / "reply.json").write_text(json.dumps(TAPED))
    assert json.loads(base(tmp_path / "reply.json").body) == TAPED
    assert json.loads(played("content.null", tmp_path / "reply.json").body)["choices"][0]["message"]["content"] is None


def test_the_index_counts_the_replies_on_the_wire(tmp_path: Path) -> None:
    path = cassette(tmp_path / "chat.yaml", TAPED, {**TAPED, "id": "2"})
    content = yaml.safe_load(path.read_text())
    content["interactions"].insert(
        0, {**content["interactions"][0], "request": {"method": "POST", "uri": "https://x.io/y"}}
    )
    path.write_text(yaml.safe_dump(content))
    assert json.loads(base(path, 1).body)["id"] == "2"
    assert base(path, -1) == base(path, 1)
    with pytest.raises(InvalidUse, match=r"holds 2 replies on the wire openai.chat, and none has index=2"):
        base(path, 2)


def test_nothing_on_this_wire(tmp_path: Path) -> None:
    path = tape(tmp_path / "other.yaml", "{}", {}, url="https://api.anthropic.com/v1/messages?beta=true")
    with pytest.raises(
        InvalidUse, match=r"other.yaml holds no reply on the wire openai.chat. .*api.anthropic.com/v1/messages\."
    ):
        base(path)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("gone.yaml", None, "cannot be read .*No such file"),
        ("broken.json", "{", "is not JSON"),
        ("broken.yaml", "a: [", "is not YAML"),
        ("notes.yaml", "a: 1", "is no cassette"),
        ("half.yaml", "interactions: [{request: {method: POST}}]", "interaction 0 cannot be read"),
    ],
)
def test_files_that_are_none(tmp_path: Path, name: str, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(InvalidUse, match=says):
        Answer.recorded(tmp_path / name)


def test_an_edit_of_what_is_no_json(tmp_path: Path) -> None:
    path = tape(tmp_path / "stream.yaml", "data: {}\n\n", {"Content-Type": ["text/event-stream"]})
    with pytest.raises(DoesNotApply, match=r"content.empty does not apply .* is none \(text/event-stream, 10 bytes\)"):
        played("content.empty", path)
    assert played("body.html_page", path).body.startswith(b"<")


def test_a_slot_that_the_record_does_not_have(tmp_path: Path) -> None:
    path = tape(tmp_path / "error.yaml", '{"error": {"message": "no"}}', {})
    with pytest.raises(DoesNotApply, match=r"content.empty does not apply .*error.yaml has no such part"):
        played("content.empty", path)


def test_what_a_fault_needs_is_looked_for_in_the_record(tmp_path: Path) -> None:
    path = cassette(tmp_path / "chat.yaml", TAPED)
    for row, lacks in (("tools.arguments_truncated", "a tool call"), ("structured.fenced", "structured data")):
        with pytest.raises(
            DoesNotApply, match=f"{row} does not apply .* corrupts {lacks}, and the reply in .* has none"
        ):
            played(row, path, tools=replies.TOOLS)
    content = json.dumps({"items": [1, 2]})
    path = cassette(tmp_path / "data.yaml", {"choices": [{"message": {"content": content}}]})
    fenced = json.loads(played("structured.fenced", path).body)["choices"][0]["message"]["content"]
    assert fenced.startswith("```")
    with pytest.raises(DoesNotApply, match="one item of a list"):
        played(
            "structured.one_item_bad", cassette(tmp_path / "flat.yaml", {"choices": [{"message": {"content": "{}"}}]})
        )


def test_as_the_answer_of_a_suite(suite: Suite) -> None:
    cassette(suite.pytester.path / "chat.yaml", TAPED)
    result = suite.run("""
        @pytest.fixture
        def llmfaults_answer():
            return Answer.recorded("chat.yaml")

        def test_it(llmfaults):
            llmfaults.inject("status.503", "ok")
            assert ask() == "taped"

        @pytest.mark.llmfaults("content.null", answer=Answer.recorded("chat.yaml"))
        def test_marker():
            assert ask() is None

        def test_gone(llmfaults):
            llmfaults.inject("content.empty", answer=Answer.recorded("gone.yaml"))
    """)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["*gone.yaml cannot be read (No such file or directory); a relative path counts from *"]
    )
