"""The chain of the documentation: memory agrees with real sockets, one for each provider."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anthropic
import openai
import pytest

from pytest_llmfaults import Answer, fault, quota
from pytest_llmfaults._injection import Step
from tests.chains.judge import PRIMARY, SECOND, memory_and_sockets
from tests.judge_clients import hasty

EXAMPLES: Final = Path(__file__).parent.parent.parent / "docs" / "examples"
CLAUDE: Final = Answer("from claude")


@pytest.fixture
def chain(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import chain

    return chain


@contextlib.contextmanager
def _hasty() -> Iterator[None]:
    with hasty(openai), hasty(anthropic):
        yield


@pytest.mark.parametrize(
    ("primary", "second", "attempts", "outcome"),
    [
        (Answer("from openai"), CLAUDE, (1, 0), "from openai"),
        ("status.503", CLAUDE, (3, 1), "from claude"),
        ("status.401", CLAUDE, (1, 1), "from claude"),
        ("content.empty", CLAUDE, (1, 1), "from claude"),
        ("body.truncated_json", CLAUDE, (1, 0), None),
        ("transport.reset_peer", CLAUDE, (3, 1), "from claude"),
        ("status.503", "status.500", (3, 3), None),
        ("status.429_rate", "content.empty", (3, 1), None),
    ],
)
def test_memory_is_as_true_as_two_sockets(
    chain: Any, primary: Step, second: Step, attempts: tuple[int, int], outcome: str | None
) -> None:
    with _hasty():
        memory, sockets = memory_and_sockets({PRIMARY: primary, SECOND: second}, lambda: chain.ask("x"))
    assert memory == sockets
    assert (memory.attempts[PRIMARY], memory.attempts[SECOND]) == attempts
    assert memory.outcome == ("value", outcome) or (outcome is None and memory.outcome[0] == "raised")


def test_a_quota_that_is_waited_for(chain: Any) -> None:
    steps: dict[str, Step] = {PRIMARY: quota(requests=2, per_seconds=2), SECOND: CLAUDE}
    memory, sockets = memory_and_sockets(steps, lambda: [chain.ask("x") for _ in range(3)])
    assert memory == sockets
    assert memory.attempts == {PRIMARY: 4, SECOND: 0}


def test_a_deadline(chain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "DEADLINE_SECONDS", 0.2)
    steps: dict[str, Step] = {PRIMARY: fault("transport.latency", seconds=1), SECOND: CLAUDE}
    memory, sockets = memory_and_sockets(steps, lambda: asyncio.run(chain.ask_in_time("x")))
    assert memory == sockets
    assert memory.outcome == ("value", "from claude")
    assert memory.attempts == {PRIMARY: 1, SECOND: 1}
