"""The limits of Gemini: no header tells of them, the body of a refusal does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._wires._limits import Counted, Limits, Shortage, retry_after
from pytest_llmfaults._wires.gemini_stream import error_body

__all__ = ["LIMITS"]

_RPC: Final = "type.googleapis.com/google.rpc."
_METRIC: Final = "generativelanguage.googleapis.com/generate_content_paid_tier_"
_COUNTED: Final[Mapping[Counted, tuple[str, str]]] = {
    "requests": ("requests", "GenerateRequestsPerMinutePerProjectPerModel-PaidTier"),
    "tokens": ("input_token_count", "GenerateContentPaidTierInputTokensPerModelPerMinute"),
}
"""What is counted: the end of its metric's name, and the id of its quota."""


def _refusal(short: Shortage) -> Any:
    metric, quota = _COUNTED[short.counts]
    violation = {
        "quotaMetric": f"{_METRIC}{metric}",
        "quotaId": quota,
        "quotaDimensions": {"location": "global", "model": short.model},
        "quotaValue": str(short.limit),
    }
    body = error_body(429, short.message)
    body["error"]["details"] = [
        {"@type": f"{_RPC}QuotaFailure", "violations": [violation]},
        {"@type": f"{_RPC}RetryInfo", "retryDelay": f"{retry_after(short.wait_seconds)}s"},
    ]
    return body


LIMITS: Final = Limits(
    headers=lambda _allowances, _now: (),
    refusal=_refusal,
    source="https://ai.google.dev/gemini-api/docs/rate-limits",
    retry_after=False,
)
