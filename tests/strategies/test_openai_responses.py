"""The strategies on openai.responses: they draw, print what can be pasted, and cover what the wire has."""

from __future__ import annotations

from typing import Final

import openai
from hypothesis import given, settings

from pytest_llmfaults import Answer, Fault, Reply, inject, strategies
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._strategies import draw
from pytest_llmfaults._wires import wire
from pytest_llmfaults.strategies import Variant, put, remove, variant
from tests.strategies.finding import pasted

WIRE: Final = "openai.responses"
_SIDE: Final = {"type": "object", "properties": {"side": {"enum": ["BUY", "SELL"]}}}
FORCED: Final = {
    "tools": [{"type": "function", "name": "plan", "parameters": _SIDE}],
    "tool_choice": "required",
}


@settings(max_examples=40)
@given(drawn=strategies.variants(WIRE))
def test_a_variant_prints_as_the_call_that_makes_it(drawn: Variant) -> None:
    again = pasted(repr(drawn))
    assert again == drawn
    assert again.reply == drawn.reply


@settings(max_examples=20)
@given(envelope=strategies.envelopes(WIRE, request=FORCED), body=strategies.bodies(WIRE))
def test_envelopes_and_bodies_are_drawn(envelope: object, body: bytes) -> None:
    assert envelope is None or isinstance(envelope, (dict, list, str, int, float))
    assert isinstance(body, bytes)


def test_every_fault_and_every_slot_can_come() -> None:
    rows = tuple(row for row in CATALOGUE.values() if row.applies_to(wire(WIRE)) and row.streamed != "only")
    found = [*draw.tables(WIRE, "reply", rows, None, None), *draw.tables(WIRE, "reply", rows, FORCED, None)]
    entries = [entry for table in found for place in table.places for entry in place.entries]
    names = {change.name for entry in entries for change in entry.changes if isinstance(change, Fault)}
    assert len(names) > 0.85 * len(rows)
    slots = {place.name for table in found for place in table.places}
    assert {"content", "reasoning", "arguments", "function_name", "finish", "usage", "output_items"} <= slots


def test_edits_are_named_by_their_slot() -> None:
    text = variant(WIRE, put("output", 0, "content", 0, "text", value=""))
    assert (text.slot, text.path) == ("content", ("output", 0, "content", 0, "text"))
    assert variant(WIRE, remove("output", 0, "summary", 0, "text"), of="reasoning").slot == "reasoning"


def test_a_variant_is_a_step() -> None:
    step = variant(WIRE, put("status", value="incomplete"))
    with inject(step, answer=Answer("Hold.")) as seen:
        assert openai.OpenAI().responses.create(model="gpt-5", input="x").status == "incomplete"
    assert isinstance(seen.replies[0], Reply)
