"""The wire ``acme.ask``: POST https://llm.acme.example/v2/ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pytest_llmfaults.extending import Wire

__all__ = ["ASK"]


def _error(status: int, message: str, code: str | None) -> Any:
    return {"fault": {"status": status, "text": message, "reason": code}}


ASK: Final = Wire.from_sample(
    Path(__file__).with_name("reply.json"),
    {
        "id": ("request_id",),
        "choices": ("result",),
        "content": ("result", 0, "text"),
        "finish": ("stop",),
        "usage": ("tokens",),
        "usage_prompt": ("tokens", "in"),
        "usage_completion": ("tokens", "out"),
    },
    own_slots={"verdict": ("result", 0, "verdict")},
    finish_words={"stop": "END", "length": "CUT", "content_filter": "BLOCKED"},
    name="acme.ask",
    route="/v2/ask",
    error=_error,
    environment={"ACME_LLM_KEY": "placeholder-key"},
)
