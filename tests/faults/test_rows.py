"""What holds for every row of the families that change what the model says."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._faults import Fault
from pytest_llmfaults.errors import DoesNotApply
from tests.faults import kit
from tests.faults.replies import ON_WIRE

FAMILIES = ("content", "reasoning", "structured", "tools")
ROWS = [row for row in ON_WIRE.values() if row.family in FAMILIES and row.streamed != "only"]
FULL = {
    "ids": ["a", "b"],
    "on": True,
    "note": "A text.",
    "kind": "news",
    "count": 3,
    "price": 1.5,
    "orders": [{"n": 1}],
}


@pytest.mark.parametrize("case", kit.CASES)
def test_no_row_leaves_the_reply_healthy_and_no_two_are_alike(case: str) -> None:
    ask, answer = kit.CASES[case]
    seen = {kit.WIRE.healthy(ask, answer).script(): "healthy"}
    for name, reply in kit.replies(case, *FAMILIES).items():
        assert reply.script() not in seen, (name, seen[reply.script()])
        seen[reply.script()] = name


def test_every_row_applies_to_some_reply() -> None:
    schema = {"type": "object", "properties": {"kind": {"enum": ["news"]}}}
    wanted = {"type": "json_schema", "json_schema": {"schema": schema}}
    found = {name for case in kit.CASES for name in kit.replies(case, *FAMILIES)}
    for row in ROWS:
        if row.name in found:
            continue
        if row.name == "tools.forced_ignored":
            ask, answer = kit.request(tools=[kit.tool("search")], tool_choice="required"), Answer()
        elif row.needs == "tool_calls":
            ask, answer = kit.request(tools=[kit.tool("search")]), Answer(tool_calls=(ToolCall("search", FULL),))
        else:
            ask, answer = kit.request(response_format=wanted), Answer(data=FULL)
        row.reply(kit.base(row, ask, answer))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_is_pure_and_keeps_the_frame(row: Fault) -> None:
    for ask, answer in kit.CASES.values():
        try:
            base = kit.base(row, ask, answer)
            before = base.reply
            first, second = row.reply(base), row.reply(base)
        except DoesNotApply as refusal:
            text = str(refusal)
            assert text.startswith(f"{row.name} does not apply to POST api.openai.com/v1/chat/completions: it ")
            assert text.endswith(".")
            continue
        assert first == second
        assert base.reply == before
        assert first.status == 200
        assert first.headers == before.headers
        envelope = json.loads(first.body)
        assert set(envelope) == set(json.loads(before.body))
        assert envelope["choices"][0]["message"]["role"] == "assistant"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_says_what_it_is(row: Fault) -> None:
    assert row.meaning.endswith(".")
    assert row.wish in {"reask", "surface", "drop_item", "survive"}
    assert row.slot is not None
    assert row.applies_to(kit.WIRE)
    assert all(source.startswith("https://") for source in row.sources)
    for parameter in row.parameters:
        assert parameter.checked(parameter.default) == parameter.default


ODD_DATA = [
    "str",
    "",
    5,
    True,
    [],
    {},
    [[1], [2]],
    {"a": None},
    {"a": {}},
    [{}, {}],
    {"\u00e9": "\u00fc\"'\\"},
    {"big": 10**400},
]
ODD_ANSWERS = [
    *(Answer(data=data) for data in ODD_DATA),
    Answer(""),
    Answer("\ud83d"),
    Answer(reasoning="r"),
    Answer("x", tool_calls=(ToolCall("z", {"a": [1]}), ToolCall("y", {}))),
]
ODD_BODIES: list[dict[str, Any]] = [
    {},
    {"tools": [kit.tool("search"), kit.tool("any", None)], "tool_choice": "required"},
    {"functions": [{"name": "f"}], "function_call": {"name": "f"}},
    {"tools": [5, None, {"type": "custom", "custom": {"name": "x"}}], "tool_choice": "required"},
    {"response_format": {"type": "json_schema", "json_schema": {"schema": {"properties": {"a": {"anyOf": [True]}}}}}},
]


@pytest.mark.parametrize("answer", ODD_ANSWERS, ids=map(str, range(len(ODD_ANSWERS))))
def test_a_row_plays_or_is_refused_by_name_whatever_the_answer(answer: Answer) -> None:
    played = 0
    for body in ODD_BODIES:
        for row in ROWS:
            with contextlib.suppress(DoesNotApply):
                json.loads(row.reply(kit.base(row, kit.request(**body), answer)).body)
                played += 1
    assert played > 200


def test_a_row_that_changes_the_answer_in_part_is_refused_for_a_call() -> None:
    with pytest.raises(DoesNotApply, match=r"content.number .* it corrupts the answer's text, .* Give answer=Answer"):
        kit.played("content.number", *kit.CASES["calls"])


@pytest.mark.parametrize("row", [row for row in ROWS if row.family == "content" and row.scope == "total"])
def test_a_total_row_leaves_no_call_to_go_by(row: Fault) -> None:
    for choice in ("auto", "required"):
        ask = kit.request(tools=[kit.tool("search")], tool_choice=choice)
        envelope = kit.played(row.name, ask, kit.CALLS)
        assert "tool_calls" not in envelope["choices"][0]["message"]
        assert envelope["choices"][0]["finish_reason"] in {"stop", "length"}
