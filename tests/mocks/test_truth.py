"""Every row of the catalogue: under an active mock a client meets just what it meets without one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE, CORE, FAMILIES, Fault
from pytest_llmfaults.errors import DoesNotApply
from tests.faults import replies
from tests.judge import PATH, in_memory
from tests.transports.test_judge_rows import _steps

from .clients import MOCKED, mocked

URL = f"https://gateway.example.com{PATH}"
STEPS = list(_steps())
WHOLE = (
    "requests with Retry under responses",
    "httpx asyncio under respx, httpcore",
    "openai under pytest-httpx2",
)
SHAPES = ("transport", "body", "control")
"""The families whose rows differ in more than status and JSON: all clients meet all of them."""


def fitting(step: Fault) -> tuple[Mapping[str, Any], Answer]:
    """Return the body of a request that the row applies to, and the answer that it corrupts."""
    for kind in (replies.kind_for(step), *replies.BODIES):
        base = replies.base(kind)
        try:
            step.reply(base)
        except DoesNotApply:
            continue
        return base.request.json, replies.ANSWERS.get(kind, Answer())
    raise LookupError(step.label)


def _cases() -> Iterator[tuple[str, str]]:
    for family in FAMILIES:
        yield from ((name, family) for name in MOCKED if family in SHAPES or name in WHOLE)


def _compare(name: str, step: Fault) -> str | None:
    plain, under, calls = mocked(name)
    body, answer = fitting(step)
    sequences: list[tuple[Fault | str, ...]] = [(step, "ok")]
    if name in WHOLE:
        sequences.append((step,))
    for steps in sequences:
        without = in_memory(plain, steps, URL, dict(body), answer, 2)
        assert without.attempts
        with_mock = in_memory(under, steps, URL, dict(body), answer, 2)
        if with_mock != without or any(calls):
            return f"{step.label}: {with_mock} instead of {without}, {calls} calls"
    return None


@pytest.mark.parametrize(("name", "family"), list(_cases()))
def test_rows(name: str, family: str) -> None:
    differences = [_compare(name, step) for step in STEPS if step.family == family]
    assert [one for one in differences if one] == []


@pytest.mark.parametrize("name", [name for name in MOCKED if name not in WHOLE])
def test_core(name: str) -> None:
    differences = [_compare(name, CATALOGUE[row]) for row in CORE]
    assert [one for one in differences if one] == []


def test_every_row_is_played() -> None:
    assert {step.name for step in STEPS} == set(CATALOGUE)
