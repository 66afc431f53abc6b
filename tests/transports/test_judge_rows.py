"""Every row of the catalogue, every client: memory and a real socket must agree."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_llmfaults._faults import CATALOGUE, Fault, Parameter
from pytest_llmfaults._wires import WIRES
from tests.judge import TIMEOUT_SECONDS, judge
from tests.judge_clients import CLIENTS


def _values(row: Fault, parameter: Parameter) -> tuple[object, ...]:
    """Choose values that show both sides of the client's timeout where a reply pauses, or every choice."""
    if parameter.name == "seconds" and isinstance(parameter.default, float) and row.family != "status":
        return (TIMEOUT_SECONDS / 3, TIMEOUT_SECONDS * 2)
    return parameter.choices or (parameter.default,)


def _steps() -> Iterator[Fault]:
    for row in CATALOGUE.values():
        if not row.applies_to(WIRES["openai.chat"]):
            continue
        if not row.parameters:
            yield row
        for parameter in row.parameters:
            for value in _values(row, parameter):
                yield row.with_values({parameter.name: value})


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("step", [pytest.param(step, id=step.label) for step in _steps()])
def test_row(client: str, step: Fault) -> None:
    memory, sockets = judge(CLIENTS[client], step)
    assert memory == sockets


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("step", [pytest.param(step, id=step.label) for step in _steps()])
def test_row_once_then_ok(client: str, step: Fault) -> None:
    if step.family == "transport" and step.name.endswith(("refused", "timed_out")):
        step = step.with_values({})  # a port cannot open while a client runs: judged as persisting
        memory, sockets = judge(CLIENTS[client], step, calls=2)
    else:
        memory, sockets = judge(CLIENTS[client], step, "ok")
    assert memory == sockets
