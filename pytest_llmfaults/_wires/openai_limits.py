"""The limits of OpenAI's wires: how long until a limit is full again, as a duration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_llmfaults._reply import Headers
from pytest_llmfaults._wires._limits import Allowance, Limits, Shortage, duration

__all__ = ["LIMITS", "headers"]


def headers(allowances: Sequence[Allowance], _now: float) -> Headers:
    """Make ``x-ratelimit-limit-requests``, ``-remaining-`` and ``-reset-``, of each limit."""
    return tuple(
        (f"x-ratelimit-{what}-{one.counts}", value)
        for one in allowances
        for what, value in (
            ("limit", str(one.limit)),
            ("remaining", str(one.remaining)),
            ("reset", duration(one.reset_seconds)),
        )
    )


def _refusal(short: Shortage) -> Any:
    return {"error": {"message": short.message, "type": short.counts, "param": None, "code": "rate_limit_exceeded"}}


LIMITS: Final = Limits(
    headers=headers,
    refusal=_refusal,
    source="https://platform.openai.com/docs/guides/rate-limits",
)
