"""The strategies on anthropic.messages: they draw, print what can be pasted, and cover what the wire has."""

from __future__ import annotations

from typing import Final

from hypothesis import given, settings

from pytest_llmfaults import Answer, Fault, Reply, inject, strategies
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._strategies import draw
from pytest_llmfaults._wires import wire
from pytest_llmfaults.strategies import Variant, put, remove, variant
from tests.strategies.finding import pasted

WIRE: Final = "anthropic.messages"
FORCED: Final = {
    "tools": [{"name": "plan", "input_schema": {"type": "object", "properties": {"side": {"enum": ["BUY", "SELL"]}}}}],
    "tool_choice": {"type": "any"},
}


@settings(max_examples=60)
@given(drawn=strategies.variants(WIRE))
def test_a_variant_prints_as_the_call_that_makes_it(drawn: Variant) -> None:
    again = pasted(repr(drawn))
    assert again == drawn
    assert again.reply == drawn.reply


@settings(max_examples=60)
@given(fault=strategies.faults(WIRE))
def test_a_fault_is_one_of_the_wire(fault: Fault) -> None:
    assert fault.applies_to(wire(WIRE))


@settings(max_examples=30)
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
    assert {"content", "reasoning", "arguments", "function_name", "finish", "usage", "block", "signature"} <= slots


def test_edits_are_named_by_their_slot() -> None:
    text = variant(WIRE, put("content", 0, "text", value=""))
    assert (text.slot, text.path) == ("content", ("content", 0, "text"))
    thought = variant(WIRE, remove("content", 0, "signature"), of="reasoning")
    assert thought.slot == "signature"
    assert variant(WIRE, remove("content", 1, "input"), of="calls").slot != "arguments"


def test_a_variant_is_a_step() -> None:
    import anthropic

    step = variant(WIRE, put("stop_reason", value="refusal"))
    with inject(step, answer=Answer("Hold.")) as seen:
        made = anthropic.Anthropic().messages.create(
            model="claude-sonnet-5-5", max_tokens=9, messages=[{"role": "user", "content": "x"}]
        )
    assert made.stop_reason == "refusal"
    assert isinstance(seen.replies[0], Reply)
