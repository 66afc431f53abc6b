"""Answers that a limit or a filter ended, and the reason that says so."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, UNSAID, Play, chain, put, rewrite, with_value
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS", "choice", "cut", "of_another", "says"]

_TOKENS_LIMIT: Final = 4096
_PARTS: Final = 3
"""Of so many parts of what the model said, the first comes."""

_FILTERED: Final = {"sexual": {"filtered": True, "severity": "medium"}}


def _used_up(base: Healthy, envelope: Any) -> Any:
    """Make the usage say that the limit was reached, on a wire that counts what was said."""
    if "usage_completion" not in base.wire.slots:
        return envelope
    limit = base.request.token_limit
    completion = _TOKENS_LIMIT if limit is None else limit
    envelope = base.put(envelope, "usage_completion", completion)
    if "usage_total" not in base.wire.slots:
        return envelope
    return base.put(envelope, "usage_total", (base.value("usage_prompt") or 0) + completion)


def _begun(base: Healthy) -> Any:
    """Return the envelope with the first part of what the model said: its text, else its first call's arguments."""
    said, calls = base.value("content"), base.value("tool_calls")
    if said:
        envelope = base.put(base.envelope(), "tool_calls", ABSENT)
        return base.put(envelope, "content", said[: len(said) // _PARTS])
    if not calls:
        msg = "it cuts what the model said, and the answer is empty. Give an answer with text."
        raise DoesNotApply(msg)
    envelope = base.put(base.envelope(), "tool_calls", calls[:1])
    arguments = base.value("arguments")
    return base.put(envelope, "arguments", arguments[: len(arguments) // _PARTS])


def cut(reason: str, *, limit: bool = False, usage: Callable[[Healthy], Any] | None = None) -> Play:
    """Make a fault that gives the first part of the answer and ``reason``."""

    def play(base: Healthy) -> Reply:
        envelope = base.put(_begun(base), "finish", reason)
        if usage is not None:
            envelope = base.put(envelope, "usage", usage(base))
        return base.with_envelope(_used_up(base, envelope) if limit else envelope)

    return play


def says(reason: Any, content: Any, *more: tuple[str, Any]) -> Play:
    """Make a fault that puts ``content`` in the place of the whole answer, calls included, and gives ``reason``."""
    return put("content", content, ("tool_calls", ABSENT), ("finish", reason), *more)


def choice(reason: str, **changes: Any) -> Play:
    """Make a fault that gives ``reason`` and changes keys of the choice."""
    return rewrite("choice", lambda one: {**one, "finish_reason": reason, **changes})


def of_another(own: str, other: str) -> Play:
    """Make a fault that gives a reason the name that another provider has for it.

    Args:
        own: what faults call the reason.
        other: what another provider calls it; where that is this wire's own name, the other one is given.
    """

    def play(base: Healthy) -> Reply:
        path = base.path("finish")
        if path is None:
            msg = "it changes the reason, and this reply has none."
            raise DoesNotApply(msg)
        named = put("finish", other)(base)
        return (
            named if named != put("finish", own)(base) else base.with_envelope(with_value(base.envelope(), path, own))
        )

    return play


def _limit_reached(reason: str, *more: tuple[str, Any]) -> Play:
    """Make a fault that gives ``reason`` and the usage that goes with it, and puts values into further slots."""

    def play(base: Healthy) -> Reply:
        changed = dataclasses.replace(base, reply=put("finish", reason, *more)(base))
        return base.with_envelope(_used_up(base, changed.envelope()))

    return play


ROWS: Final = (
    Fault(
        name="finish.length",
        play=cut("length", limit=True),
        meaning="The text is cut because the budget is used up.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="surface",
        sources=("https://github.com/stanfordnlp/dspy/pull/10126", "https://github.com/ahwurm/localharness/issues/77"),
    ),
    Fault(
        name="finish.length_complete",
        play=_limit_reached("length"),
        meaning="The text is whole although the reason says that it is cut.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/NorthlandPositronics/Cogtrix/pull/1370",),
    ),
    Fault(
        name="finish.max_tokens",
        play=chain(cut("length", limit=True), of_another("length", "MAX_TOKENS")),
        meaning="The text is cut and the reason is in the words of another provider.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="surface",
        sources=("https://github.com/unclecode/crawl4ai/pull/1788", "https://github.com/BerriAI/litellm/issues/36881"),
    ),
    Fault(
        name="finish.model_length",
        play=cut("model_length"),
        meaning="The text is cut because the model can hold no more, in the word of another provider.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="surface",
        sources=(
            "https://docs.rs/crate/mistral-openapi-client/latest/source/docs/ChatCompletionChoice.md",
            "https://microsoft.github.io/autogen-for-net/api/AutoGen.Mistral.Choice.FinishReasonEnum.html",
        ),
    ),
    Fault(
        name="finish.max_tokens_null",
        play=chain(
            _limit_reached("length", ("tool_calls", ABSENT), ("content", None)), of_another("length", "MAX_TOKENS")
        ),
        meaning="The answer is null and the reason of the used budget is in the words of another provider.",
        slot="finish",
        draw="same",
        wish="surface",
        sources=("https://github.com/unclecode/crawl4ai/pull/1788",),
    ),
    Fault(
        name="finish.content_filter",
        play=says("content_filter", UNSAID),
        meaning="A filter removed the answer.",
        slot="finish",
        draw="same",
        wish="surface",
        sources=("https://github.com/MaartenGr/BERTopic/issues/2353",),
    ),
    Fault(
        name="finish.content_filter_empty",
        play=says("content_filter", ""),
        meaning="A filter left an empty text.",
        slot="finish",
        draw="same",
        wish="surface",
        sources=(
            "https://github.com/MaartenGr/BERTopic/issues/2353",
            "https://github.com/BerriAI/litellm/issues/40276",
        ),
    ),
    Fault(
        name="finish.content_filter_partial",
        play=cut("content_filter"),
        meaning="A filter cut the answer.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="surface",
        sources=("https://github.com/pydantic/pydantic-ai/pull/6511",),
    ),
    Fault(
        name="finish.content_filter_content_absent",
        play=choice("content_filter", message={"role": "assistant"}, content_filter_results=_FILTERED),
        meaning="A filter removed the content with its key.",
        touches=("choice", "message"),
        slot="finish",
        draw="same",
        wish="surface",
        stays=_stays.INDEXED,
        sources=(
            "https://github.com/langchain-ai/langchain/pull/3861",
            "https://github.com/openai-php/client/issues/198",
        ),
    ),
    Fault(
        name="finish.content_filter_message_null",
        play=choice("content_filter", message=None),
        meaning="A filter removed the whole message.",
        touches=("choice", "message"),
        slot="finish",
        draw="same",
        wish="surface",
        sources=(
            "https://github.com/FoundationAgents/OpenManus/pull/1369",
            "https://github.com/zilliztech/deep-searcher/pull/266",
        ),
    ),
    Fault(
        name="finish.sensitive",
        play=says("sensitive", ""),
        meaning="A filter has its own reason.",
        slot="finish",
        draw="same",
        wish="surface",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/7678",
            "https://github.com/pydantic/pydantic-ai/issues/7816",
        ),
    ),
    Fault(
        name="finish.guardrail_intervened",
        play=says("guardrail_intervened", "This request was blocked."),
        meaning="A guardrail has its own reason and its own text.",
        slot="finish",
        draw="same",
        wish="surface",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/7816",
            "https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-use-converse-api.html",
        ),
    ),
    Fault(
        name="finish.unknown_content_absent",
        play=says("other", ABSENT, ("usage_completion", ABSENT)),
        meaning="The reason is a word that nobody knows and there is no content.",
        slot="finish",
        draw="depends",
        wish="reask",
        sources=("https://github.com/google/generative-ai-docs/issues/235",),
    ),
)
