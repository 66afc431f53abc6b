"""The strategies on bedrock.converse: its streams are frames, and what only text can be is refused by name."""

from __future__ import annotations

from typing import Any, Final

import boto3
import pytest

from pytest_llmfaults import Answer, DoesNotApply, inject
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._strategies import stream_table
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.strategies import encode, framed, insert, put, remove, stream, swap, variant

WIRE: Final = "bedrock.converse"
HOLD: Final = Answer("Hold the position.")
ASKED: Final[Any] = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "x"}]}]}


def test_streams_are_frames() -> None:
    healthy = stream(WIRE, answer=HOLD)
    assert len(healthy.events) == len(healthy.packets) == 7
    assert stream(WIRE, remove(-1), answer=HOLD).events == healthy.events[:-1]
    with pytest.raises(DoesNotApply, match="streams Amazon's event stream"):
        stream(WIRE, framed(space=""), answer=HOLD)
    with pytest.raises(DoesNotApply, match="streams Amazon's event stream, which is no text"):
        stream(WIRE, encode("utf-16"), answer=HOLD)
    rows = tuple(row for row in CATALOGUE.values() if row.applies_to(WIRES[WIRE]))
    kinds = {place.name for table in stream_table.tables(WIRE, rows, None, None) for place in table.places}
    assert kinds >= {"removed", "repeated", "moved", "inserted", "inside", "packets", "bytes", "fault", "stream"}
    assert "framing" not in kinds


def test_a_variant_and_a_stream_are_steps() -> None:
    with inject(variant(WIRE, put("stopReason", value="end")), answer=HOLD):
        assert boto3.client("bedrock-runtime").converse(**ASKED)["stopReason"] == "end"
    edits = (put(-2, "messageStop", "stopReason", value="end"), swap(1), insert(0, value={"mystery": {}}))
    with inject(stream(WIRE, *edits, answer=HOLD)):
        events = list(boto3.client("bedrock-runtime").converse_stream(**ASKED)["stream"])
    texts = [one["contentBlockDelta"]["delta"]["text"] for one in events if "contentBlockDelta" in one]
    assert texts == [" the", "Hold", " position."]
    assert events[-2] == {"messageStop": {"stopReason": "end"}}
