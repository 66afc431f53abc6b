"""Answers of Gemini: contents without parts, parts that are signed or not, and the reasons that only it has."""

from __future__ import annotations

import functools
from typing import Any, Final

from pytest_llmfaults._faults._edit import ABSENT, error, put
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._message import only
from pytest_llmfaults._faults.finish import says
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_REFERENCE: Final = "https://ai.google.dev/api/generate-content"
_SIGNATURES: Final = "https://ai.google.dev/gemini-api/docs/thought-signatures"
_SIGNATURE: Final = "c2lnbmVk"
_NO_PARTS: Final = {"role": "model"}
_QUOTA: Final[list[Any]] = [
    {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [
            {
                "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
                "quotaValue": "250",
            }
        ],
    },
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "31s"},
]


def _withheld(base: Healthy, reason: str) -> Reply:
    return says(reason, ABSENT, ("usage_completion", 0))(base)


def _failed_call(base: Healthy, reason: str) -> Reply:
    words = reason.replace("_", " ").capitalize()
    message = f"{words}: print(default_api.search(query='weather today'))"
    return says(reason, ABSENT, ("usage_completion", 0), ("finish_message", message))(base)


def _thought_without_text(base: Healthy) -> Reply:
    thought = {"thought": True, "thoughtSignature": _SIGNATURE}
    return put("blocks", [thought, *base.held("blocks")])(base)


def _signed_text(base: Healthy) -> Reply:
    return put("block", {**base.held("block"), "thoughtSignature": _SIGNATURE})(base)


_own = functools.partial(Fault, wires=("gemini",))

ROWS: Final = (
    _own(
        name="content.parts_absent",
        play=only(_NO_PARTS, tokens=24),
        meaning="The content has a role and no parts.",
        slot="content",
        draw="depends",
        wish="reask",
        sources=("https://github.com/google/adk-python/issues/2905", "https://github.com/google/adk-python/pull/5006"),
    ),
    _own(
        name="content.object_empty",
        play=only({}, tokens=24),
        meaning="The content is an empty object.",
        slot="content",
        draw="depends",
        wish="reask",
        sources=("https://github.com/AstrBotDevs/AstrBot/pull/6735", "https://github.com/vercel/ai/pull/5039"),
    ),
    _own(
        name="reasoning.ate_budget_parts_absent",
        play=only(_NO_PARTS, finish="length", tokens="budget", thought="budget"),
        meaning="Hidden thoughts used the budget and the content has no parts.",
        slot="content",
        draw="same",
        wish="surface",
        sources=("https://github.com/google/adk-python/issues/1357",),
    ),
    _own(
        name="reasoning.thought_without_text",
        play=_thought_without_text,
        meaning="A signed thought without text stands before the good answer.",
        slot="blocks",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/pydantic/pydantic-ai/pull/1897", _SIGNATURES),
    ),
    _own(
        name="finish.withheld",
        play=_withheld,
        meaning="The answer is withheld for a reason that only this provider has, and there is no content.",
        slot="finish",
        draw="depends",
        wish="surface",
        parameters=(
            Parameter("reason", "RECITATION", choices=("RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII")),
        ),
        sources=(_REFERENCE, "https://github.com/google/generative-ai-docs/issues/235"),
    ),
    _own(
        name="finish.failed_call",
        play=_failed_call,
        meaning="The model's call failed: there is no content, and a message beside the reason has the call.",
        slot="finish",
        draw="fresh",
        wish="retry",
        parameters=(
            Parameter(
                "reason",
                "MALFORMED_FUNCTION_CALL",
                choices=("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
            ),
        ),
        sources=(
            "https://github.com/langchain-ai/langchain-google/issues/1207",
            "https://github.com/NousResearch/hermes-agent/pull/83882",
            "https://github.com/run-llama/llama_index/pull/22098",
        ),
    ),
    _own(
        name="tools.signature_absent",
        play=put("call_signature", ABSENT),
        meaning="A good call has no signature of the thought behind it.",
        slot="call_signature",
        draw="same",
        scope="partial",
        wish="survive",
        needs="tool_calls",
        sources=("https://github.com/BerriAI/litellm/issues/16893", _SIGNATURES),
    ),
    _own(
        name="control.text_signed",
        play=_signed_text,
        meaning="The good text is signed.",
        slot="block",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/justlovemaki/AIClient2API/issues/157",
            "https://github.com/BerriAI/litellm/pull/17403",
        ),
    ),
    _own(
        name="status.429_quota_day",
        play=error(429, "You exceeded your current quota.", fields={"details": _QUOTA}),
        meaning="The quota of the day is spent, and the body asks for a retry in seconds all the same.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/google-gemini/gemini-cli/issues/10925",
            "https://github.com/gke-labs/gemini-for-kubernetes-development/issues/1215",
        ),
    ),
)
