"""Every row that a wire can carry, and the clients of the wire: memory and a real socket must agree.

The transports are judged with all their clients on openai.chat; on the other wires a row goes to the clients in turn.
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
from tests import (
    judge_anthropic,
    judge_bedrock,
    judge_cases,
    judge_cohere,
    judge_embeddings,
    judge_gemini,
    judge_mistral,
    judge_ollama,
    judge_responses,
)
from tests.faults.editions import carried
from tests.judge import Client, judge
from tests.judge_cases import Case, case_for

_FEW: Final[Mapping[str, Mapping[str, Any]]] = {
    "stream.stall_keepalive": {"comments": 4, "seconds": 0.01},
    "stream.stall_ping": {"pings": 4, "seconds": 0.01},
    "transport.latency": {"seconds": 0.3},
    "stream.slow_first_event": {"seconds": 0.3},
    "stream.slow_events": {"seconds": 0.3},
}
"""What would take a minute of true time otherwise: no more than twice the timeout of a client."""


class Heard(NamedTuple):
    """What is played on a wire, to whom: for whole replies, or for streams."""

    title: str
    cases: Sequence[Case]
    clients: Mapping[str, Client]

    @property
    def wire(self) -> str:
        return self.title.partition(" ")[0]


def _ollama(wire: str, cases: Sequence[Case], method: str) -> Iterator[Heard]:
    def ask(client: Any) -> Any:
        return getattr(client, method)

    yield Heard(wire, cases, judge_ollama.plain(ask))
    streams = tuple(Case({**case.extra, "stream": True}, case.answer, wire) for case in cases)
    yield Heard(f"{wire} stream", streams, judge_ollama.streamed(ask))


HEARD: Final = (
    Heard("anthropic.messages", judge_cases.ANTHROPIC, judge_anthropic.PLAIN),
    Heard("anthropic.messages stream", judge_cases.ANTHROPIC_STREAMS, judge_anthropic.STREAMED),
    Heard("openai.responses", judge_cases.RESPONSES, judge_responses.PLAIN),
    Heard("openai.responses stream", judge_cases.RESPONSES_STREAMS, judge_responses.STREAMED),
    Heard("gemini", judge_cases.GEMINI, judge_gemini.PLAIN),
    Heard("gemini stream", judge_cases.GEMINI_STREAMS, judge_gemini.STREAMED),
    Heard("bedrock.converse", judge_cases.BEDROCK, judge_bedrock.PLAIN),
    Heard("bedrock.converse stream", judge_cases.BEDROCK_STREAMS, judge_bedrock.STREAMED),
    Heard("mistral.chat", judge_cases.MISTRAL, judge_mistral.PLAIN),
    Heard("mistral.chat stream", judge_cases.MISTRAL_STREAMS, judge_mistral.STREAMED),
    *_ollama("ollama.chat", judge_cases.OLLAMA_CHAT, "chat"),
    *_ollama("ollama.generate", judge_cases.OLLAMA_GENERATE, "generate"),
    Heard("cohere.chat", judge_cases.COHERE, judge_cohere.PLAIN),
    Heard("cohere.chat stream", judge_cases.COHERE_STREAMS, judge_cohere.STREAMED),
    Heard("openai.embeddings", judge_cases.EMBEDDINGS, judge_embeddings.PLAIN),
)


def _steps(heard: Heard) -> list[Fault]:
    rows = (row for row in CATALOGUE.values() if row.applies_to(WIRES[heard.wire]))
    steps = (row.with_values(_FEW.get(row.name, {})) for row in rows)
    return [step for step in steps if case_for(step, heard.cases) is not None]


def _pairs() -> Iterator[Any]:
    everything = os.environ.get("LLMFAULTS_JUDGE") == "all"
    for heard in HEARD:
        names = tuple(heard.clients)
        for index, step in enumerate(_steps(heard)):
            for client in names if everything else names[index % len(names) :][:1]:
                yield pytest.param(step, heard, client, id=f"{heard.title} {step.label}-{client}")


@pytest.mark.parametrize(("step", "heard", "client"), tuple(_pairs()))
def test_row(step: Fault, heard: Heard, client: str) -> None:
    memory, sockets = judge(heard.clients[client], step, cases=heard.cases)
    assert memory == sockets
    assert memory.attempts


@pytest.mark.parametrize("heard", HEARD, ids=lambda heard: heard.title)
def test_a_healthy_reply(heard: Heard) -> None:
    for client in heard.clients.values():
        memory, sockets = judge(client, Answer("One two three four five."), calls=2, cases=heard.cases)
        assert memory == sockets
        assert [kind for kind, _ in memory.outcomes] == ["value", "value"]


@pytest.mark.parametrize("name", sorted({heard.wire for heard in HEARD}))
def test_every_row_is_judged(name: str) -> None:
    wire = WIRES[name]
    rows = [row for row in CATALOGUE.values() if row.applies_to(wire)]
    own = {row.name for row in rows if any(carried(wire, row, stream=stream) for stream in (False, True))}
    judged = {step.name for heard in HEARD if heard.wire == name for step in _steps(heard)}
    assert own - judged == {"transport.tls_verify"}


def test_every_wire_is_judged() -> None:
    assert {"openai.chat", *(heard.wire for heard in HEARD)} == set(WIRES)
