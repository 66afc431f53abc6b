"""How a wire tells what is left of a quota: data and a few pure functions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import Any, Literal, TypeAlias

from pytest_llmfaults._reply import Headers

__all__ = ["Allowance", "Counted", "Limits", "Shortage", "duration", "instant", "retry_after"]

Counted: TypeAlias = Literal["requests", "tokens"]
"""What a limit counts."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """One limit as it stands at the moment of a reply.

    Attributes:
        counts: what it counts.
        limit: how many there are when it is full.
        remaining: how many are left.
        reset_seconds: seconds until it is full again.
    """

    counts: Counted
    limit: int
    remaining: int
    reset_seconds: float


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """What ran out, for the body of a refusal.

    Attributes:
        counts: what is counted.
        limit: how many there are when it is full.
        wait_seconds: after how many seconds the same request would pass.
        model: the model that the request asks for, or None.
        message: all that in words.
    """

    counts: Counted
    limit: int
    wait_seconds: float
    model: str | None
    message: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How a wire tells of its limits.

    Attributes:
        headers: makes the headers of a reply, good or refused, from the limits and the wall clock in Unix seconds.
        refusal: makes the body of status 429.
        source: URL of the vendor's page.
        retry_after: whether a refusal has the header Retry-After.
    """

    headers: Callable[[Sequence[Allowance], float], Headers]
    refusal: Callable[[Shortage], Any]
    source: str
    retry_after: bool = True


def duration(seconds: float) -> str:
    """Write a duration as Go does, in milliseconds rounded up: ``12ms``, ``1s``, ``7.5s``, ``6m0s``, ``1h23m31s``."""
    milliseconds = math.ceil(round(seconds * 1000, 6))
    if 0 < milliseconds < 1000:
        return f"{milliseconds}ms"
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    before = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{before}{rest / 1000:g}s"


def instant(moment: float) -> str:
    """Write a moment in Unix seconds as RFC 3339, in whole seconds rounded up: ``2026-05-28T20:27:20Z``."""
    return datetime.fromtimestamp(math.ceil(moment), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def retry_after(seconds: float) -> str:
    """Write a wait as the header Retry-After has it, in whole seconds: rounded up, never too early."""
    return str(math.ceil(round(seconds, 6)))
