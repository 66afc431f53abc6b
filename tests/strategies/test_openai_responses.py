"""The strategies on openai.responses: they draw, print what can be pasted, and cover what the wire has."""

from __future__ import annotations

from typing import Final

import openai

from pytest_llmfaults import Answer, Reply, inject
from pytest_llmfaults.strategies import put, remove, variant

WIRE: Final = "openai.responses"
_SIDE: Final = {"type": "object", "properties": {"side": {"enum": ["BUY", "SELL"]}}}
FORCED: Final = {
    "tools": [{"type": "function", "name": "plan", "parameters": _SIDE}],
    "tool_choice": "required",
}


def test_edits_are_named_by_their_slot() -> None:
    text = variant(WIRE, put("output", 0, "content", 0, "text", value=""))
    assert (text.slot, text.path) == ("content", ("output", 0, "content", 0, "text"))
    assert variant(WIRE, remove("output", 0, "summary", 0, "text"), of="reasoning").slot == "reasoning"


def test_a_variant_is_a_step() -> None:
    step = variant(WIRE, put("status", value="incomplete"))
    with inject(step, answer=Answer("Hold.")) as seen:
        assert openai.OpenAI().responses.create(model="gpt-5", input="x").status == "incomplete"
    assert isinstance(seen.replies[0], Reply)
