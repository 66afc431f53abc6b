"""Errors at status 200: instead of the answer, beside it, or in the choice."""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import half, put, reshape
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]


def _upstream(code: int, message: str) -> Any:
    """Make a fault with the error of an aggregator instead of the envelope."""
    error = {"message": message, "code": code, "metadata": {"provider_name": "upstream"}}
    return reshape(lambda _envelope: {"error": error, "user_id": "user-1"})


_FAILED_CHOICE: Final = {
    "index": 0,
    "finish_reason": "error",
    "error": {"code": 429, "message": "Rate limit exceeded"},
    "message": {"role": "assistant", "content": ""},
}


def _beside_answer(base: Healthy) -> Reply:
    error = {"message": "Provider disconnected", "code": 502}
    play = put("content", half(base.value("content")), ("finish", None), ("error", error))
    return play(base)


def _failed_choice_retry_after(base: Healthy, seconds: int) -> Reply:
    return put("choice", _FAILED_CHOICE)(base).with_headers(retry_after=str(seconds))


def _refused(base: Healthy) -> Reply:
    envelope = base.put(base.put(base.envelope(), "choices", None), "usage", {"total_tokens": 0})
    return base.with_envelope({**envelope, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}})


ROWS: Final = (
    Fault(
        name="envelope.error_429",
        play=_upstream(429, "Rate limit exceeded"),
        meaning="A rate limit is reported with the status of success.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/527",
            "https://github.com/OpenRouterTeam/python-sdk/issues/44",
        ),
    ),
    Fault(
        name="envelope.error_502",
        play=_upstream(502, "Provider returned error"),
        meaning="A failure of the upstream is reported with the status of success.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/OpenRouterTeam/python-sdk/issues/44",
            "https://openrouter.ai/docs/api/reference/errors-and-debugging",
        ),
    ),
    Fault(
        name="envelope.error_400",
        play=_upstream(400, "Invalid request"),
        meaning="An invalid request is reported with the status of success.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/OpenRouterTeam/python-sdk/issues/44",),
    ),
    Fault(
        name="envelope.error_402",
        play=_upstream(402, "Insufficient credits"),
        meaning="Missing credit is reported with the status of success.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/OpenRouterTeam/python-sdk/issues/44",),
    ),
    Fault(
        name="envelope.error_string",
        play=reshape(lambda _envelope: {"error": "The model crashed."}),
        meaning="The error is a string, with the status of success.",
        slot="error",
        draw="depends",
        wish="surface",
        stays=_stays.WRONG_TYPE,
        sources=(
            "https://github.com/microsoft/autogen/issues/2202",
            "https://github.com/agentuniverse-ai/agentUniverse/pull/700",
            "https://docs.ollama.com/api/errors",
        ),
    ),
    Fault(
        name="envelope.error_flat",
        play=reshape(
            lambda _envelope: {"code": "rate_limit_daily", "message": "Error code: 429 - the daily limit is reached"}
        ),
        meaning="The error has its code and message at the top, with the status of success.",
        slot="error",
        draw="fresh",
        wish="surface",
        stays=_stays.ELSEWHERE,
        sources=("https://github.com/XpressAI/xaibo/pull/36",),
    ),
    Fault(
        name="envelope.error_msg",
        play=reshape(lambda _envelope: {"error_code": 18, "error_msg": "Open api qps request limit reached"}),
        meaning="The error has its code and message at the top, in keys of another platform, at status 200.",
        slot="error",
        draw="fresh",
        wish="surface",
        stays=_stays.ELSEWHERE,
        sources=(
            "https://github.com/chatchat-space/Langchain-Chatchat/issues/1922",
            "https://github.com/binary-husky/gpt_academic/issues/1824",
        ),
    ),
    Fault(
        name="envelope.error_base_resp",
        play=_refused,
        meaning="The error is in a field of the provider's own beside choices that are null.",
        touches=("choices", "usage"),
        slot="error",
        draw="fresh",
        wish="surface",
        sources=("https://github.com/CherryHQ/cherry-studio/issues/11287",),
    ),
    Fault(
        name="envelope.error_detail",
        play=reshape(lambda _envelope: {"detail": "The request failed."}),
        meaning="The error is one detail, with the status of success.",
        slot="error",
        draw="depends",
        wish="surface",
        stays=_stays.ELSEWHERE,
        sources=("https://github.com/earendil-works/pi/issues/7748",),
    ),
    Fault(
        name="envelope.error_beside_null_choices",
        play=put("choices", None, ("error", {"message": "Provider returned error", "code": 502})),
        meaning="An error stands beside choices that are null.",
        touches=("choices",),
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/openai/openai-agents-python/pull/2850",),
    ),
    Fault(
        name="envelope.error_beside_answer",
        play=_beside_answer,
        meaning="An error stands beside half an answer.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/maximhq/bifrost/issues/5425",),
    ),
    Fault(
        name="envelope.choice_error",
        play=put("choice", _FAILED_CHOICE),
        meaning="The error is inside the choice.",
        touches=("choice", "message"),
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/promptfoo/promptfoo/pull/9872",),
    ),
    Fault(
        name="envelope.choice_error_retry_after",
        play=_failed_choice_retry_after,
        meaning="The error is inside the choice, with a wait in a header of a success.",
        touches=("choice", "message"),
        slot="error",
        draw="fresh",
        wish="retry_after",
        stays=_stays.NOT_READ,
        sources=("https://github.com/promptfoo/promptfoo/pull/9872",),
        parameters=(Parameter("seconds", 7, minimum=1, maximum=600),),
    ),
)
