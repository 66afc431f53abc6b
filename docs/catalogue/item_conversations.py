"""The conversations on openai.responses, which are made of items: what breaks each rule, and what keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conversations import ASKED, CONVERSATIONS, Conversation, says

__all__ = ["ITEMS"]

_THOUGHT: Final[dict[str, Any]] = {"id": "rs_1", "type": "reasoning", "summary": []}
_ANSWER: Final = says("assistant", "In Oslo.")


def _call(call_id: str) -> dict[str, Any]:
    """Return an item that calls a tool."""
    return {"type": "function_call", "call_id": call_id, "name": "recall", "arguments": '{"about": "home"}'}


def _result(call_id: str) -> dict[str, Any]:
    """Return an item with the result of a call."""
    return {"type": "function_call_output", "call_id": call_id, "output": "Oslo"}


ITEMS: Final[Mapping[str, Conversation]] = {
    "turn.context_limit": CONVERSATIONS["turn.context_limit"],
    "turn.tool_results_complete": Conversation(
        broken=[ASKED, _call("call_1"), _call("call_2"), _result("call_1")],
        kept=[ASKED, _call("call_1"), _call("call_2"), _result("call_2"), _result("call_1")],
        at=2,
    ),
    "turn.tool_result_known": Conversation(
        broken=[ASKED, _call("call_1"), _result("call_1"), _result("call_2")],
        kept=[ASKED, _call("call_1"), _result("call_1")],
        at=3,
    ),
    "turn.item_follows_reasoning": Conversation(
        broken=[ASKED, _THOUGHT, says("user", "Since when?")],
        kept=[ASKED, _THOUGHT, _call("call_1"), _result("call_1"), _THOUGHT, _ANSWER, says("user", "Since when?")],
        at=1,
    ),
}
