"""A refactor that changes nothing passes with the signed file as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from tests.contract.mutants.examples import CLIENTS, verdict
from tests.contract.mutants.refactors import REFACTORS, Refactor, refactored

FAMILIES: Final = ("core", "transport", "status.429_*", "body", "structured")
WHOLE_EVERY: Final = 3
FALSE_ALARMS: Final = {
    "questions are asked in a thread": (
        "a stall inside a worker thread is no virtual time of the thread that waits for the worker"
    ),
}


def _cases() -> Iterator[object]:
    for number, refactor in enumerate(REFACTORS):
        reason = FALSE_ALARMS.get(refactor.name)
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
        yield pytest.param(refactor, FAMILIES if number % WHOLE_EVERY else (), id=refactor.name, marks=marks)


@pytest.mark.parametrize(("refactor", "faults"), [*_cases()])
def test_a_refactor_passes(pytester: pytest.Pytester, refactor: Refactor, faults: tuple[str, ...]) -> None:
    client = CLIENTS["trader"]
    source = refactored(client.source, refactor)
    assert source != client.source
    assert not verdict(pytester, client, source, *faults).text


def test_there_are_enough_refactors() -> None:
    assert len(REFACTORS) - len(FALSE_ALARMS) >= 10
