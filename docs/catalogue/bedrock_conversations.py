"""For each rule that bedrock.converse has, messages that break it and their neighbours that keep it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conversations import Conversation

__all__ = ["BLOCK_UNIONS"]

_TOOLS: Final = {
    "toolConfig": {"tools": [{"toolSpec": {"name": "recall", "inputSchema": {"json": {"type": "object"}}}}]}
}


def says(role: str, *blocks: Any) -> dict[str, Any]:
    """Return a turn with these blocks; a text is a block of text."""
    return {"role": role, "content": [{"text": block} if isinstance(block, str) else block for block in blocks]}


def use(call_id: str) -> dict[str, Any]:
    """Return a block that calls."""
    return {"toolUse": {"toolUseId": call_id, "name": "recall", "input": {"about": "home"}}}


def result(call_id: str) -> dict[str, Any]:
    """Return a block with the result of a call."""
    return {"toolResult": {"toolUseId": call_id, "content": [{"text": "Oslo"}]}}


ASKED: Final = says("user", "Where do I live?")
SINCE: Final = says("user", "Since when?")

BLOCK_UNIONS: Final[Mapping[str, Conversation]] = {
    "turn.alternating": Conversation(
        broken=[ASKED, says("assistant", "In Oslo."), SINCE, says("user", "Please answer.")],
        kept=[ASKED, says("assistant", "In Oslo."), SINCE],
        at=3,
    ),
    "turn.context_limit": Conversation(
        broken=[says("user", "x" * 1_000_001)], kept=[says("user", "x" * 999_000)], at=None
    ),
    "turn.tool_results_complete": Conversation(
        broken=[ASKED, says("assistant", use("a"), use("b")), says("user", result("a"))],
        kept=[ASKED, says("assistant", use("a"), use("b")), says("user", result("b"), result("a"))],
        at=1,
        asks=_TOOLS,
    ),
    "turn.tool_result_known": Conversation(
        broken=[ASKED, says("assistant", use("a")), says("user", result("a"), result("b"))],
        kept=[ASKED, says("assistant", use("a")), says("user", result("a"))],
        at=2,
        asks=_TOOLS,
    ),
    "turn.content_non_empty": Conversation(
        broken=[ASKED, says("assistant"), SINCE],
        kept=[ASKED, says("assistant", use("a")), says("user", result("a"))],
        at=1,
        asks=_TOOLS,
    ),
    "turn.text_part_non_empty": Conversation(
        broken=[ASKED, says("assistant", "", use("a")), says("user", result("a"))],
        kept=[ASKED, says("assistant", use("a")), says("user", result("a"))],
        at=1,
        asks=_TOOLS,
    ),
    "turn.first_user": Conversation(
        broken=[says("assistant", "Hello."), ASKED],
        kept=[says("user", "Hello."), says("assistant", "Hello."), ASKED],
        at=0,
    ),
    "turn.tools_offered": Conversation(
        broken=[ASKED, says("assistant", use("a")), says("user", result("a"))],
        kept=[ASKED, says("assistant", "In Oslo."), SINCE],
        at=1,
    ),
}
