"""The strategies on gemini: they draw, print what can be pasted, and cover what the wire has, streams too."""

from __future__ import annotations

from typing import Final

from hypothesis import given, settings

from pytest_llmfaults import Answer, Fault, inject, strategies
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._strategies import draw
from pytest_llmfaults._wires import wire
from pytest_llmfaults.strategies import Variant, put, remove, variant
from tests.strategies.finding import pasted

WIRE: Final = "gemini"
PLAN: Final = {"name": "plan", "parameters": {"type": "OBJECT", "properties": {"side": {"type": "STRING"}}}}
FORCED: Final = {
    "tools": [{"functionDeclarations": [PLAN]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
}


@settings(max_examples=40)
@given(drawn=strategies.variants(WIRE))
def test_a_variant_prints_as_the_call_that_makes_it(drawn: Variant) -> None:
    again = pasted(repr(drawn))
    assert again == drawn
    assert again.reply == drawn.reply


@settings(max_examples=40)
@given(drawn=strategies.streams(WIRE))
def test_a_stream_is_drawn_and_read(drawn: strategies.StreamVariant) -> None:
    assert pasted(repr(drawn)).packets == drawn.packets
    assert all(isinstance(text, str) for text in drawn.events)


@settings(max_examples=40)
@given(fault=strategies.faults(WIRE))
def test_a_fault_is_one_of_the_wire(fault: Fault) -> None:
    assert fault.applies_to(wire(WIRE))


def test_every_fault_and_every_slot_can_come() -> None:
    rows = tuple(row for row in CATALOGUE.values() if row.applies_to(wire(WIRE)) and row.streamed != "only")
    found = [*draw.tables(WIRE, "reply", rows, None, None), *draw.tables(WIRE, "reply", rows, FORCED, None)]
    entries = [entry for table in found for place in table.places for entry in place.entries]
    names = {change.name for entry in entries for change in entry.changes if isinstance(change, Fault)}
    assert len(names) > 0.85 * len(rows)
    slots = {place.name for table in found for place in table.places}
    assert {"choices", "content", "reasoning", "arguments", "function_name", "finish", "usage", "block"} <= slots


def test_edits_are_named_by_their_slot() -> None:
    text = variant(WIRE, put("candidates", 0, "content", "parts", 0, "text", value=""))
    assert text.slot == "content"
    signature = variant(WIRE, remove("candidates", 0, "content", "parts", 0, "thoughtSignature"), of="calls")
    assert signature.slot == "call_signature"


def test_a_variant_is_a_step() -> None:
    from google import genai

    with inject(variant(WIRE, put("candidates", 0, "finishReason", value="SPII")), answer=Answer("Hold.")):
        with genai.Client() as client:
            made = client.models.generate_content(model="gemini-3.8-flash", contents="x")
        assert made.candidates is not None
        assert made.candidates[0].finish_reason == "SPII"
