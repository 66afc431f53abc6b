"""Every row of the catalogue: under an active mock a client meets just what it meets without one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._faults import CATALOGUE, CORE, FAMILIES, Fault, healthy
from pytest_llmfaults.errors import DoesNotApply
from tests.faults import replies
from tests.judge import in_memory
from tests.judge_cases import PATH, Case
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


_ITEMS = [{"name": name, "kind": "a", "count": 1} for name in ("one", "two", "three")]
_DATA = {"title": "note", "kind": "a", "done": True, "left": None, "sure": 0.5, "items": _ITEMS, "in": {"x": 1}}
_ITEM = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "kind": {"enum": ["a", "b"]}, "count": {"type": "integer"}},
    "required": ["name", "kind", "count"],
}
_SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "kind": {"enum": ["a", "b"]},
        "done": {"type": "boolean"},
        "left": {"type": ["string", "null"]},
        "sure": {"type": "number"},
        "items": {"type": "array", "items": _ITEM},
        "in": {"type": "object"},
    },
    "required": ["title", "kind", "done", "items"],
}
_TOOLS = [{"type": "function", "function": {"name": name, "parameters": _SCHEMA}} for name in ("look_up", "store")]
_FORMAT = {"type": "json_schema", "json_schema": {"name": "note", "schema": _SCHEMA}}
_CALLS = Answer(tool_calls=(ToolCall("look_up", _DATA), ToolCall("store", _DATA)))
_FORCED = {"tools": _TOOLS, "tool_choice": {"type": "function", "function": {"name": "look_up"}}}
_ANSWERS: tuple[tuple[dict[str, Any], Answer], ...] = (
    ({"tools": _TOOLS}, _CALLS),
    ({"response_format": _FORMAT}, Answer(data=_DATA)),
    (_FORCED, Answer(data=_DATA)),
    ({}, Answer()),
    ({"response_format": {"type": "json_object"}}, Answer(data={"tags": ["a", "b", "c"]})),
)
_BY_NEED = {"tool_calls": (0, 2), "data": (1, 2, 4), "items": (1, 4), None: (3, 1, 0, 2)}


def fitting(step: Fault) -> tuple[dict[str, Any], Answer]:
    """Return the body of a request that the row applies to, and the answer that it corrupts."""
    for index in _BY_NEED[step.needs]:
        more, answer = _ANSWERS[index]
        request = replies.request(**more, **replies.asks(step, stream=step.streamed == "only"))
        with contextlib.suppress(DoesNotApply):
            step.reply(healthy(replies.WIRE, request, answer, needs=step.needs, fault=step.name))
            return dict(request.json), answer
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
        without = in_memory(plain, steps, URL, Case(body, answer), 2, [])
        assert without.attempts
        with_mock = in_memory(under, steps, URL, Case(body, answer), 2, [])
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
    assert {step.name for step in STEPS} == set(replies.ON_WIRE)
