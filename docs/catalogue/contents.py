"""For each rule that gemini has, contents that break it and their neighbours that keep it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conversations import Conversation

__all__ = ["CONTENTS"]


def says(role: str, *parts: Any) -> dict[str, Any]:
    """Return a turn with these parts; a text is a part of text."""
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def call(signature: str | None = None) -> dict[str, Any]:
    """Return a part that calls."""
    signed = {} if signature is None else {"thoughtSignature": signature}
    return {"functionCall": {"name": "recall", "args": {"about": "home"}}, **signed}


RESULT: Final = {"functionResponse": {"name": "recall", "response": {"result": "Oslo"}}}
ASKED: Final = says("user", "Where do I live?")

CONTENTS: Final[Mapping[str, Conversation]] = {
    "turn.context_limit": Conversation(
        broken=[says("user", "x" * 1_000_001)], kept=[says("user", "x" * 999_000)], at=None
    ),
    "turn.last_not_assistant": Conversation(
        broken=[ASKED, says("model", "In ")],
        kept=[ASKED, says("model", "In Oslo."), says("user", "Since when?")],
        at=1,
    ),
    "turn.content_non_empty": Conversation(
        broken=[ASKED, says("model"), says("user", "Hello?")],
        kept=[ASKED, says("model", ""), says("user", "Hello?")],
        at=1,
    ),
    "turn.thought_signature_required": Conversation(
        broken=[ASKED, says("model", call(), call()), says("user", RESULT, RESULT)],
        kept=[ASKED, says("model", call("c2lnbmVk"), call()), says("user", RESULT, RESULT)],
        at=1,
    ),
    "turn.tool_results_counted": Conversation(
        broken=[ASKED, says("model", call(), call()), says("user", RESULT)],
        kept=[ASKED, says("model", call(), call()), says("user", RESULT, RESULT)],
        at=1,
    ),
    "turn.calls_after_user": Conversation(
        broken=[ASKED, says("model", "Let me look."), says("model", call()), says("user", RESULT)],
        kept=[ASKED, says("model", call()), says("user", RESULT), says("model", call()), says("user", RESULT)],
        at=2,
    ),
}
