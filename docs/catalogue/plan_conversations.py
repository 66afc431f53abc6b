"""For each rule that cohere.chat has, a conversation that breaks it and its neighbour that keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conversations import ASKED, Conversation, call, result, says

__all__ = ["PLANS"]

PLANS: Final[Mapping[str, Conversation]] = {
    "turn.content_non_empty": Conversation(
        broken=[ASKED, says("assistant", ""), says("user", "Please answer.")],
        kept=[ASKED, {"role": "assistant", "tool_plan": "I will look.", "tool_calls": [call()]}, result()],
        at=1,
    ),
}
