"""Every row that gemini can carry, and its clients: memory and a real socket must agree.

The transports are judged with all their clients on openai.chat; here a row goes to the clients in turn, and of the rows
that edit an answer, or say the same to every request, one of three is streamed. LLMFAULTS_JUDGE=all plays everything to
everybody.
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
from tests.judge_cases import GEMINI, GEMINI_STREAMS, Case, case_for
from tests.judge_gemini import PLAIN, STREAMED

_WIRE: Final = WIRES["gemini"]
_FEW: Final[Mapping[str, Mapping[str, Any]]] = {
    "stream.stall_keepalive": {"comments": 4, "seconds": 0.01},
    "transport.latency": {"seconds": 0.3},
    "stream.slow_first_event": {"seconds": 0.3},
    "stream.slow_events": {"seconds": 0.3},
}
"""What would take a minute of true time otherwise: no more than twice the timeout of a client."""


_EVERYTHING: Final = os.environ.get("LLMFAULTS_JUDGE") == "all"
_OF_STREAMS: Final = frozenset({"only", "bytes"})


def _steps(cases: Sequence[Case]) -> list[Fault]:
    rows = (row for row in CATALOGUE.values() if row.applies_to(_WIRE))
    steps = (row.with_values(_FEW.get(row.name, {})) for row in rows)
    return [step for step in steps if case_for(step, cases) is not None]


def _pairs(clients: Mapping[str, Client], cases: Sequence[Case]) -> Iterator[Any]:
    names = tuple(clients)
    for index, step in enumerate(_steps(cases)):
        if not _EVERYTHING and cases is GEMINI_STREAMS and step.streamed not in _OF_STREAMS and index % 3:
            continue
        for client in names if _EVERYTHING else names[index % len(names) :][:1]:
            yield pytest.param(step, client, id=f"{step.label}-{client}")


@pytest.mark.parametrize(("step", "client"), tuple(_pairs(PLAIN, GEMINI)))
def test_row(step: Fault, client: str) -> None:
    memory, sockets = judge(PLAIN[client], step, cases=GEMINI)
    assert memory == sockets


@pytest.mark.parametrize(("step", "client"), tuple(_pairs(STREAMED, GEMINI_STREAMS)))
def test_row_in_a_stream(step: Fault, client: str) -> None:
    memory, sockets = judge(STREAMED[client], step, cases=GEMINI_STREAMS)
    assert memory == sockets
    assert memory.attempts


@pytest.mark.parametrize(("clients", "cases"), [(PLAIN, GEMINI), (STREAMED, GEMINI_STREAMS)])
def test_a_healthy_reply(clients: Mapping[str, Client], cases: Sequence[Case]) -> None:
    for client in clients.values():
        memory, sockets = judge(client, Answer("One two three four five."), calls=2, cases=cases)
        assert memory == sockets
        assert [kind for kind, _ in memory.outcomes] == ["value", "value"]


def test_every_row_is_judged() -> None:
    own = {row.name for row in CATALOGUE.values() if row.applies_to(_WIRE)}
    judged = {step.name for cases in (GEMINI, GEMINI_STREAMS) for step in _steps(cases)}
    assert own - judged == {
        "transport.tls_verify",
        "finish.stop_upper",
        "finish.tool_calls_with_text",
        "finish.tool_calls_without_calls",
        "tools.arguments_object",
        "tools.calls_empty",
        "tools.finish_stop",
    }
