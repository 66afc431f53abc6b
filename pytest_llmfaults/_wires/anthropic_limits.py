"""How Anthropic's wire tells of limits: when each is full again, as a moment."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmfaults._reply import Headers
from pytest_llmfaults._wires._limits import Allowance, instant

__all__ = ["headers"]


def headers(allowances: Sequence[Allowance], now: float) -> Headers:
    """Make ``anthropic-ratelimit-requests-limit``, ``-remaining`` and ``-reset``, of each limit."""
    return tuple(
        (f"anthropic-ratelimit-{one.counts}-{what}", value)
        for one in allowances
        for what, value in (
            ("limit", str(one.limit)),
            ("remaining", str(one.remaining)),
            ("reset", instant(now + one.reset_seconds)),
        )
    )
