"""Answers that a failure ended, and the reason that says so."""

from __future__ import annotations

import dataclasses
from typing import Final

from pytest_llmfaults._faults._edit import ABSENT, UNSAID
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults.finish import choice, cut, says
from pytest_llmfaults._faults.usage import numbers, uncounted
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]


def _native(base: Healthy) -> Reply:
    message = {"role": "assistant", "content": None, "refusal": None, "reasoning": None}
    play = choice("error", native_finish_reason="MALFORMED_FUNCTION_CALL", message=message)
    return numbers(lambda _number: 0)(dataclasses.replace(base, reply=play(base)))


ROWS: Final = (
    Fault(
        name="finish.error",
        play=says("error", UNSAID),
        meaning="The generation failed and there is no text.",
        slot="finish",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/2844",
            "https://github.com/BerriAI/litellm/issues/23273",
        ),
    ),
    Fault(
        name="finish.error_partial",
        play=cut("error", usage=uncounted),
        meaning="The generation failed on the way and half the text is there.",
        slot="finish",
        draw="fresh",
        scope="partial",
        wish="retry",
        sources=("https://github.com/maximhq/bifrost/issues/5425",),
    ),
    Fault(
        name="finish.error_native",
        play=_native,
        meaning="The generation failed and the reason of the upstream stands beside.",
        touches=("choice", "message"),
        slot="finish",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/BerriAI/litellm/issues/23273",
            "https://github.com/langchain-ai/langchain-google/issues/1207",
        ),
    ),
    Fault(
        name="finish.abort",
        play=cut("abort"),
        meaning="The server aborted the generation.",
        slot="finish",
        draw="fresh",
        scope="partial",
        wish="retry",
        sources=("https://github.com/vllm-project/vllm/issues/57082", "https://github.com/superlinked/sie/pull/284"),
    ),
    Fault(
        name="finish.network_error",
        play=cut("network_error"),
        meaning="The upstream lost its connection.",
        slot="finish",
        draw="fresh",
        scope="partial",
        wish="retry",
        sources=("https://github.com/pydantic/pydantic-ai/issues/7678",),
    ),
    Fault(
        name="finish.malformed_call",
        play=says("malformed_function_call", UNSAID, ("usage_completion", 0)),
        meaning="The model made a call that the server could not read.",
        slot="finish",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/pydantic/pydantic-ai/pull/3095",
            "https://github.com/pydantic/pydantic-ai/pull/3300",
            "https://github.com/langchain-ai/langchain-google/issues/1207",
        ),
    ),
    Fault(
        name="finish.object_abort",
        play=says({"type": "abort", "message": "Unknown error"}, "[]", ("usage_completion", 1)),
        meaning="The reason is an object that says abort, beside a text that looks good.",
        slot="finish",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/superlinked/sie/pull/284",),
    ),
    Fault(
        name="finish.load",
        play=says("load", "", ("usage", ABSENT)),
        meaning="The server only loaded the model.",
        slot="finish",
        draw="same",
        wish="surface",
        sources=(
            "https://github.com/langchain-ai/langchain-mcp-adapters/issues/111",
            "https://github.com/can1357/oh-my-pi/issues/7465",
        ),
    ),
)
