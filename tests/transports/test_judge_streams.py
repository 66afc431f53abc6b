"""Every row that a stream can carry, and the clients of streams: memory and a real socket must agree.

A row that changes how bytes cross the wire is judged with a part of the clients; one that only changes what they say
goes to the clients in turn. LLMFAULTS_JUDGE=all plays everything to everybody.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import pytest

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE, Fault
from pytest_llmfaults._wires import WIRES
from tests.judge import judge
from tests.judge_cases import STREAMS, case_for
from tests.judge_streams import STREAM_CLIENTS
from tests.transports.test_judge_rows import values

_NAMES: Final = tuple(STREAM_CLIENTS)
_EVERY: Final = 3
"""Of the clients, one in so many hears a row about the wire."""


_FEW: Final = {"stream.stall_keepalive": {"comments": 4}}
"""What would take a minute of true time otherwise."""


def _steps() -> Iterator[Fault]:
    for row in CATALOGUE.values():
        if not row.applies_to(WIRES["openai.chat"]):
            continue
        if not row.parameters:
            yield row
        for parameter in row.parameters:
            for value in values(parameter):
                yield row.with_values({**_FEW.get(row.name, {}), parameter.name: value})


def _pairs() -> Iterator[Any]:
    for index, step in enumerate(_steps()):
        if case_for(step, STREAMS) is None:
            continue
        chosen = _NAMES[index % len(_NAMES) :][:1]
        if os.environ.get("LLMFAULTS_JUDGE") == "all":
            chosen = _NAMES
        elif step.streamed in {"bytes", "only"}:
            chosen = _NAMES[index % _EVERY :: _EVERY]
        for client in chosen:
            yield pytest.param(step, client, id=f"{step.label}-{client}")


@pytest.mark.parametrize(("step", "client"), tuple(_pairs()))
def test_row(step: Fault, client: str) -> None:
    memory, sockets = judge(STREAM_CLIENTS[client], step, cases=STREAMS)
    assert memory == sockets
    assert memory.attempts


@pytest.mark.parametrize("client", _NAMES)
@pytest.mark.parametrize(
    "step", ["status.503", "transport.reset_peer", "stream.eof_mid_event", "stream.stall_after_done"]
)
def test_two_streams_of_one_client(step: str, client: str) -> None:
    memory, sockets = judge(STREAM_CLIENTS[client], CATALOGUE[step], "ok", calls=2, cases=STREAMS)
    assert memory == sockets


@pytest.mark.parametrize("client", _NAMES)
def test_a_healthy_stream(client: str) -> None:
    memory, sockets = judge(STREAM_CLIENTS[client], Answer("One two three four five."), calls=2, cases=STREAMS)
    assert memory == sockets
    assert [kind for kind, _ in memory.outcomes] == ["value", "value"]
    assert memory.attempts == 2


def test_every_row_that_a_stream_can_carry_is_judged() -> None:
    left_out = {step.name for step in _steps() if case_for(step, STREAMS) is None}
    never = {row.name for row in CATALOGUE.values() if row.streamed == "never"}
    assert left_out == {*never, "transport.tls_verify"}
