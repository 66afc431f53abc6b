"""The dialects of openai.chat: memory and a real socket agree on a slice of the rows, LLMFAULTS_JUDGE=all on all."""

from __future__ import annotations

import dataclasses
import os
from typing import Final

import pytest

from pytest_llmfaults import Answer
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._injection import Step
from pytest_llmfaults._wires import DIALECTS, WIRES, in_dialect
from tests import judge_cases, judge_clients, judge_streams
from tests.judge import judge
from tests.judge_cases import case_for
from tests.transports.test_judge_wires import _FEW

_SLICE: Final = 40
"""Of so many rows one is judged; each dialect begins at another."""


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("name", DIALECTS)
def test_memory_is_a_socket(name: str, stream: bool) -> None:
    cases = judge_cases.STREAMS if stream else judge_cases.CASES
    cases = tuple(dataclasses.replace(case, dialect=name) for case in cases)
    sdk = "groq" if name == "groq" else "openai"
    clients = judge_streams.STREAM_CLIENTS if stream else judge_clients.CLIENTS
    own = [clients[client] for client in (sdk, f"{sdk}_asyncio")]
    first = list(DIALECTS).index(name)
    rows = list(CATALOGUE.values())
    rows = rows if os.environ.get("LLMFAULTS_JUDGE") == "all" else rows[first::_SLICE]
    on = in_dialect(WIRES["openai.chat"], DIALECTS[name])
    steps = [row.with_values(_FEW.get(row.name, {})) for row in rows if row.applies_to(on)]
    judged = [step for step in steps if case_for(step, cases) is not None]
    assert len(judged) > len(rows) / 3
    heard: list[Step] = [Answer("One two three four five."), *judged]
    for index, step in enumerate(heard):
        memory, sockets = judge(own[index % 2], step, cases=cases)
        assert memory == sockets, step
        assert memory.attempts
