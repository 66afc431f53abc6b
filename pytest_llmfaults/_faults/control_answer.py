"""Good answers in an unusual form: their text and their thoughts."""

from __future__ import annotations

import json
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._said import resaid, says
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS", "appended"]

_THOUGHT: Final = "First I look at the question."
_NOT_ASCII: Final = " \u00e9 \u2713 \U0001f600"
_DETAILS: Final = (
    {"type": "reasoning.text", "text": "First I look.", "format": "unknown", "index": 0},
    {"type": "reasoning.encrypted", "data": "AAAA", "format": "unknown", "index": 1},
)
_SIGNED: Final = (
    {"type": "reasoning.text", "text": "", "signature": "c2ln", "format": "anthropic-claude-v1", "index": 0},
)


def _thinks(**fields: Any) -> Play:
    """Make a fault that adds thoughts to the message."""
    return rewrite("message", lambda message: {**message, **fields})


def appended(more: str, slot: str | None = None) -> Play:
    """Make a fault that adds to a text of the answer."""
    return says(lambda text: text + more, slot)


def _escaped(base: Healthy) -> Reply:
    envelope = resaid(base, lambda text: text + _NOT_ASCII)
    return base.reply.with_body(json.dumps(envelope, ensure_ascii=True).encode())


ROWS: Final = (
    Fault(
        name="control.think_mentioned",
        play=appended(" (The tag <think> marks a thought.)"),
        meaning="The good text speaks about the tag of a thought.",
        slot="content",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/bytedance/deer-flow/pull/3218",),
    ),
    Fault(
        name="control.line_separator",
        play=appended("\u2028\u0085end"),
        meaning="The good text holds line separators of Unicode.",
        slot="content",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/langgenius/dify/pull/39008", "https://github.com/kagent-dev/kagent/pull/1480"),
    ),
    Fault(
        name="control.non_ascii",
        play=appended(_NOT_ASCII),
        meaning="The good text is not ASCII and is sent raw.",
        slot="content",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/databrickslabs/coding-agents-databricks-apps/issues/97",
            "https://github.com/vllm-project/vllm/pull/38732",
        ),
    ),
    Fault(
        name="control.ascii_escaped",
        play=_escaped,
        meaning="The good text is not ASCII and is sent as escapes.",
        slot="content",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/mem0ai/mem0/issues/4540",),
        streamed="never",
    ),
    Fault(
        name="control.reasoning_content",
        play=put("reasoning", _THOUGHT),
        meaning="The thoughts stand in their own field beside the good text.",
        slot="reasoning",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/microsoft/autogen/issues/7127",
            "https://api-docs.deepseek.com/zh-cn/guides/thinking_mode/",
        ),
    ),
    Fault(
        name="control.reasoning",
        play=_thinks(reasoning=_THOUGHT),
        meaning="The thoughts stand in the newer field beside the good text.",
        touches=("message", "message_fields"),
        slot="reasoning",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=(
            "https://github.com/NVIDIA/NemoClaw/issues/8878",
            "https://docs.vllm.ai/en/v0.26.0/features/reasoning_outputs/",
        ),
    ),
    Fault(
        name="control.reasoning_details",
        play=_thinks(reasoning="First I look.", reasoning_details=_DETAILS),
        meaning="The thoughts stand in a list of details beside the good text.",
        touches=("message", "message_fields"),
        slot="reasoning",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/3658",
            "https://novita.ai/docs/guides/llm-interleaved-thinking.md",
        ),
    ),
    Fault(
        name="control.reasoning_signature",
        play=_thinks(reasoning_details=_SIGNED),
        meaning="The thoughts are empty and signed, beside the good text.",
        touches=("message", "message_fields"),
        slot="reasoning",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/pipecat-ai/pipecat/pull/5183",),
    ),
    Fault(
        name="control.reasoning_empty",
        play=put("reasoning", ""),
        meaning="The field of the thoughts is empty beside the good text.",
        slot="reasoning",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/opentiny/tiny-robot/pull/330", "https://github.com/HKUDS/nanobot/issues/946"),
    ),
)
