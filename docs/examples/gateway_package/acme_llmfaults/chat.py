"""The dialect ``acme`` of ``openai.chat``: how https://chat.acme.example speaks it."""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults.extending import ABSENT, Dialect, Event, at

__all__ = ["CHAT"]


def _error(status: int, message: str, code: str | None) -> Any:
    return {"error": {"status": status, "message": message, "code": code}}


CHAT: Final = Dialect(
    name="acme",
    source="https://wiki.acme.example/chat",
    hosts=("chat.acme.example",),
    fields={"": {"region": "north"}, "message": {"annotations": ABSENT}},
    slots={"reasoning": at("choices", 0, "message", "thoughts")},
    opening=(Event.comment("warming up"),),
    error=_error,
)
