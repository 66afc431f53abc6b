"""What it takes to observe a subject."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
import requests

from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.study import Study, drive, observing_baseline, studying
from pytest_llmfaults._faults import faults
from pytest_llmfaults._run import Settings
from pytest_llmfaults.errors import ContractError

URL = "https://gateway.example.com/v1/chat/completions"


def asking(wait: Callable[[], float], calls: list[int]) -> Callable[[], str]:
    """Return a subject that asks twice and waits in between; each call of it is noted."""

    def ask() -> str:
        calls.append(0)
        for _ in range(2):
            reply = requests.post(URL, json={"model": "gpt-5", "messages": []}, timeout=5)
            if reply.ok:
                return str(reply.json()["choices"][0]["message"]["content"])
            time.sleep(wait())
        return "nothing"

    return ask


def study(call: Callable[[], str], *names: str) -> Study:
    subject = Subject(call=call, settings=Settings())
    return drive(studying(subject, faults(*names), drive(observing_baseline(subject))))


def test_a_generator_of_its_own_is_found() -> None:
    own = random.Random(7)  # noqa: S311 - the kind of generator that is out of reach
    with pytest.raises(ContractError, match=r"Under status.503 the waits .* generator of its own"):
        study(asking(own.random, []), "status.503")


def test_waits_that_another_fault_gave_are_repeated_already() -> None:
    calls: list[int] = []
    study(asking(lambda: 1.0, calls), "status.500", "status.502", "status.503")
    two_ways, at_both_ends, interrupted, repeated = 2 * 3, 2, 1, 1
    assert len(calls) == two_ways + at_both_ends + interrupted + repeated
