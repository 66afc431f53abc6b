"""A fault that would change nothing costs no call, and only such a fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import requests

from pytest_llmfaults import Answer
from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.idle import is_idle
from pytest_llmfaults._contract.observe import observing
from pytest_llmfaults._contract.study import drive, observing_baseline, studying
from pytest_llmfaults._faults import faults
from pytest_llmfaults._injection import Filter
from pytest_llmfaults._rules import RULES
from pytest_llmfaults._run import Settings
from pytest_llmfaults._standing import Standing

URL = "https://gateway.example.com/v1/chat/completions"
TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
BODIES: dict[str, dict[str, Any]] = {
    "plain": {},
    "tools": {"tools": [TOOL]},
    "json": {"response_format": {"type": "json_object"}},
}


def asking(calls: list[int] | None = None, **more: Any) -> Callable[[], str]:
    """Return a subject that asks once; each call of it is noted."""

    def ask() -> str:
        if calls is not None:
            calls.append(0)
        body = {"model": "gpt-5", "messages": [{"role": "user", "content": "x"}], **more}
        return requests.post(URL, json=body, timeout=5).text[:40]

    return ask


def subject(call: Callable[[], str], **more: Any) -> Subject:
    return Subject(call=call, settings=Settings(), **more)


@pytest.mark.parametrize("body", BODIES)
def test_it_says_what_the_call_would_have_said(body: str) -> None:
    asked = subject(asking(**BODIES[body]), answers=Answer(data={"orders": [{"n": 1}, {"n": 2}]}))
    ok = drive(observing_baseline(asked)).ok.called
    idle = {row.name for row in faults("all") if is_idle(asked, row, ok)}
    called = {row.name for row in faults("all") if drive(observing(asked, row, once=False, ok=ok)).called.inapplicable}
    assert idle == called
    assert idle


def test_no_call_is_made_for_it() -> None:
    calls: list[int] = []
    asked = subject(asking(calls))
    baseline = drive(observing_baseline(asked))
    before = len(calls)
    study = drive(studying(asked, faults("tools.arguments_truncated", "content.empty"), baseline))
    assert [case.behaviour.persists for case in study.cases] == ["1 attempt, same as ok", "does not apply"]
    assert len(calls) == before + 2  # under the other fault, and healthy once more


@pytest.mark.parametrize(
    "more",
    [{"at": 2}, {"at": lambda _: True}, {"answers": lambda _: Answer("said")}],
    ids=["turn", "selector", "answers"],
)
def test_where_only_the_call_can_tell_it_is_made(more: dict[str, Any]) -> None:
    calls: list[int] = []
    asked = subject(asking(calls), **more)
    baseline = drive(observing_baseline(asked))
    before = len(calls)
    drive(studying(asked, faults("tools.arguments_truncated"), baseline))
    assert len(calls) == before + 2


TURNS: dict[str, tuple[list[dict[str, Any]], str, dict[str, str]]] = {
    "only the second turn fits": (
        [{}, BODIES["tools"]],
        "tools.arguments_truncated",
        {"every": "1 of 2", "first": "none", "2": "1 of 2"},
    ),
    "only the first turn fits": (
        [BODIES["tools"], {}],
        "tools.arguments_truncated",
        {"every": "0 of 2", "first": "0 of 2", "2": "none"},
    ),
    "no turn fits": ([{}, {}], "tools.arguments_truncated", {"every": "none", "first": "none", "2": "none"}),
}


@pytest.mark.parametrize(("bodies", "name", "struck"), TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("at", ["every", "first", 2])
def test_it_strikes_the_turns_that_it_fits(
    bodies: list[dict[str, Any]], name: str, struck: dict[str, str], at: Any
) -> None:
    def ask() -> str:
        """Ask once a turn; say which reply was not like a healthy one."""
        said = [asking_whole(**body) for body in bodies]
        return ", ".join(f"{turn} of {len(said)}" for turn, text in enumerate(said) if not is_whole(text)) or "healthy"

    asked = subject(ask, at=at)
    case = drive(studying(asked, faults(name), drive(observing_baseline(asked)))).cases[0]
    expected = struck[str(at)]
    assert (case.persists is None) == (expected == "none")
    if case.persists is not None and case.once is not None:
        assert case.persists.called.value == case.once.called.value == expected


def test_once_is_the_first_turn_that_fits() -> None:
    def ask() -> str:
        said = [asking_whole(**body) for body in ({}, BODIES["tools"], BODIES["tools"])]
        return " ".join("whole" if is_whole(text) else "cut" for text in said)

    asked = subject(ask)
    case = drive(studying(asked, faults("tools.arguments_truncated"), drive(observing_baseline(asked)))).cases[0]
    assert case.persists is not None
    assert case.once is not None
    assert case.persists.called.value == "whole cut cut"
    assert case.once.called.value == "whole cut whole"


def asking_whole(**more: Any) -> str:
    """Ask, and return the arguments of the tool that was called."""
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": "x"}], **more}
    message = requests.post(URL, json=body, timeout=5).json()["choices"][0]["message"]
    return str((message.get("tool_calls") or [{"function": {"arguments": "{}"}}])[0]["function"]["arguments"])


def is_whole(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_a_rule_may_answer_before_it() -> None:
    asked = subject(asking(messages=[{"role": "assistant", "content": "x"}]))
    rule = Standing([RULES["turn.last_not_assistant"]], covers=Filter(), where="here")
    asked.strictness.standings.append(rule)
    study = drive(studying(asked, faults("tools.arguments_truncated"), drive(observing_baseline(asked))))
    assert study.cases[0].behaviour.persists == "1 attempt, same as ok"
    assert rule.violations
