"""429 without a wait: limits of rate, quota, credit and spend."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import answers, error
from pytest_llmfaults._faults._fault import Fault

__all__ = ["ROWS"]

ROWS: Final = (
    Fault(
        name="status.429_rate",
        play=error(429, "Rate limit reached.", "rate_limit_exceeded"),
        meaning="The rate limit is reached, and nothing says for how long.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/BerriAI/litellm/pull/25285",
            "https://github.com/HKUDS/nanobot/issues/2760",
            "https://github.com/failoverbench/failoverbench",
        ),
    ),
    Fault(
        name="status.429_quota",
        play=error(429, "You exceeded your current quota.", "insufficient_quota"),
        meaning="The quota is spent.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/Tracer-Cloud/opensre/pull/1772",
            "https://github.com/jin-bo/agentao/pull/283",
            "https://github.com/topoteretes/cognee/pull/3772",
        ),
    ),
    Fault(
        name="status.429_quota_retry_after",
        play=error(429, "You exceeded your current quota.", "insufficient_quota", retry_after="30"),
        meaning="The quota is spent, and a header asks for a retry all the same.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/jin-bo/agentao/pull/283",
            "https://github.com/NousResearch/hermes-agent/issues/91091",
        ),
    ),
    Fault(
        name="status.429_credit_balance",
        play=error(429, "The credit balance is used up.", "credit_balance_exhausted"),
        meaning="The prepaid credit is used up.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/jin-bo/agentao/pull/283",),
    ),
    Fault(
        name="status.429_spend_limit",
        play=error(
            429,
            "This request would exceed the monthly spend limit.",
            fields={"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}},
        ),
        meaning="A spend limit is reported with the type of a rate limit.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://learn.microsoft.com/es-es/microsoft-cloud/dev/dev-proxy/concepts/anthropic-529-overloaded-error",
            "https://github.com/can1357/oh-my-pi/pull/5418",
            "https://github.com/jin-bo/agentao/pull/283",
        ),
    ),
    Fault(
        name="status.429_spend_limit_retry_after",
        play=error(
            429,
            "This request would exceed the monthly spend limit.",
            fields={"type": "rate_limit_error"},
            retry_after="600",
        ),
        meaning="A spend limit has the type of a rate limit and a very long wait.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/NousResearch/hermes-agent/issues/91091",),
    ),
    Fault(
        name="status.429_transient_quota",
        play=answers(429, {"status": 429, "error": "INSUFFICIENT QUOTA", "message": "Too many concurrent requests."}),
        meaning="A limit that clears in milliseconds is worded like a spent quota.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.WORDS,
        sources=("https://github.com/LibreChat-AI/agents/issues/357", "https://github.com/coder/coder/pull/26200"),
    ),
    Fault(
        name="status.429_usage_limit_reset",
        play=answers(
            429,
            {
                "error": {
                    "message": "The usage limit is reached.",
                    "type": "usage_limit_reached",
                    "plan_type": "plus",
                    "resets_in_seconds": 14400,
                }
            },
        ),
        meaning="The limit of the plan is reached and lasts for hours.",
        slot="error",
        draw="same",
        wish="once",
        stays=_stays.WORDS,
        sources=(
            "https://github.com/QwenLM/qwen-code/issues/7841",
            "https://github.com/NousResearch/hermes-agent/pull/1839",
        ),
    ),
    Fault(
        name="status.429_should_not_retry",
        play=error(429, "Rate limit reached.", "rate_limit_exceeded", x_should_retry="false"),
        meaning="The gateway says that this limit is not to be retried.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/HKUDS/nanobot/issues/2760",),
    ),
)
