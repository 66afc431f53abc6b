"""The strategies on gemini: they draw, print what can be pasted, and cover what the wire has, streams too."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults import Answer, inject
from pytest_llmfaults.strategies import put, remove, variant

WIRE: Final = "gemini"
PLAN: Final = {"name": "plan", "parameters": {"type": "OBJECT", "properties": {"side": {"type": "STRING"}}}}
FORCED: Final = {
    "tools": [{"functionDeclarations": [PLAN]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
}


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
