"""A wire from one recorded reply: the sample is the healthy reply, and faults find their parts in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_llmfaults import Answer, DoesNotApply, InvalidUse, LLMFaults, Usage, Wire, strategies
from pytest_llmfaults._faults import CATALOGUE, healthy
from pytest_llmfaults._registry import Loan, lending
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._strategies.bases import bases

SAMPLE: dict[str, Any] = {
    "id": "r1",
    "result": [{"text": "Hold the position."}],
    "stop": "END",
    "tokens": {"in": 12, "out": 5},
}
SLOTS: dict[str, tuple[str | int, ...]] = {
    "id": ("id",),
    "choices": ("result",),
    "content": ("result", 0, "text"),
    "finish": ("stop",),
    "usage": ("tokens",),
    "usage_prompt": ("tokens", "in"),
    "usage_completion": ("tokens", "out"),
}
WORDS = {"length": "CUT", "content_filter": "BLOCKED"}


def made(sample: Any = SAMPLE, slots: Any = SLOTS, **more: Any) -> Wire:
    return Wire.from_sample(sample, slots, **{"name": "acme.ask", "route": "/v2/ask", **more})


WIRE = made(finish_words=WORDS)
BARE = made(slots={"content": SLOTS["content"]})
DATA = made({"result": {"items": [{"name": "first"}, {"name": "second"}]}}, {"content": ("result",)})


def request(wire: Wire, **body: Any) -> Request:
    headers = (("Accept-Encoding", "gzip, deflate"),)
    return Request("POST", "https://llm.acme.example/v2/ask", headers, json.dumps(body).encode(), wire=wire.name)


def played(name: str, wire: Wire = WIRE, answer: Answer | None = None) -> Reply:
    row = CATALOGUE[name]
    return row.reply(healthy(wire, request(wire), answer or Answer(), needs=row.needs, fault=name))


def said(wire: Wire, answer: Answer) -> Any:
    return json.loads(healthy(wire, request(wire), answer).reply.body)


@pytest.mark.parametrize("given", [SAMPLE, json.dumps(SAMPLE), json.dumps(SAMPLE).encode()])
def test_the_healthy_reply_is_the_sample(given: Any, tmp_path: Path) -> None:
    file = tmp_path / "reply.json"
    file.write_text(json.dumps(SAMPLE))
    for sample in (given, file):
        assert said(made(sample), Answer()) == SAMPLE


def test_a_sample_is_not_changed_by_what_is_done_to_it() -> None:
    mine = json.loads(json.dumps(SAMPLE))
    wire = made(mine)
    said(wire, Answer("Sell."))
    mine["result"] = []
    assert said(wire, Answer()) == SAMPLE


def test_an_answer_is_said_where_the_slots_are() -> None:
    reply = said(WIRE, Answer("Sell.", finish="CUT", usage=Usage(prompt=1, completion=2)))
    assert reply == {**SAMPLE, "result": [{"text": "Sell."}], "stop": "CUT", "tokens": {"in": 1, "out": 2}}
    assert said(WIRE, Answer(data={"a": 1}))["result"] == [{"text": '{"a": 1}'}]
    assert said(DATA, Answer(data={"a": 1})) == {"result": {"a": 1}}
    assert said(BARE, Answer(usage=Usage(prompt=1))) == SAMPLE


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer(reasoning="First I look."), "acme.ask has no place for the reasoning of the answer"),
        (Answer("x", finish="CUT"), "acme.ask has no place for the finish of the answer"),
        (Answer(tool_calls="offered"), "acme.ask is made from a sample and makes no calls"),
    ],
)
def test_what_a_sample_has_no_place_for_is_refused(answer: Answer, text: str) -> None:
    with pytest.raises(DoesNotApply, match=text):
        said(BARE, answer)


def test_shared_faults_corrupt_their_part() -> None:
    def of(name: str, wire: Wire = WIRE) -> Any:
        return json.loads(played(name, wire).body)

    assert of("content.empty")["result"] == [{"text": ""}]
    assert of("finish.length", made(slots={"content": SLOTS["content"], "finish": ("stop",)}))["stop"] == "length"
    assert of("content.null", BARE)["result"] == [{"text": None}]
    assert "result" not in of("envelope.choices_absent")
    assert of("finish.length")["stop"] == "CUT"
    assert of("finish.content_filter")["stop"] == "BLOCKED"
    assert "tokens" not in of("usage.absent")
    assert of("usage.completion_null")["tokens"] == {"in": 12, "out": None}
    assert played("status.503", BARE).status == 503
    assert json.loads(played("status.503", BARE).body)["error"]["message"]
    assert played("body.html_page", BARE).body.startswith(b"<!DOCTYPE html>")


def test_data_in_the_sample_can_be_corrupted() -> None:
    text = made({"text": '{"items": [1, 2]}'}, {"content": ("text",)})
    assert json.loads(played("structured.fenced", text).body)["text"].startswith("```json\n")
    assert json.loads(played("structured.empty_object", DATA).body) == {"result": {}}
    with pytest.raises(DoesNotApply, match=r"writes a text that is no JSON, and the content of acme\.ask is"):
        played("structured.fenced", DATA)


@pytest.mark.parametrize("wire", [WIRE, BARE, DATA], ids=["all slots", "content", "data"])
def test_a_row_plays_or_says_why_not(wire: Wire) -> None:
    plain = healthy(wire, request(wire), Answer()).reply.script()
    for name in CATALOGUE:
        first, second = (_or_refusal(name, wire) for _ in range(2))
        assert first == second
        if isinstance(first, str):
            assert first.startswith(f"{name} does not apply to ")
            assert first.endswith(".")
        else:
            assert first.script() != plain or first.connection != "accepted", name


def _or_refusal(name: str, wire: Wire) -> Reply | str:
    try:
        return played(name, wire)
    except DoesNotApply as refusal:
        return str(refusal)


def test_what_cannot_be_played_says_why() -> None:
    reasons = {
        "envelope.choices_null": "does not apply to the wire acme.ask, which has no choices.",
        "tools.arguments_truncated": "does not apply to the wire acme.ask, which has no tool_calls.",
        "stream.closed": "does not apply to the wire acme.ask, which has no stream.",
        "body.sse": "the wire acme.ask has no stream.",
    }
    for name, reason in reasons.items():
        with pytest.raises(DoesNotApply) as refusal:
            played(name, BARE)
        assert str(refusal.value).endswith(reason)


def test_an_error_body_of_its_own() -> None:
    wire = made(error=lambda status, message, code: {"fault": [status, message, code]})
    body = json.loads(played("status.429_rate", wire).body)
    assert body["fault"][0] == 429
    with pytest.raises(DoesNotApply, match=r"says more in the error than its text, and on the wire acme\.ask an error"):
        played("status.429_spend_limit", wire)


def test_slots_of_ones_own() -> None:
    wire = made({"verdict": "allowed"}, {}, own_slots={"verdict": ("verdict",)})
    assert wire.slots["verdict"].get({"verdict": "allowed"}) == "allowed"


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"finish_words": {"lenth": "CUT"}},
        "acme.ask: finish_words='lenth' is no reason that a fault knows. Did you mean",
    ),
    (
        {"slots": {"content": SLOTS["content"]}, "finish_words": WORDS},
        "acme.ask: finish_words= are words for the slot 'finish', and slots= has none.",
    ),
    ({"slots": {"error": ("id",)}}, "acme.ask: slots='error' is in no sample of success: give the function error=."),
    ({"sample": "<html>"}, "The sample is not JSON (Expecting value: line 1 column 1 (char 0)): give the body of one"),
    ({"sample": b"\xff"}, "The sample is not JSON ("),
    ({"sample": {1, 2}}, "The sample is not JSON (Object of type set is not JSON serializable)"),
    ({"sample": "3"}, "The sample is 3, and has no parts: give a JSON object or list."),
    ({"sample": Path("no.json")}, "The sample no.json cannot be read: No such file or directory."),
    (
        {"slots": {"contents": ("id",)}},
        "acme.ask: slots='contents' is no part that a fault knows. Did you mean",
    ),
    (
        {"slots": {"arguments": ("id",)}},
        "acme.ask: slots='arguments' is a part of a call, and a wire from a",
    ),
    ({"slots": {"tool_calls": ("id",)}}, "acme.ask: slots='tool_calls' is a part of a call,"),
    (
        {"own_slots": {"content": ("id",)}},
        "acme.ask: own_slots='content' is a part that faults know: give it in",
    ),
    (
        {"slots": {"content": ("result", 0, "txt")}},
        (
            "The path of content, ('result', 0, 'txt'), is not in the sample: at ('result', 0) there is no 'txt', "
            "but an object with 'text'."
        ),
    ),
    (
        {"slots": {"content": ("result", 1)}},
        "The path of content, ('result', 1), is not in the sample: at ('result',) there is no 1, but a list of 1.",
    ),
    (
        {"slots": {"content": ("answer",)}},
        (
            "The path of content, ('answer',), is not in the sample: at the top there is no 'answer', but an object "
            "with 'id', 'result', 'stop', 'tokens'."
        ),
    ),
    (
        {"slots": {"content": ("id", "x")}},
        "The path of content, ('id', 'x'), is not in the sample: at ('id',) there",
    ),
    ({"slots": {"content": "result"}}, "The path of content, 'result', is not keys and indexes from the top, such as"),
    ({"slots": {"content": ()}}, "The path of content, (), is not keys and indexes from the top,"),
]


@pytest.mark.parametrize(("given", "text"), REFUSED, ids=[str(given)[:60] for given, _ in REFUSED])
def test_what_makes_no_sense_is_refused(given: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidUse) as refusal:
        made(**given)
    assert str(refusal.value).startswith(text)


def test_the_strategies_know_it(llmfaults: LLMFaults) -> None:  # noqa: ARG001 - nothing leaves the machine
    with lending({"wires": {"acme.ask": Loan(WIRE, "this test")}}):
        assert list(bases("acme.ask", None, None)) == ["text", "data"]
        assert strategies.envelopes("acme.ask").example is not None
    with lending({"wires": {"acme.ask": Loan(DATA, "this test")}}):  # the same name, another wire
        assert bases("acme.ask", None, None)["text"].wire is DATA
