"""Messages of the wrong shape, their role, and the index of their choice."""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, put, reshape, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else ""


def _as_string(base: Healthy) -> Reply:
    """Say the text in the place of the message; a message that only calls tools says nothing."""
    return put("message", _text(base.held("content")))(base)


def _of_another(base: Healthy) -> Reply:
    """Give the role that the answer has on another wire."""
    return put("role", "assistant" if base.value("role") == "model" else "model")(base)


def _renamed(envelope: Any, kind: str, choice: Any) -> Any:
    return {**envelope, "object": kind, "choices": [choice]}


def _as_text(envelope: Any) -> Any:
    choice = envelope["choices"][0]
    old = {"index": 0, "text": _text(choice["message"]["content"]), "logprobs": None, "finish_reason": "stop"}
    return _renamed(envelope, "text_completion", old)


def _as_delta(envelope: Any) -> Any:
    choice = dict(envelope["choices"][0])
    return _renamed(envelope, "chat.completion.chunk", {"delta": choice.pop("message"), **choice})


ROWS: Final = (
    Fault(
        name="envelope.message_absent",
        play=put("message", ABSENT),
        meaning="The choice has no message.",
        slot="message",
        draw="same",
        wish="once",
        stays="The choice has a finish reason: code that branches on it first goes on.",
        sources=(
            "https://github.com/FoundationAgents/OpenManus/pull/1369",
            "https://github.com/posit-dev/chatlas/pull/429",
        ),
    ),
    Fault(
        name="envelope.message_null",
        play=put("message", None),
        meaning="The message is null.",
        slot="message",
        draw="same",
        wish="once",
        stays=_stays.WRONG_TYPE,
        sources=("https://github.com/zilliztech/deep-searcher/pull/266",),
    ),
    Fault(
        name="envelope.message_empty",
        play=put("message", {}),
        meaning="The message is an empty object.",
        slot="message",
        draw="same",
        wish="once",
        sources=("https://github.com/langchain-ai/langchain/pull/3861",),
    ),
    Fault(
        name="envelope.message_string",
        play=_as_string,
        meaning="The message is a string.",
        slot="message",
        draw="same",
        wish="once",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.message_list",
        play=rewrite("message", lambda message: [message]),
        meaning="The message is a list.",
        slot="message",
        draw="same",
        wish="once",
        stays=_stays.WRONG_TYPE,
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.message_as_text",
        play=reshape(_as_text),
        meaning="The choice has the field of the old completions.",
        slot="message",
        touches=("choice",),
        draw="same",
        wish="once",
        stays=_stays.ELSEWHERE,
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.message_as_delta",
        play=reshape(_as_delta),
        meaning="The choice has the field of a stream.",
        slot="message",
        touches=("choice",),
        draw="same",
        wish="once",
        stays=_stays.ELSEWHERE,
        sources=("https://github.com/BerriAI/litellm/issues/25766",),
        streamed="never",
        instead=("stream.delta_as_message",),
    ),
    Fault(
        name="envelope.role_absent",
        play=put("role", ABSENT),
        meaning="The message has no role.",
        slot="role",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.role_null",
        play=put("role", None),
        meaning="The role is null.",
        slot="role",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.role_unknown",
        play=_of_another,
        meaning="The role is not the one of an assistant.",
        slot="role",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.index_one",
        play=put("index", 1),
        meaning="The index of the only choice, or of the first vector, is one.",
        slot="index",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://github.com/BerriAI/litellm/issues/3678",),
    ),
    Fault(
        name="envelope.index_absent",
        play=put("index", ABSENT),
        meaning="The choice, or the vector, has no index.",
        slot="index",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.index_null",
        play=put("index", None),
        meaning="The index is null.",
        slot="index",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="envelope.index_string",
        play=put("index", "0"),
        meaning="The index is a string.",
        slot="index",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
)
