"""The healthy reply, judged by the models of the official SDK."""

from __future__ import annotations

import contextlib
import itertools
import json
import pickle
from typing import Any

import pytest
from openai.types.chat import ChatCompletion

from pytest_llmfaults._answer import Answer, Usage
from pytest_llmfaults._faults import healthy
from pytest_llmfaults.errors import DoesNotApply
from tests.faults.editions import FIXED
from tests.faults.replies import ANSWERS, BODIES, ON_WIRE, WIRE, base, kind_for, request

CONTROLS = [row for row in ON_WIRE.values() if row.family == "control" and row.streamed != "only"]


def check(body: bytes) -> ChatCompletion:
    return ChatCompletion.model_validate_json(body, strict=True)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        *((kind, None) for kind in BODIES),
        ("text", Answer("text", reasoning="a thought", usage=Usage(1, 2, 1))),
        ("data", Answer(data={"title": "a", "tags": ["b"]})),
        ("text", Answer("", finish="length")),
        ("data", Answer(reasoning="a thought")),
        ("calls", Answer(reasoning="a thought", tool_calls="offered")),
        ("forced", Answer(data={"title": "a", "tags": ["b", "c"]}, reasoning="a thought")),
    ],
)
def test_a_healthy_reply_is_strictly_valid(kind: str, answer: Answer | None) -> None:
    body = base(kind, answer).reply.body
    completion = check(body)
    assert completion.model_dump(exclude_unset=True) == json.loads(body)
    assert completion.choices[0].message.role == "assistant"


def test_what_is_said_is_where_it_belongs() -> None:
    message = check(base("data").reply.body).choices[0].message
    assert json.loads(message.content or "") == {"title": "example", "tags": ["example", "example"]}
    forced = check(base("forced").reply.body).choices[0]
    assert forced.finish_reason == "tool_calls"
    assert len(forced.message.tool_calls or ()) == 1
    assert len(check(base("calls", ANSWERS["calls"]).reply.body).choices[0].message.tool_calls or ()) == 2


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in CONTROLS])
def test_a_control_says_the_same(row: Any) -> None:
    kept = base(kind_for(row))
    reply = row.reply(kept)
    body = reply.body
    if reply.header("content-encoding") == "gzip":
        import gzip

        body = gzip.decompress(body)
    assert 200 <= reply.status < 300
    assert reply.connection == "accepted"
    before, after = check(kept.reply.body).choices[0], check(body).choices[0]
    assert after.finish_reason == before.finish_reason
    assert after.message.role == "assistant"
    calls_before, calls_after = before.message.tool_calls or [], after.message.tool_calls or []
    assert [call.type for call in calls_after] == [call.type for call in calls_before]
    if kind_for(row) == "data":
        data = json.loads(after.message.content or "")
        assert set(data) == {"title", "tags"}
        assert data["tags"] == ["example", "example"]
    elif kind_for(row) == "text":
        assert (after.message.content or "").startswith("Hello from a healthy model.")


def test_data_that_is_changed_in_place_is_said_anew() -> None:
    answer = Answer(data={"title": "a", "tags": ["b"]})
    first = base("data", answer).reply.body
    answer.data["tags"].append("c")
    assert base("data", answer).reply.body != first
    assert base("data", Answer(data={"title": "a", "tags": ["b"]})).reply.body == first


def test_data_that_cannot_be_compared_is_said_all_the_same() -> None:
    class Odd(dict[str, Any]):
        def __reduce__(self) -> str:
            raise TypeError

    assert base("data", Answer(data=Odd(title="odd"))).value("structured") == '{"title": "odd"}'


ASKED: list[dict[str, Any]] = [
    {},
    {"stream": True, "stream_options": {"include_usage": True}},
    {"stream": True, "n": 2},
]


def test_no_row_changes_what_is_kept_for_the_next() -> None:
    played = set()
    for row in ON_WIRE.values():
        for (body, answer), asked in itertools.product(FIXED.values(), ASKED):
            with contextlib.suppress(DoesNotApply):
                kept = healthy(WIRE, request(**body, **asked), answer, needs=row.needs, fault=row.name)
                before = pickle.dumps((kept.answer, kept.reply))
                row.reply(kept)
                assert pickle.dumps((kept.answer, kept.reply)) == before, row.name
                played.add(row.name)
    assert played == set(ON_WIRE)
