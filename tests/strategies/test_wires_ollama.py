"""The strategies on Ollama's wires: they draw, print what can be pasted, and streams are lines of JSON."""

from __future__ import annotations

from typing import Final

import ollama
import pytest
from hypothesis import given, settings

from pytest_llmfaults import Answer, DoesNotApply, inject, strategies
from pytest_llmfaults._faults import CATALOGUE, Fault
from pytest_llmfaults._strategies import draw, stream_table
from pytest_llmfaults._wires import WIRES, wire
from pytest_llmfaults.strategies import framed, put, remove, stream, variant
from tests.strategies.finding import pasted

WIRE: Final = "ollama.chat"
ASKED: Final = {"model": "qwen3", "messages": [{"role": "user", "content": "x"}]}


@settings(max_examples=40)
@given(drawn=strategies.variants(WIRE))
def test_a_variant_prints_as_the_call_that_makes_it(drawn: strategies.Variant) -> None:
    again = pasted(repr(drawn))
    assert again == drawn
    assert again.reply == drawn.reply


@settings(max_examples=40)
@given(drawn=strategies.streams(WIRE))
def test_a_stream_prints_as_the_call_that_makes_it(drawn: strategies.StreamVariant) -> None:
    assert pasted(repr(drawn)).reply == drawn.reply


@pytest.mark.parametrize("name", ["ollama.chat", "ollama.generate"])
def test_every_fault_and_every_slot_can_come(name: str) -> None:
    rows = tuple(row for row in CATALOGUE.values() if row.applies_to(wire(name)) and row.streamed != "only")
    found = draw.tables(name, "reply", rows, None, None)
    entries = [entry for table in found for place in table.places for entry in place.entries]
    names = {change.name for entry in entries for change in entry.changes if isinstance(change, Fault)}
    assert len(names) > 0.8 * len(rows)
    slots = {place.name for table in found for place in table.places}
    assert {"content", "reasoning", "finish", "done", "usage_prompt"} <= slots


def test_streams_are_lines() -> None:
    healthy = stream(WIRE, answer=Answer("Hold the position."))
    assert len(healthy.events) == len(healthy.packets) == 4
    without = stream(WIRE, remove(-1), answer=Answer("Hold the position."))
    assert without.events == healthy.events[:3]
    with pytest.raises(DoesNotApply, match="streams newline-delimited JSON"):
        stream(WIRE, framed(space=""))
    rows = tuple(row for row in CATALOGUE.values() if row.applies_to(WIRES[WIRE]))
    kinds = {place.name for table in stream_table.tables(WIRE, rows, None, None) for place in table.places}
    assert kinds >= {"removed", "repeated", "moved", "inserted", "inside", "packets", "bytes", "fault"}
    assert "framing" not in kinds


def test_a_variant_and_a_stream_are_steps() -> None:
    with inject(variant(WIRE, put("done_reason", value="load")), answer=Answer("Hold.")):
        assert ollama.chat(**ASKED).done_reason == "load"  # type: ignore[call-overload]
    with inject(stream(WIRE, put(-1, "done_reason", value="length"), answer=Answer("Hold."))):
        *_, last = ollama.chat(**ASKED, stream=True)  # type: ignore[call-overload]
    assert last.done_reason == "length"
