"""Valid JSON of another shape than the envelope's: at the top, and in the list of choices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, put, reshape, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_MAIN: Final = ("id", "choices", "created", "model", "object", "usage")
_NAMING: Final = ("id", "choices", "output_items", "blocks", "model", "object")


def _text(base: Healthy) -> str:
    """Return the text of the answer, empty when a tool is called."""
    text = base.value("content")
    return text if isinstance(text, str) else ""


def _keys(base: Healthy, slots: Iterable[str]) -> list[str | int]:
    """Return the keys of those slots that stand at the top of the envelope."""
    paths = [base.wire.slots[slot].find({}) for slot in slots if slot in base.wire.slots]
    return [path[0] for path in paths if path is not None and len(path) == 1]


def _whole(value: Any) -> Any:
    """Make a fault whose whole body is ``value``."""
    return reshape(lambda _envelope: value)


def _nested(base: Healthy, key: str) -> Reply:
    return base.with_envelope({**dict.fromkeys(_keys(base, _NAMING)), key: base.envelope()})


def _all_null(base: Healthy) -> Reply:
    main, kept = _keys(base, _MAIN), _keys(base, ("created",))
    envelope = base.envelope()
    return base.with_envelope({key: envelope[key] if key in kept else None for key in envelope if key in main})


ROWS: Final = (
    Fault(
        name="envelope.top_null",
        play=_whole(None),
        meaning="The body is the JSON null.",
        draw="same",
        wish="once",
        sources=("https://github.com/open-webui/open-webui/issues/28938",),
    ),
    Fault(
        name="envelope.top_object_empty",
        play=_whole({}),
        meaning="The body is an empty object.",
        draw="same",
        wish="once",
        sources=("https://github.com/langchain-ai/langchainjs/issues/11417",),
    ),
    Fault(
        name="envelope.top_list_empty",
        play=_whole([]),
        meaning="The body is an empty list.",
        draw="same",
        wish="once",
        sources=("https://github.com/BerriAI/litellm/issues/1242",),
    ),
    Fault(
        name="envelope.top_list",
        play=reshape(lambda envelope: [envelope]),
        meaning="The good reply is wrapped in a list.",
        draw="same",
        wish="once",
        sources=("https://github.com/BerriAI/litellm/issues/1242",),
    ),
    Fault(
        name="envelope.top_string",
        play=_whole("ok"),
        meaning="The body is a JSON string.",
        draw="same",
        wish="once",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.top_number",
        play=_whole(0),
        meaning="The body is a number.",
        draw="same",
        wish="once",
        sources=("https://github.com/vectorize-io/hindsight/pull/490",),
    ),
    Fault(
        name="envelope.top_true",
        play=_whole(True),
        meaning="The body is the JSON true.",
        draw="same",
        wish="once",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.nested",
        play=_nested,
        meaning="The good reply sits inside another field.",
        draw="same",
        wish="once",
        stays=_stays.ELSEWHERE,
        sources=("https://github.com/pydantic/pydantic-ai/issues/3994",),
        parameters=(Parameter("key", "provider", choices=("provider", "data", "result", "response")),),
    ),
    Fault(
        name="envelope.all_null",
        play=_all_null,
        meaning="All fields are null except the time.",
        slot="choices",
        draw="fresh",
        wish="retry",
        stays="Every field is there: code that tests for keys takes it for an answer.",
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
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
        stays=_stays.INDEXED,
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
        name="envelope.choices_string",
        play=lambda base: put("choices", _text(base))(base),
        meaning="The choices are a string.",
        slot="choices",
        draw="same",
        wish="once",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.choices_number",
        play=put("choices", 1),
        meaning="The choices are a number.",
        slot="choices",
        draw="same",
        wish="once",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.choices_null_item",
        play=put("choices", [None]),
        meaning="The only choice is null.",
        slot="choices",
        draw="same",
        wish="once",
        sources=("https://github.com/FoundationAgents/OpenManus/pull/1369",),
    ),
    Fault(
        name="envelope.choices_empty_item",
        play=put("choices", [{}]),
        meaning="The only choice is an empty object.",
        slot="choices",
        draw="same",
        wish="once",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.choices_string_item",
        play=lambda base: put("choices", [_text(base)])(base),
        meaning="The only choice is a string.",
        slot="choices",
        draw="same",
        wish="once",
        stays=_stays.WRONG_TYPE,
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.choices_list_item",
        play=rewrite("choices", lambda choices: [choices]),
        meaning="The only choice is a list.",
        slot="choices",
        draw="same",
        wish="once",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.prompt_blocked",
        play=put("choices", [], ("usage_completion", 0), ("prompt_filter", "violence")),
        meaning="The prompt is blocked: no choice, and the result of a filter.",
        touches=("prompt_filter",),
        slot="choices",
        draw="same",
        wish="surface",
        sources=(
            "https://github.com/vercel/ai/issues/4235",
            "https://github.com/langchain-ai/langchain-google/issues/936",
            "https://github.com/BerriAI/litellm/issues/40276",
        ),
    ),
)
