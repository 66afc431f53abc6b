"""Valid JSON of the wrong shape."""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults._faults._edit import ABSENT, put, reshape, rewrite
from pytest_llmfaults._faults._fault import Fault

__all__ = ["ROWS"]


def _error(code: int, message: str) -> dict[str, Any]:
    error = {"message": message, "code": code, "metadata": {"provider_name": "upstream"}}
    return {"error": error, "user_id": "user-1"}


ROWS: Final = (
    Fault(
        name="envelope.choices_absent",
        play=put("choices", ABSENT),
        meaning="The reply has no choices.",
        slot="choices",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/langchain-ai/langchainjs/issues/11417",
            "https://github.com/zilliztech/deep-searcher/pull/266",
        ),
    ),
    Fault(
        name="envelope.choices_null",
        play=put("choices", None),
        meaning="The choices are null.",
        slot="choices",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/openai/openai-agents-python/pull/2850",
            "https://github.com/langchain-ai/langchain/pull/35236",
            "https://github.com/BerriAI/litellm/issues/3381",
        ),
    ),
    Fault(
        name="envelope.choices_empty",
        play=put("choices", []),
        meaning="The list of choices is empty.",
        slot="choices",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/BerriAI/litellm/issues/40276",
            "https://github.com/zilliztech/deep-searcher/pull/266",
        ),
    ),
    Fault(
        name="envelope.choices_object",
        play=rewrite("choices", lambda choices: choices[0]),
        meaning="The choices are one object instead of a list.",
        slot="choices",
        draw="same",
        wish="once",
        sources=("https://github.com/langchain-ai/langchainjs/issues/11417",),
    ),
    Fault(
        name="envelope.error_429",
        play=reshape(lambda _envelope: _error(429, "Rate limit exceeded")),
        meaning="A rate limit is reported with the status of success.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/527",
            "https://github.com/OpenRouterTeam/python-sdk/issues/44",
        ),
    ),
)
