"""A fault that would change nothing costs no call, and only such a fault."""

from __future__ import annotations

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


def test_a_rule_may_answer_before_it() -> None:
    asked = subject(asking(messages=[{"role": "assistant", "content": "x"}]))
    rule = Standing([RULES["turn.last_not_assistant"]], covers=Filter(), where="here")
    asked.strictness.standings.append(rule)
    study = drive(studying(asked, faults("tools.arguments_truncated"), drive(observing_baseline(asked))))
    assert study.cases[0].behaviour.persists == "1 attempt, same as ok"
    assert rule.violations
