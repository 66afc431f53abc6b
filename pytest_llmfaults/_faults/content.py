"""Perfect envelopes with nothing, or the wrong thing, in the text."""

from __future__ import annotations

import functools
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, chain, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._message import beside, halves, only
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

REFUSAL: Final = "I cannot help with that."
SORRY: Final = "I am sorry, I cannot help with that."
_CHARACTERS: Final = {"space": " ", "newline": "\n", "tab": "\t"}


def whitespace(base: Healthy, character: str, count: int) -> Reply:
    """Answer with ``count`` times a white character."""
    return only(_CHARACTERS[character] * count, tokens=24)(base)


def zeroed(usage: Any) -> Any:
    """Return ``usage`` with 0 for every number."""
    if isinstance(usage, dict):
        return {key: zeroed(value) for key, value in usage.items()}
    return 0 if isinstance(usage, int) else usage


_silent = functools.partial(Fault, slot="content", draw="depends", wish="reask")
_odd = functools.partial(Fault, slot="content", draw="same", scope="partial", wish="surface")

ROWS: Final = (
    _silent(
        name="content.empty",
        play=only("", tokens=24),
        meaning="The answer is an empty text.",
        sources=(
            "https://github.com/plastic-labs/honcho/issues/928",
            "https://github.com/aj47/SpeakMCP/pull/797",
            "https://github.com/stanfordnlp/dspy/issues/8276",
        ),
    ),
    _silent(
        name="content.null",
        play=only(None, tokens=24),
        meaning="The answer is null.",
        sources=(
            "https://github.com/stanfordnlp/dspy/pull/9389",
            "https://github.com/huggingface/smolagents/issues/1896",
            "https://github.com/huggingface/smolagents/issues/1785",
        ),
    ),
    _silent(
        name="content.absent",
        play=only(ABSENT, tokens=24),
        meaning="The message has no content.",
        stays=_stays.INDEXED,
        sources=("https://github.com/langchain-ai/langchain/pull/3861",),
    ),
    _silent(
        name="content.whitespace",
        play=whitespace,
        meaning="The answer is only white space.",
        parameters=(
            Parameter("character", "space", choices=("space", "newline", "tab")),
            Parameter("count", 8, minimum=1, maximum=4096),
        ),
        sources=(
            "https://api-docs.deepseek.com/guides/json_mode.md",
            "https://github.com/NVIDIA/TensorRT-LLM/pull/12912",
            "https://github.com/nornscode/norns/issues/2",
        ),
    ),
    _silent(
        name="content.empty_zero_usage",
        play=chain(only(""), rewrite("usage", zeroed)),
        meaning="The answer is empty and nothing was counted.",
        sources=("https://github.com/BerriAI/litellm/issues/38199",),
    ),
    Fault(
        name="content.empty_length",
        play=only("", finish="length", tokens="budget"),
        slot="content",
        draw="same",
        wish="surface",
        meaning="The answer is empty and the budget is used up.",
        sources=(
            "https://github.com/vectorize-io/hindsight/issues/1656",
            "https://github.com/codecoradev/cora-code/pull/537",
        ),
    ),
    Fault(
        name="content.null_length",
        play=only(None, finish="length", tokens="budget"),
        slot="content",
        draw="same",
        wish="surface",
        meaning="The answer is null and the budget is used up.",
        sources=(
            "https://github.com/argilla-io/distilabel/pull/1179",
            "https://github.com/Tongyi-MAI/MobileWorld/pull/61",
            "https://github.com/unclecode/crawl4ai/pull/1788",
        ),
    ),
    Fault(
        name="content.absent_length",
        play=only(ABSENT, finish="length", tokens="budget"),
        slot="content",
        draw="same",
        wish="surface",
        meaning="There is no content and the budget is used up.",
        stays=_stays.INDEXED,
        sources=("https://github.com/BerriAI/litellm/issues/36881",),
    ),
    _silent(
        name="content.placeholder",
        play=only("Working on it."),
        meaning="The answer only announces that work goes on.",
        sources=("https://github.com/NousResearch/hermes-agent/issues/42503",),
    ),
    Fault(
        name="content.refusal",
        play=only(None, ("refusal", REFUSAL)),
        slot="content",
        draw="same",
        wish="surface",
        meaning="The model refuses, in the field for it.",
        touches=("refusal",),
        sources=(
            "https://github.com/langchain-ai/langchain/issues/39747",
            "https://github.com/pydantic/pydantic-ai/issues/4310",
        ),
    ),
    Fault(
        name="content.refusal_beside_text",
        play=only(SORRY, ("refusal", REFUSAL)),
        slot="content",
        draw="same",
        wish="surface",
        meaning="The model refuses, in the field for it and in the text.",
        touches=("refusal",),
        sources=("https://github.com/pydantic/pydantic-ai/issues/4310",),
    ),
    Fault(
        name="content.refusal_text",
        play=only(SORRY),
        slot="content",
        draw="same",
        wish="surface",
        meaning="The model refuses, in the text only.",
        sources=("https://github.com/pydantic/pydantic-ai/issues/4310",),
    ),
    Fault(
        name="content.parts",
        play=beside(lambda text: [{"type": "text", "text": part} for part in halves(text)]),
        slot="content",
        draw="same",
        scope="partial",
        wish="survive",
        meaning="The content is a list of text parts.",
        sources=(
            "https://github.com/NousResearch/hermes-agent/pull/66809",
            "https://github.com/openlit/openlit/issues/1597",
        ),
    ),
    _silent(
        name="content.parts_empty",
        play=only([], tokens=24),
        meaning="The content is an empty list.",
        sources=(
            "https://github.com/alexzhang13/rlm/issues/178",
            "https://github.com/browser-use/browser-use/pull/4367",
        ),
    ),
    _odd(
        name="content.parts_strings",
        play=beside(halves),
        meaning="The content is a list of strings.",
        sources=("https://github.com/browser-use/browser-use/issues/1321",),
    ),
    _odd(
        name="content.object",
        play=beside(lambda text: {"text": text}),
        meaning="The content is an object.",
    ),
    _odd(
        name="content.number",
        play=beside(42),
        meaning="The content is a number.",
    ),
    _odd(
        name="content.boolean",
        play=beside(False),
        meaning="The content is a boolean.",
    ),
    _odd(
        name="content.lone_surrogate",
        play=beside(lambda text: text + "\ud83d"),
        meaning="The text holds half of a surrogate pair.",
        sources=("https://github.com/mem0ai/mem0/issues/4540",),
    ),
    _odd(
        name="content.nul_character",
        play=beside(lambda text: text + "\0"),
        meaning="The text holds a NUL character.",
    ),
)
