"""The strategies on anthropic.messages: they draw, print what can be pasted, and cover what the wire has."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults import Answer, Reply, inject
from pytest_llmfaults.strategies import put, remove, variant

WIRE: Final = "anthropic.messages"
FORCED: Final = {
    "tools": [{"name": "plan", "input_schema": {"type": "object", "properties": {"side": {"enum": ["BUY", "SELL"]}}}}],
    "tool_choice": {"type": "any"},
}


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
