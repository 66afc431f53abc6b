"""Every row that openai.responses can carry, and its clients: memory and a real socket must agree.

The transports are judged with all their clients on openai.chat; here a row goes to the clients in turn.
LLMFAULTS_JUDGE=all plays everything to everybody.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pytest

from pytest_llmfaults import Answer
from pytest_llmfaults._faults import CATALOGUE, Fault
from pytest_llmfaults._wires import WIRES
from tests.judge import Client, judge
from tests.judge_cases import RESPONSES, RESPONSES_STREAMS, Case, case_for
from tests.judge_responses import PLAIN, STREAMED

_WIRE: Final = WIRES["openai.responses"]
_UNSAID: Final = {
    "control.error_null",
    "finish.tool_calls_with_text",
    "finish.tool_calls_without_calls",
    "tools.arguments_truncated_stop",
    "tools.calls_empty",
    "tools.finish_stop",
}
"""Rows that this wire has no words for: it has one status for a text and a call, and null for no error."""

_FEW: Final[Mapping[str, Mapping[str, Any]]] = {
    "stream.stall_keepalive": {"comments": 4, "seconds": 0.01},
    "transport.latency": {"seconds": 0.3},
    "stream.slow_first_event": {"seconds": 0.3},
    "stream.slow_events": {"seconds": 0.3},
}
"""What would take a minute of true time otherwise: no more than twice the timeout of a client."""


def _steps(cases: Sequence[Case]) -> list[Fault]:
    rows = (row for row in CATALOGUE.values() if row.applies_to(_WIRE))
    steps = (row.with_values(_FEW.get(row.name, {})) for row in rows)
    return [step for step in steps if case_for(step, cases) is not None]


def _pairs(clients: Mapping[str, Client], cases: Sequence[Case]) -> Iterator[Any]:
    names = tuple(clients)
    for index, step in enumerate(_steps(cases)):
        chosen = names if os.environ.get("LLMFAULTS_JUDGE") == "all" else names[index % len(names) :][:1]
        for client in chosen:
            yield pytest.param(step, client, id=f"{step.label}-{client}")


@pytest.mark.parametrize(("step", "client"), tuple(_pairs(PLAIN, RESPONSES)))
def test_row(step: Fault, client: str) -> None:
    memory, sockets = judge(PLAIN[client], step, cases=RESPONSES)
    assert memory == sockets


@pytest.mark.parametrize(("step", "client"), tuple(_pairs(STREAMED, RESPONSES_STREAMS)))
def test_row_in_a_stream(step: Fault, client: str) -> None:
    memory, sockets = judge(STREAMED[client], step, cases=RESPONSES_STREAMS)
    assert memory == sockets
    assert memory.attempts


@pytest.mark.parametrize(("clients", "cases"), [(PLAIN, RESPONSES), (STREAMED, RESPONSES_STREAMS)])
def test_a_healthy_reply(clients: Mapping[str, Client], cases: Sequence[Case]) -> None:
    for client in clients.values():
        memory, sockets = judge(client, Answer("One two three four five."), calls=2, cases=cases)
        assert memory == sockets
        assert [kind for kind, _ in memory.outcomes] == ["value", "value"]


def test_every_row_is_judged() -> None:
    own = {row.name for row in CATALOGUE.values() if row.applies_to(_WIRE)}
    judged = {step.name for cases in (RESPONSES, RESPONSES_STREAMS) for step in _steps(cases)}
    assert own - judged == {"transport.tls_verify", *_UNSAID}
