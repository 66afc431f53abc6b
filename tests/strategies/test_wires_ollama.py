"""The strategies on Ollama's wires: they draw, print what can be pasted, and streams are lines of JSON."""

from __future__ import annotations

from typing import Final

import ollama
import pytest

from pytest_llmfaults import Answer, DoesNotApply, inject
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._strategies import stream_table
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.strategies import framed, put, remove, stream, variant

WIRE: Final = "ollama.chat"
ASKED: Final = {"model": "qwen3", "messages": [{"role": "user", "content": "x"}]}


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
