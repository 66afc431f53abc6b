"""Rules on conversations that are made of items."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._rules._rule import RESPONSES, Breach, Rule, refuses
from pytest_llmfaults._turns import is_item, role_of, turns

__all__ = ["ROWS"]


def _thought_alone(request: Request) -> Breach | None:
    """Look at what stands behind each item of thoughts: more thoughts, a call, or a message of the assistant."""
    items = list(turns(request.messages))
    for place, (index, item) in enumerate(items):
        behind = next((one for _, one in items[place + 1 :] if not is_item(one, "reasoning")), {})
        led = is_item(behind, "function_call", "custom_tool_call") or role_of(behind) == "assistant"
        if is_item(item, "reasoning") and not led:
            return Breach(f"messages[{index}] is reasoning, and neither a call nor an answer is behind it", index)
    return None


ROWS: Final = (
    Rule(
        name="turn.item_follows_reasoning",
        broken=_thought_alone,
        refusal=refuses("Item 'rs_1' of type 'reasoning' was provided without its required following item."),
        meaning="An item of reasoning comes back with what it led to: a call or an answer behind it.",
        slot="reasoning",
        wires=(RESPONSES,),
        sources=("https://github.com/openai/openai-agents-python/issues/1611",),
    ),
)
