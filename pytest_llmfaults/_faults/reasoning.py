"""Thoughts where the answer belongs, and answers where the thoughts belong."""

from __future__ import annotations

import functools
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._message import THOUGHT, beside, halves, only
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

SHORT: Final = "First I look."
EMPTY_DETAIL: Final = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}


def whole(text: str) -> str:
    """Return the text of the answer, for the field where it does not belong."""
    return text


def details(text: str) -> Any:
    """Return ``text`` as a list of reasoning details."""
    return [{"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}]


def think_tag(base: Healthy, tag: str) -> Reply:
    """Put thoughts in tags before the text."""
    return beside(lambda text: f"<{tag}>{THOUGHT}</{tag}>\n\n{text}")(base)


def harmony(text: str) -> str:
    """Return thoughts and text with the channel markers between them."""
    thoughts = f"<|channel|>analysis<|message|>{SHORT}<|end|>"
    return f"{thoughts}<|start|>assistant<|channel|>final<|message|>{text}"


def text_part(text: str) -> Any:
    """Return a part of text."""
    return {"type": "text", "text": text}


def thinking(*texts: str) -> Any:
    """Return a part of thoughts."""
    return {"type": "thinking", "thinking": [text_part(text) for text in texts]}


def interleaved(text: str) -> Any:
    """Return parts that alternate between thoughts and text; the second thought is empty."""
    first, rest = halves(text)
    return [thinking(SHORT), text_part(first), thinking(), text_part(rest)]


_silent = functools.partial(Fault, slot="reasoning", draw="depends", wish="reask")
_mixed = functools.partial(Fault, slot="reasoning", draw="same", scope="partial", wish="survive")

ROWS: Final = (
    _silent(
        name="reasoning.only_reasoning",
        play=only("", ("reasoning", whole)),
        meaning="The whole answer is in the reasoning field and the content is empty.",
        sources=(
            "https://github.com/agentscope-ai/agentscope-java/pull/2755",
            "https://github.com/mem0ai/mem0/pull/4937",
            "https://github.com/thedotmack/claude-mem/pull/4017",
        ),
    ),
    _silent(
        name="reasoning.only_reasoning_null",
        play=only(None, ("reasoning", whole), ("tool_calls", [])),
        meaning="The whole answer is in the reasoning field and the content is null.",
        touches=("message", "message_fields"),
        sources=(
            "https://github.com/vllm-project/vllm/issues/17357",
            "https://github.com/vllm-project/vllm/issues/19839",
        ),
    ),
    _silent(
        name="reasoning.only_reasoning_absent",
        play=only(ABSENT, ("reasoning", whole)),
        meaning="The whole answer is in the reasoning field and there is no content.",
        sources=(
            "https://github.com/langchain-ai/langchain/pull/3861",
            "https://github.com/vllm-project/vllm/issues/17357",
        ),
    ),
    _silent(
        name="reasoning.only_reasoning_newline",
        play=only("\n", ("reasoning", whole)),
        meaning="The whole answer is in the reasoning field and the content is a line end.",
        sources=("https://github.com/NVIDIA/TensorRT-LLM/pull/12912",),
    ),
    _silent(
        name="reasoning.only_thoughts",
        play=only("", ("reasoning", THOUGHT)),
        meaning="There are thoughts, which are not the answer, and an empty content.",
        sources=("https://github.com/thedotmack/claude-mem/pull/4017",),
    ),
    _silent(
        name="reasoning.only_in_reasoning",
        play=only(None, ("reasoning", None), keys={"reasoning": whole}),
        meaning="The whole answer is in the newer reasoning field.",
        touches=("message", "message_fields"),
        sources=(
            "https://github.com/NVIDIA/NemoClaw/issues/8878",
            "https://github.com/BerriAI/litellm/pull/24019",
        ),
    ),
    _silent(
        name="reasoning.only_in_details",
        play=only("", keys={"reasoning_details": details}),
        meaning="The whole answer is in the list of reasoning details.",
        touches=("message", "message_fields"),
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/3658",
            "https://github.com/BerriAI/litellm/issues/9100",
        ),
    ),
    _silent(
        name="reasoning.only_in_both",
        play=only("", ("reasoning", whole), keys={"reasoning": whole}),
        meaning="The whole answer is in both reasoning fields.",
        touches=("message", "message_fields"),
        stays="A client that joins both fields has the thought twice.",
        sources=("https://docs.vllm.ai/en/v0.11.2/features/reasoning_outputs/",),
    ),
    _silent(
        name="reasoning.only_in_thinking",
        play=only("", keys={"thinking": whole}),
        meaning="The whole answer is in the field for thinking.",
        touches=("message", "message_fields"),
        stays=_stays.ELSEWHERE,
        sources=("https://github.com/HarperFast/harper/issues/1805",),
    ),
    _silent(
        name="reasoning.only_in_tags",
        play=only(lambda text: f"<think>{text}</think>"),
        meaning="The content is a thought in tags and nothing else.",
        sources=("https://github.com/bytedance/deer-flow/pull/3218",),
    ),
    Fault(
        name="reasoning.ate_budget",
        play=only("", ("reasoning", THOUGHT), finish="length", tokens="budget", thought="budget"),
        slot="reasoning",
        draw="same",
        wish="surface",
        meaning="The thoughts used the budget and the content is empty.",
        sources=("https://github.com/codecoradev/cora-code/pull/537",),
    ),
    Fault(
        name="reasoning.ate_budget_hidden",
        play=only("", finish="length", tokens="budget", thought="budget"),
        slot="reasoning",
        touches=("usage_reasoning",),
        draw="same",
        wish="surface",
        meaning="Hidden thoughts used the budget and the content is empty.",
        sources=(
            "https://github.com/plastic-labs/honcho/issues/928",
            "https://github.com/google/adk-python/issues/1357",
        ),
    ),
    _silent(
        name="reasoning.hidden_then_empty",
        play=only("", tokens=24, thought=24),
        touches=("usage_reasoning",),
        meaning="Hidden thoughts were counted and the content is empty.",
        sources=("https://github.com/llmsresearch/paperbanana/pull/218",),
    ),
    _mixed(
        name="reasoning.think_tag",
        play=think_tag,
        meaning="The thoughts stand in tags before the answer.",
        parameters=(Parameter("tag", "think", choices=("think", "thinking", "reasoning", "thought")),),
        sources=(
            "https://github.com/plastic-labs/honcho/issues/771",
            "https://github.com/microsoft/autogen/issues/7127",
        ),
    ),
    _mixed(
        name="reasoning.think_brackets",
        play=beside(lambda text: f"[THINK]{THOUGHT}[/THINK]{text}"),
        meaning="The thoughts stand between brackets before the answer.",
        sources=(
            "https://github.com/RooCodeInc/Roo-Code/issues/8522",
            "https://github.com/Pasta-Devs/Marinara-Engine/issues/2544",
        ),
    ),
    _mixed(
        name="reasoning.think_empty",
        play=beside(lambda text: f"<think>\n\n</think>\n\n{text}"),
        meaning="An empty pair of tags stands before the answer.",
        sources=("https://github.com/opentiny/tiny-robot/pull/330",),
    ),
    _silent(
        name="reasoning.think_unclosed",
        play=only("<think>First I look at the"),
        meaning="The thoughts start with a tag that is never closed.",
        sources=("https://github.com/bytedance/deer-flow/pull/3218",),
    ),
    _mixed(
        name="reasoning.think_close_only",
        play=beside(lambda text: f"{THOUGHT}</think>\n\n{text}"),
        meaning="The thoughts end with a tag that was never opened.",
        sources=(
            "https://github.com/QwenLM/qwen-code/pull/6033",
            "https://docs.sglang.io/docs/advanced_features/separate_reasoning",
        ),
    ),
    _silent(
        name="reasoning.think_nested",
        play=only(lambda text: f"<thinking><thinking>{SHORT}</thinking>{text}"),
        meaning="The tags are nested and the outer one is not closed.",
        sources=("https://github.com/QwenLM/qwen-code/pull/8818",),
    ),
    _mixed(
        name="reasoning.prose",
        play=beside(lambda text: f"THOUGHT: {THOUGHT}\n\n{text}"),
        meaning="The thoughts stand in the text with a word in front.",
        sources=("https://github.com/googleapis/python-genai/issues/2121",),
    ),
    _mixed(
        name="reasoning.harmony_words",
        play=beside(lambda text: f"analysis{THOUGHT}assistantfinal{text}"),
        meaning="The channel names are left in the text without their markers.",
        sources=("https://github.com/oobabooga/textgen/issues/7374",),
    ),
    _mixed(
        name="reasoning.harmony_tokens",
        play=beside(harmony),
        meaning="The channel markers are left in the text.",
        sources=(
            "https://github.com/oobabooga/textgen/issues/7374",
            "https://docs.sglang.io/docs/advanced_features/separate_reasoning",
        ),
    ),
    _mixed(
        name="reasoning.parts",
        play=beside(lambda text: [thinking(SHORT), text_part(text)]),
        meaning="The content is a list of a thinking part and a text part.",
        touches=("message", "message_fields"),
        sources=(
            "https://github.com/simonw/llm-mistral/issues/38",
            "https://github.com/openlit/openlit/issues/1597",
            "https://github.com/alexzhang13/rlm/pull/187",
        ),
    ),
    _mixed(
        name="reasoning.parts_interleaved",
        play=beside(interleaved),
        meaning="The content alternates between thinking and text, with an empty thought.",
        touches=("message", "message_fields"),
        sources=("https://github.com/mistralai/client-python/issues/252",),
    ),
    _mixed(
        name="reasoning.object",
        play=put("reasoning", {"text": SHORT}),
        meaning="The reasoning is an object beside a good answer.",
    ),
    _mixed(
        name="reasoning.list",
        play=put("reasoning", [SHORT]),
        meaning="The reasoning is a list beside a good answer.",
    ),
    _mixed(
        name="reasoning.details_without_text",
        play=rewrite("message", lambda message: {**message, "reasoning_details": [EMPTY_DETAIL]}),
        meaning="A reasoning detail has no text, beside a good answer.",
        touches=("message", "message_fields"),
        stays="Code that joins the texts of the details raises KeyError.",
        sources=("https://github.com/pydantic/pydantic-ai/issues/3658",),
    ),
)
