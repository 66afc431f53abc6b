"""Every row of the catalogue, and the clients: memory and a real socket must agree.

A row that changes how bytes cross the wire is judged with every client (with half of them where it happens once); one
that only changes what they say goes to the clients in turn. LLMFAULTS_JUDGE=all plays everything to everybody.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import pytest

from pytest_llmfaults._faults import CATALOGUE, Fault, Parameter
from pytest_llmfaults._wires import WIRES
from tests.judge import TIMEOUT_SECONDS, judge
from tests.judge_cases import case_for, is_about_the_wire
from tests.judge_clients import CLIENTS

_NAMES: Final = tuple(CLIENTS)
_IN_TURN: Final = 1


def values(parameter: Parameter) -> tuple[object, ...]:
    """Choose values that show both sides of the client's timeout, or every choice."""
    if isinstance(parameter.default, float) and parameter.minimum <= TIMEOUT_SECONDS / 3:
        return (TIMEOUT_SECONDS / 3, TIMEOUT_SECONDS * 2)
    return parameter.choices or (parameter.default,)


def _steps() -> Iterator[Fault]:
    for row in CATALOGUE.values():
        if not row.applies_to(WIRES["openai.chat"]):
            continue
        if not row.parameters:
            yield row
        for parameter in row.parameters:
            for value in values(parameter):
                yield row.with_values({parameter.name: value})


def _pairs(offset: int, *, every: int = 1) -> Iterator[Any]:
    """Pair rows with clients: from ``offset`` on in turn, and of "every client" only one in ``every``, in turn too."""
    for index, step in enumerate(_steps()):
        case = case_for(step)
        if case is None:
            continue
        first = (index + offset) % len(_NAMES)
        chosen = (*_NAMES, *_NAMES)[first : first + _IN_TURN]
        if os.environ.get("LLMFAULTS_JUDGE") == "all":
            chosen = _NAMES
        elif is_about_the_wire(case.reply(step)):
            chosen = _NAMES[index % every :: every]
        for client in chosen:
            yield pytest.param(step, client, id=f"{step.label}-{client}")


@pytest.mark.parametrize(("step", "client"), tuple(_pairs(0)))
def test_row(step: Fault, client: str) -> None:
    memory, sockets = judge(CLIENTS[client], step)
    assert memory == sockets


@pytest.mark.parametrize(("step", "client"), tuple(_pairs(7, every=2)))
def test_row_once_then_ok(step: Fault, client: str) -> None:
    case = case_for(step)
    if case is not None and case.connection(step) != "accepted":
        # A port cannot open while a client runs: judged as persisting, over two calls.
        memory, sockets = judge(CLIENTS[client], step, calls=2)
    else:
        memory, sockets = judge(CLIENTS[client], step, "ok")
    assert memory == sockets


def test_every_row_is_judged() -> None:
    left_out = {step.name for step in _steps() if case_for(step) is None}
    streams = {row.name for row in CATALOGUE.values() if row.streamed == "only"}  # they have a judge of their own
    assert left_out - streams == {"transport.tls_verify"}, "the judge speaks http, where no certificate is shown"
