"""Replies that say that they ended before they were done."""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults._faults._edit import ABSENT, Play, half, put, with_value
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

_TOKENS_LIMIT: Final = 4096


def _limit(base: Healthy) -> int:
    """Return the most tokens that the request allows."""
    given = [base.request.field(name) for name in ("max_completion_tokens", "max_tokens")]
    return next((value for value in given if isinstance(value, int)), _TOKENS_LIMIT)


def _used_up(base: Healthy, envelope: Any) -> Any:
    """Make the usage say that the limit was reached."""
    completion = _limit(base)
    envelope = with_value(envelope, base.path("usage_completion"), completion)
    return with_value(envelope, base.path("usage_total"), (base.value("usage_prompt") or 0) + completion)


def _halved(base: Healthy) -> Any:
    """Return the envelope with half of what the model said: of its text, else of its first call's arguments."""
    said = base.value("content")
    if said:
        return with_value(base.envelope(), base.path("content"), half(said))
    calls = base.value("tool_calls")
    if not calls:
        msg = "it cuts what the model said, and the answer is empty. Give an answer with text."
        raise DoesNotApply(msg)
    envelope = with_value(base.envelope(), base.path("tool_calls"), calls[:1])
    return with_value(envelope, base.path("arguments"), half(base.value("arguments")))


def _cut(reason: str, *, limit: bool = False, usage: Any = None) -> Play:
    """Make a fault that gives half of the answer and ``reason``."""

    def play(base: Healthy) -> Reply:
        envelope = with_value(_halved(base), base.path("finish"), reason)
        if usage is not None:
            envelope = with_value(envelope, base.path("usage"), usage)
        return base.with_envelope(_used_up(base, envelope) if limit else envelope)

    return play


def _says(reason: Any, content: Any) -> Play:
    """Make a fault that puts ``content`` in the place of the whole answer, calls included, and gives ``reason``."""
    return put("content", content, ("tool_calls", ABSENT), ("finish", reason))


ROWS: Final = (
    Fault(
        name="finish.length",
        play=_cut("length", limit=True),
        meaning="The text is cut because the budget is used up.",
        slot="finish",
        draw="same",
        scope="partial",
        wish="surface",
        sources=("https://github.com/stanfordnlp/dspy/pull/10126", "https://github.com/ahwurm/localharness/issues/77"),
    ),
    Fault(
        name="finish.content_filter",
        play=_says("content_filter", None),
        meaning="A filter removed the answer.",
        slot="finish",
        draw="same",
        wish="surface",
        sources=("https://github.com/MaartenGr/BERTopic/issues/2353",),
    ),
)
