"""Every row that Ollama's wires can carry, and its clients: memory and a real socket must agree.

The transports are judged with all their clients on openai.chat; here a row goes to the clients in turn.
LLMFAULTS_JUDGE=all plays everything to everybody.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import pytest

from pytest_llmfaults import Answer
from pytest_llmfaults._faults import CATALOGUE, Fault
from pytest_llmfaults._wires import WIRES
from tests.faults.editions import carried
from tests.judge import Client, judge
from tests.judge_cases import OLLAMA_CHAT, OLLAMA_GENERATE, Case, case_for
from tests.judge_ollama import plain, streamed

_FEW: Final[Mapping[str, Mapping[str, Any]]] = {
    "transport.latency": {"seconds": 0.3},
    "stream.slow_first_event": {"seconds": 0.3},
    "stream.slow_events": {"seconds": 0.3},
}
"""What would take a minute of true time otherwise: no more than twice the timeout of a client."""


class Heard(NamedTuple):
    """What is played on a wire, to whom: for whole replies, or for streams."""

    wire: str
    cases: Sequence[Case]
    clients: Mapping[str, Client]


def _heard(wire: str, cases: Sequence[Case], method: str) -> tuple[Heard, Heard]:
    streams = tuple(Case({**case.extra, "stream": True}, case.answer, wire) for case in cases)

    def ask(client: Any) -> Any:
        return getattr(client, method)

    return Heard(wire, cases, plain(ask)), Heard(wire, streams, streamed(ask))


HEARD: Final = {
    f"{wire}{' stream' * index}": one
    for wire, cases, method in (("ollama.chat", OLLAMA_CHAT, "chat"), ("ollama.generate", OLLAMA_GENERATE, "generate"))
    for index, one in enumerate(_heard(wire, cases, method))
}


def _steps(heard: Heard) -> list[Fault]:
    rows = (row for row in CATALOGUE.values() if row.applies_to(WIRES[heard.wire]))
    steps = (row.with_values(_FEW.get(row.name, {})) for row in rows)
    return [step for step in steps if case_for(step, heard.cases) is not None]


def _pairs() -> Iterator[Any]:
    everything = os.environ.get("LLMFAULTS_JUDGE") == "all"
    for key, heard in HEARD.items():
        names = tuple(heard.clients)
        for index, step in enumerate(_steps(heard)):
            for client in names if everything else names[index % len(names) :][:1]:
                yield pytest.param(step, heard, client, id=f"{key} {step.label}-{client}")


@pytest.mark.parametrize(("step", "heard", "client"), tuple(_pairs()))
def test_row(step: Fault, heard: Heard, client: str) -> None:
    memory, sockets = judge(heard.clients[client], step, cases=heard.cases)
    assert memory == sockets
    assert memory.attempts


@pytest.mark.parametrize("key", HEARD)
def test_a_healthy_reply(key: str) -> None:
    heard = HEARD[key]
    for client in heard.clients.values():
        memory, sockets = judge(client, Answer("One two three four five."), calls=2, cases=heard.cases)
        assert memory == sockets
        assert [kind for kind, _ in memory.outcomes] == ["value", "value"]


@pytest.mark.parametrize("wire", sorted({heard.wire for heard in HEARD.values()}))
def test_every_row_is_judged(wire: str) -> None:
    known = WIRES[wire]
    rows = [row for row in CATALOGUE.values() if row.applies_to(known)]
    own = {row.name for row in rows if any(carried(known, row, stream=stream) for stream in (False, True))}
    judged = {step.name for heard in HEARD.values() if heard.wire == wire for step in _steps(heard)}
    assert own - judged == {"transport.tls_verify"}
