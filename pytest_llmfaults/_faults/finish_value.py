"""Finish reasons that are missing, of the wrong type, in other words, or that do not fit the message."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, chain, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults.finish import of_another
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]


def _text_alone(base: Healthy) -> Reply:
    text = base.value("content") or "Let me look that up."
    return put("content", text, ("tool_calls", ABSENT), ("finish", "tool_calls"))(base)


ROWS: Final = (
    Fault(
        name="finish.absent",
        play=put("finish", ABSENT),
        meaning="The choice has no finish reason.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/vllm-project/vllm/issues/27572",),
    ),
    Fault(
        name="finish.null",
        play=put("finish", None),
        meaning="The finish reason is null.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=(
            "https://github.com/vllm-project/vllm/issues/27572",
            "https://github.com/waybarrios/vllm-mlx/pull/673",
        ),
    ),
    Fault(
        name="finish.empty",
        play=put("finish", ""),
        meaning="The finish reason is an empty string.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/BerriAI/litellm/pull/20732",),
    ),
    Fault(
        name="finish.object",
        play=put("finish", {"type": "stop", "matched": None}),
        meaning="The finish reason is an object.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="surface",
        sources=("https://github.com/superlinked/sie/pull/284",),
    ),
    Fault(
        name="finish.number",
        play=put("finish", 0),
        meaning="The finish reason is a number.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="surface",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="finish.eos",
        play=put("finish", "eos"),
        meaning="A good end has another name.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/vibrantlabsai/ragas/issues/1548",),
    ),
    Fault(
        name="finish.eos_token",
        play=put("finish", "eos_token"),
        meaning="A good end has the name of a token.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/huggingface/text-generation-inference/pull/2344",
            "https://github.com/vibrantlabsai/ragas/issues/1548",
        ),
    ),
    Fault(
        name="finish.stop_upper",
        play=chain(put("finish", "stop"), rewrite("finish", str.upper)),
        meaning="A good end is in capitals.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/google/adk-python/issues/2905",),
    ),
    Fault(
        name="finish.end_turn",
        play=of_another("stop", "end_turn"),
        meaning="A good end has the name of another provider.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/CangShui/workbuddy-gateway/pull/3",),
    ),
    Fault(
        name="finish.unknown",
        play=put("finish", "unknown"),
        meaning="The finish reason is a word that nobody knows.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/vercel/workflow/issues/1387",
            "https://github.com/googleapis/python-genai/issues/2937",
        ),
    ),
    Fault(
        name="finish.tool_calls_without_calls",
        play=put("content", "", ("tool_calls", ABSENT), ("finish", "tool_calls")),
        meaning="The reason announces tool calls and there are none.",
        slot="finish",
        draw="depends",
        wish="reask",
        sources=("https://github.com/mastra-ai/mastra/pull/14187", "https://github.com/askui/python-sdk/pull/278"),
    ),
    Fault(
        name="finish.tool_calls_with_text",
        play=_text_alone,
        meaning="The reason announces tool calls and there is only a good text.",
        slot="finish",
        draw="depends",
        scope="partial",
        wish="survive",
        sources=("https://github.com/mastra-ai/mastra/pull/14187", "https://github.com/microsoft/autogen/pull/5223"),
    ),
)
