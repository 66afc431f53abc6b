"""Good calls and good data in an unusual form."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, Play, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._said import says
from pytest_llmfaults._faults.control_answer import appended
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]


def _no_calls(value: Any) -> Play:
    """Make a fault that gives an answer without calls an empty form of them."""

    def play(base: Healthy) -> Reply:
        if base.value("tool_calls"):
            msg = "the answer calls tools, which this would take away. Give an answer without tool calls."
            raise DoesNotApply(msg)
        return put("tool_calls", value)(base)

    return play


def _numbered(base: Healthy) -> Reply:
    """Give each call an id that is made of its name and number."""
    found = []
    for index, call in enumerate(base.held("tool_calls")):
        one = dataclasses.replace(base, reply=put("tool_calls", [call])(base))
        numbered = put("tool_call_id", f"functions.{one.held('function_name')}:{index}")(one)
        found += dataclasses.replace(base, reply=numbered).held("tool_calls")
    return put("tool_calls", found)(base)


def _indented(text: str) -> str:
    return json.dumps(json.loads(text), indent=2, ensure_ascii=False)


ROWS: Final = (
    Fault(
        name="control.tool_calls_empty",
        play=_no_calls([]),
        meaning="The good text stands beside an empty list of calls.",
        touches=("message", "message_fields"),
        slot="tool_calls",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/vllm-project/vllm/issues/17357", "https://github.com/microsoft/autogen/pull/5223"),
    ),
    Fault(
        name="control.tool_calls_null",
        play=_no_calls(None),
        meaning="The good text stands beside calls that are null.",
        touches=("message", "message_fields"),
        slot="tool_calls",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/microsoft/autogen/pull/5223",),
    ),
    Fault(
        name="control.tool_calls_content_empty",
        play=put("content", ""),
        meaning="The good calls stand beside an empty text.",
        slot="content",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/bojieli/ai-agent-book/pull/739",),
        needs="tool_calls",
    ),
    Fault(
        name="control.tool_calls_content_absent",
        play=put("content", ABSENT),
        meaning="The good calls stand in a message without content.",
        touches=("message", "message_fields"),
        slot="content",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=(
            "https://github.com/bojieli/ai-agent-book/pull/739",
            "https://github.com/huggingface/smolagents/pull/2036",
        ),
        needs="tool_calls",
    ),
    Fault(
        name="control.tool_calls_content_text",
        play=put("content", "Let me look."),
        meaning="The good calls stand beside a text.",
        slot="content",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/vercel/workflow/issues/1387",),
        needs="tool_calls",
    ),
    Fault(
        name="control.tool_calls_id_foreign",
        play=_numbered,
        meaning="The good calls have ids of another form.",
        slot="tool_call_id",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/vybestack/llxprt-code/pull/750",),
        needs="tool_calls",
    ),
    Fault(
        name="control.arguments_pretty",
        play=rewrite("arguments", lambda text: f"\n{_indented(text)}\n"),
        meaning="The good arguments are indented and padded.",
        touches=("argument_text",),
        slot="arguments",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/librefang/librefang/pull/2995",),
        needs="tool_calls",
    ),
    Fault(
        name="control.arguments_inner_json",
        play=says(lambda text: '{"a": 1}'.ljust(len(text)), "arguments"),
        meaning="A value of the good arguments is a text that looks like JSON.",
        slot="arguments",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/MoonshotAI/kimi-cli/pull/2513",),
        needs="tool_calls",
    ),
    Fault(
        name="control.data_pretty",
        play=rewrite("structured", _indented),
        meaning="The good data is indented.",
        slot="structured",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/ollama/ollama/issues/2577",),
        needs="data",
    ),
    Fault(
        name="control.data_padded",
        play=rewrite("structured", lambda text: f"\n\n  {text}\n"),
        meaning="The good data has white space around.",
        slot="structured",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/ollama/ollama/issues/2577",),
        needs="data",
    ),
    Fault(
        name="control.data_fence_inside",
        play=appended("\n```json\n{}\n```", "structured"),
        meaning="A value of the good data holds a fence.",
        slot="structured",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/vectorize-io/hindsight/issues/2542",
            "https://github.com/langchain-ai/langchain/issues/19646",
        ),
        needs="data",
    ),
    Fault(
        name="control.data_braces_inside",
        play=appended(" {a} [b] }", "structured"),
        meaning="A value of the good data holds braces and brackets.",
        slot="structured",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/juspay/neurolink/pull/1304",),
        needs="data",
    ),
)
