"""Rules on what a turn says: its content, and the reasoning of the model."""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._rules._rule import BEDROCK, GEMINI, MISTRAL, ON_BOTH, Breach, Rule, refuses
from pytest_llmfaults._turns import calls_of, role_of, turns

__all__ = ["ROWS"]

_COHERE: Final = "cohere.chat"
_INSTEAD: Final = ("tool_calls", "function_call", "refusal", "audio")
"""What an assistant turn may hold instead of a content."""


def _is_empty_text(part: Any) -> bool:
    kind = part.get("type", "text" if "text" in part or not part else None) if isinstance(part, dict) else None
    return kind == "text" and not part.get("text")


def _is_empty(message: dict[str, Any]) -> bool:
    if isinstance(message.get("parts"), list):  # of Gemini, which takes an empty text for a part
        return not message["parts"]
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    said = any(part and not _is_empty_text(part) for part in parts)
    return not said and not (role_of(message) == "assistant" and any(message.get(key) for key in _INSTEAD))


def _says_nothing(request: Request) -> Breach | None:
    for index, message in turns(request.messages):
        if _is_empty(message):
            return Breach(f"messages[{index}], with the role {role_of(message)}, is empty", index)
    return None


def _empty_part(request: Request) -> Breach | None:
    for index, message in turns(request.messages):
        content = message.get("content")
        if isinstance(content, list) and any(map(_is_empty_text, content)):
            return Breach(f"messages[{index}] has a text part that is empty", index)
    return None


def _without_reasoning(request: Request, *, empty_is_good: bool) -> Breach | None:
    for index, message in turns(request.messages):
        reasoning = message.get("reasoning_content")
        good = isinstance(reasoning, str) and (empty_is_good or reasoning)
        if calls_of(message) and not good:
            shown = f"the reasoning_content {reasoning!r}" if "reasoning_content" in message else "no reasoning_content"
            return Breach(f"messages[{index}] calls tools and has {shown}", index)
    return None


def _absent_reasoning(request: Request) -> Breach | None:
    return _without_reasoning(request, empty_is_good=True)


def _absent_or_empty_reasoning(request: Request) -> Breach | None:
    return _without_reasoning(request, empty_is_good=False)


def _with_reasoning(request: Request) -> Breach | None:
    for index, message in turns(request.messages):
        if "reasoning_content" in message:
            return Breach(f"messages[{index}] has a reasoning_content", index)
    return None


ROWS: Final = (
    Rule(
        name="turn.content_non_empty",
        broken=_says_nothing,
        refusal=refuses(
            "Message at index {index} must have non-empty content.",
            words={
                GEMINI: "Unable to submit request because it must include at least one parts field.",
                BEDROCK: "The content field in the Message object at messages.{index} is empty.",
                _COHERE: "invalid request: the message of turn {index} is empty.",
            },
        ),
        wires=(*ON_BOTH, GEMINI, BEDROCK, _COHERE, MISTRAL),
        meaning="No turn is empty: it has a content, or calls tools.",
        slot="content",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/3504",
            "https://github.com/langchain-ai/langchain/pull/33390",
            "https://github.com/langchain-ai/langchain/issues/26968",
            "https://docs.cohere.com/reference/errors",
        ),
    ),
    Rule(
        name="turn.text_part_non_empty",
        broken=_empty_part,
        refusal=refuses(
            "Text content blocks must be non-empty.",
            words={BEDROCK: "The text field in a ContentBlock object of messages.{index} is blank."},
        ),
        wires=(*ON_BOTH, BEDROCK),
        meaning="No part of a content is an empty text.",
        slot="content",
        sources=("https://github.com/langchain-ai/langchainjs/pull/9987",),
    ),
    Rule(
        name="turn.reasoning_required",
        broken=_absent_reasoning,
        refusal=refuses(
            "Missing reasoning_content field in the assistant message at message index {index}.",
            "invalid_request_error",
        ),
        meaning="The reasoning of an assistant turn with tool calls comes back, be it an empty text.",
        slot="reasoning",
        by_name=True,
        sources=(
            "https://github.com/openai/openai-agents-python/issues/2155",
            "https://github.com/HKUDS/nanobot/issues/946",
            "https://api-docs.deepseek.com/zh-cn/guides/thinking_mode/",
        ),
    ),
    Rule(
        name="turn.reasoning_non_empty",
        broken=_absent_or_empty_reasoning,
        refusal=refuses("reasoning_content is missing in the assistant tool call message at index {index}."),
        meaning="The reasoning of an assistant turn with tool calls comes back and is not empty.",
        slot="reasoning",
        by_name=True,
        sources=("https://github.com/charmbracelet/crush/issues/2696",),
    ),
    Rule(
        name="turn.reasoning_forbidden",
        broken=_with_reasoning,
        refusal=refuses("reasoning_content is not allowed in an input message."),
        meaning="The model's reasoning does not come back.",
        slot="reasoning",
        by_name=True,
        sources=(
            "https://api-docs.deepseek.com/zh-cn/guides/reasoning_model",
            "https://github.com/janhq/jan/issues/8136",
            "https://github.com/tashfeenahmed/freellmapi/issues/1070",
        ),
    ),
)
