"""A chain against memory and against real sockets: one gateway for each provider, playing the same replies."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pytest

from pytest_llmfaults._current import active
from pytest_llmfaults._filter import Filter
from pytest_llmfaults._injection import Injection, Step, checked_steps
from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._run import Run
from tests.gateway import Gateway
from tests.judge import class_name

PRIMARY: Final = "openai.chat"
SECOND: Final = "anthropic.messages"
_PATHS: Final[Mapping[str, str]] = {PRIMARY: "/v1", SECOND: ""}
_ENVIRONMENT: Final[Mapping[str, Mapping[str, str]]] = {
    PRIMARY: {"OPENAI_BASE_URL": "{}", "OPENAI_API_BASE": "{}", "OPENAI_API_KEY": "placeholder-key"},
    SECOND: {"ANTHROPIC_BASE_URL": "{}", "ANTHROPIC_API_URL": "{}", "ANTHROPIC_API_KEY": "placeholder-key"},
}
"""Where the SDKs, litellm and langchain read the address and the key of each provider."""


@dataclasses.dataclass(frozen=True)
class Chained:
    """What a chain came to.

    Attributes:
        outcome: ``value`` or ``raised``, and what.
        attempts: requests on each wire.
    """

    outcome: tuple[str, Any]
    attempts: Mapping[str, int]


def memory_and_sockets(steps: Mapping[str, Step], ask: Callable[[], Any]) -> tuple[Chained, Chained]:
    """Ask in memory, where each wire meets its step, and then real sockets that play what was met there.

    Args:
        steps: the step of each wire; a wire without one must not be asked.
        ask: the chain; it makes its clients anew.
    """
    played: dict[str, list[Reply]] = {wire: [] for wire in _PATHS}
    with contextlib.ExitStack() as stack:
        gateways = {wire: stack.enter_context(Gateway(_playing(replies))) for wire, replies in played.items()}
        stack.enter_context(_sent_to({wire: one.port for wire, one in gateways.items()}))
        outcome, met = _in_memory(steps, ask)
        assert not any(one.requests for one in gateways.values()), "a request escaped from memory"
        for attempt in met:
            played[attempt.request.wire or ""].append(attempt.reply)
        memory = Chained(outcome, {wire: len(replies) for wire, replies in played.items()})
        outcome = _outcome(ask)
        return memory, Chained(outcome, {wire: len(one.requests) for wire, one in gateways.items()})


def _playing(replies: list[Reply]) -> Callable[[object, int], Reply]:
    return lambda _request, index: replies[min(index, len(replies) - 1)]


@contextlib.contextmanager
def _sent_to(ports: Mapping[str, int]) -> Iterator[None]:
    """Let every client find each provider on loopback."""
    with pytest.MonkeyPatch.context() as patch:
        for wire, port in ports.items():
            for name, value in _ENVIRONMENT[wire].items():
                patch.setenv(name, value.format(f"http://127.0.0.1:{port}{_PATHS[wire]}"))
        yield


def _in_memory(steps: Mapping[str, Step], ask: Callable[[], Any]) -> tuple[tuple[str, Any], list[Attempt]]:
    run = Run(name="judge")
    for wire, step in steps.items():
        played = checked_steps((step,), of=wire)
        covers = Filter(wire=wire)
        run.add(Injection(played, covers=covers, times=None, per_request=False, answer=None, where="judge"))
    with active(run):
        outcome = _outcome(ask)
    assert not [refusal for refusal in run.ledger.refusals if refusal.fatal], run.ledger.refusals
    return outcome, run.ledger.attempts


def _outcome(ask: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "value", ask()
    except Exception as error:  # noqa: BLE001 - what it is, is the question
        return "raised", (class_name(error), *(class_name(one) for one in error.args if isinstance(one, Exception)))
