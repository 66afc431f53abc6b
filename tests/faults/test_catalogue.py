"""The rows as data: names, words, and that no two are the same."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import pytest

from pytest_llmfaults._faults import CATALOGUE, CORE, EDITION, FAMILIES, Fault, Parameter
from pytest_llmfaults._faults._fault import NOW
from pytest_llmfaults._faults._modules import MODULES
from pytest_llmfaults._reply import End, Pause
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import DoesNotApply
from tests.faults.replies import BODIES, ON_WIRE, STREAM, WIRE, base, base_for, played

KNOWN = {
    "transport",
    "status",
    "body",
    "envelope",
    "embedding",
    "content",
    "reasoning",
    "finish",
    "usage",
    "structured",
    "tools",
    "stream",
    "turn",
    "control",
}
WISHES = {"retry", "once", "retry_after", "reask", "surface", "drop_item", "survive"}
SAID = {"content", "reasoning", "structured", "tools"}
"""Families that change what the model says: test_rows.py looks at what they make."""
ROWS = [pytest.param(row, id=name) for name, row in ON_WIRE.items() if row.applies_to(WIRE)]
OWN = [pytest.param(row, id=name) for name, row in ON_WIRE.items() if row.family not in SAID]
CORE_FAMILIES = {
    "transport": 5,
    "status": 6,
    "body": 3,
    "envelope": 5,
    "finish": 2,
    "usage": 1,
    "control": 2,
    "content": 2,
    "reasoning": 1,
    "structured": 3,
    "tools": 1,
}


@pytest.mark.parametrize("row", ROWS)
def test_name_and_words(row: Fault) -> None:
    assert re.fullmatch(r"[a-z]+\.[a-z0-9]+(_[a-z0-9]+)*", row.name)
    assert row.family in KNOWN
    assert row.meaning.endswith(".")
    assert row.meaning[0].isupper()
    assert len(row.meaning) <= 120
    assert row.draw in {"fresh", "same", "depends"}
    assert row.scope in {"total", "partial"}
    assert 1 <= row.since <= EDITION
    assert any(row.applies_to(wire) for wire in WIRES.values())


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=name) for name, row in ON_WIRE.items() if row.family not in SAID],
)
def test_sources_and_wish(row: Fault) -> None:
    assert row.sources
    assert all(re.fullmatch(r"https://[^\s]+", url) for url in row.sources)
    assert len(set(row.sources)) == len(row.sources)
    assert row.wish in WISHES


def test_a_name_is_given_once() -> None:
    names = [row.name for module in MODULES for row in module.ROWS]
    assert len(names) == len(set(names)) == len(CATALOGUE)
    assert set(FAMILIES) <= KNOWN


def test_core_is_a_part_of_the_catalogue() -> None:
    assert set(CORE) <= set(CATALOGUE)
    assert len(set(CORE)) == len(CORE)
    found: dict[str, int] = defaultdict(int)
    for name in CORE:
        found[name.split(".")[0]] += 1
    assert found == CORE_FAMILIES


@pytest.mark.parametrize("row", OWN)
def test_the_default_changes_the_reply_and_nothing_else(row: Fault) -> None:
    healthy = base_for(row)
    before = played(healthy.as_asked().reply)
    first, second = row.reply(healthy), row.reply(base_for(row))
    assert played(first) != before
    assert played(first) == played(second)
    assert played(healthy.as_asked().reply) == before
    assert healthy.now == NOW


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("accept", ["gzip", None])
@pytest.mark.parametrize("stream", [False, True])
def test_no_two_rows_are_the_same(kind: str, accept: str | None, stream: bool) -> None:
    healthy = base(kind, accept=accept, **(STREAM if stream else {}))
    seen: dict[Any, str] = {played(healthy.as_asked().reply): "healthy"}
    refused = set()
    for row in ON_WIRE.values():
        if row.streamed == ("never" if stream else "only"):
            continue
        if row.family == "content" and kind in {"calls", "forced"}:
            continue  # a call without a text beside it is healthy
        if row.family == "structured" and kind == "forced":
            continue  # the data are the arguments there: tools.* gives the same bytes another name
        if row.needs == "tool_calls" and kind in {"text", "data"}:
            continue
        if row.needs in {"data", "items"} and kind in {"text", "calls"}:
            continue
        try:
            reply = row.reply(healthy)
        except DoesNotApply:
            refused.add(row.name)
            continue
        assert seen.setdefault(played(reply), row.name) == row.name
    refused = {name for name in refused if name.split(".")[0] not in SAID}
    expected = {"control.gzip"} if accept is None else set()
    if kind in {"calls", "forced"}:
        expected |= {"control.tool_calls_empty", "control.tool_calls_null"}
    if stream:
        expected |= {"control.stream_usage_chunk", "control.stream_choices_interleaved"}
        expected |= _SPOKEN if kind in {"calls", "forced"} else set()
        expected |= {"finish.length"} & refused
    assert refused == expected


_SPOKEN = {name for name in CATALOGUE if name.startswith("stream.content_")}
_SPOKEN |= {f"control.stream_{what}" for what in ("content_empty_pieces", "same_pieces", "split_character")}
_SPOKEN |= {"control.stream_content_null_first", "control.stream_whitespace_pieces"}
"""Rows of streams that change pieces of text; a call has none."""


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=name) for name, row in ON_WIRE.items() if row.parameters and row.family not in SAID],
)
def test_parameters(row: Fault) -> None:
    healthy = base_for(row)
    for parameter in row.parameters:
        assert parameter.checked(parameter.default) == parameter.default
        assert all(parameter.checked(choice) == choice for choice in parameter.choices)
        assert parameter.choices or parameter.minimum <= parameter.default < parameter.maximum  # type: ignore[operator]
        chosen = [played(row.with_values({parameter.name: value}).reply(healthy)) for value in _others(parameter)]
        assert len(set(chosen)) == len(chosen)
        assert played(row.with_values({parameter.name: parameter.default}).reply(healthy)) == played(row.reply(healthy))


def _others(parameter: Parameter) -> tuple[object, ...]:
    """Return values that are worth a reply: every choice, or both ends and the default."""
    if parameter.choices:
        return parameter.choices
    if parameter.name == "megabytes":
        return (1, 2)
    if parameter.name == "events":  # more than the stream has are refused
        return (2, parameter.default, 4)
    kind = type(parameter.default)
    return tuple(dict.fromkeys((kind(parameter.minimum), parameter.default, kind(parameter.maximum))))


@pytest.mark.parametrize("row", OWN)
def test_the_reply_is_one_that_can_be_sent(row: Fault) -> None:
    reply = row.reply(base_for(row))
    acts = reply.script()
    assert isinstance(acts[-1], End)
    assert all(isinstance(act, (bytes, Pause)) for act in acts[:-1])
    assert all(act for act in acts)
    assert 100 <= reply.status <= 599
