"""For each rule that ollama.chat has, a conversation that breaks it and its neighbour that keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conversations import ASKED, Conversation, says

__all__ = ["TYPED"]


def calling(arguments: Any) -> dict[str, Any]:
    """Return an assistant turn that calls a tool."""
    return {**says("assistant", ""), "tool_calls": [{"function": {"name": "recall", "arguments": arguments}}]}


RESULT: Final = {**says("tool", "Oslo"), "tool_name": "recall"}

TYPED: Final[Mapping[str, Conversation]] = {
    "turn.arguments_object": Conversation(
        broken=[ASKED, calling('{"about": "home"}'), RESULT],
        kept=[ASKED, calling({"about": "home"}), RESULT],
        at=1,
    ),
    "turn.content_text": Conversation(
        broken=[says("user", [{"type": "text", "text": "Where do I live?"}])],
        kept=[says("user", "Where do I live?"), calling({}), RESULT],
        at=0,
    ),
}
