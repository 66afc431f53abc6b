"""Reasons that only some providers have, with the fields beside them: a refusal, a pause, a stop sequence."""

from __future__ import annotations

import functools
from typing import Final

from pytest_llmfaults._faults._edit import UNSAID, error, put
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults.finish import cut
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import Allowance, anthropic_limits

__all__ = ["ROWS"]

_REASONS: Final = "https://platform.claude.com/docs/build-with-claude/handling-stop-reasons"
_ALSO_BEDROCK: Final = ("anthropic.messages", "bedrock.converse")
"""The wires that have these reasons by the same names."""

_DETAILS: Final = {"type": "refusal", "category": "cyber", "explanation": None}


def _stopped(base: Healthy) -> Reply:
    """End with a stop sequence: the first that the request names."""
    given = base.request.field("stop_sequences")
    sequence = given[0] if isinstance(given, list) and given else "\n\n"
    told = [("stop_sequence", sequence)] if base.wire.has("stop_sequence") else []
    return put("finish", "stop_sequence", *told)(base)


def _at_limit(base: Healthy) -> Reply:
    spent = Allowance(counts="requests", limit=50, remaining=0, reset_seconds=40)
    headers = dict(anthropic_limits.headers((spent,), base.now))
    return error(429, "This request would exceed your rate limit.")(base).with_headers(**headers)


_reason = functools.partial(Fault, slot="finish", wires=("anthropic.messages",), sources=(_REASONS,))

ROWS: Final = (
    _reason(
        name="finish.refusal_details",
        play=put("content", UNSAID, ("tool_calls", []), ("finish", "refusal"), ("stop_details", _DETAILS)),
        draw="same",
        wish="surface",
        meaning="The model refuses: there is no text, and the category stands beside the reason.",
    ),
    _reason(
        name="finish.pause_turn",
        play=cut("pause_turn"),
        draw="depends",
        scope="partial",
        wish="reask",
        meaning="The turn is paused: the reply has to be sent back, so that it goes on.",
    ),
    _reason(
        name="finish.stop_sequence",
        play=_stopped,
        draw="same",
        scope="partial",
        wish="survive",
        meaning="A stop sequence ended the good answer.",
        wires=(*_ALSO_BEDROCK, "cohere.chat"),
    ),
    _reason(
        name="finish.context_window",
        play=cut("model_context_window_exceeded"),
        draw="same",
        scope="partial",
        wish="surface",
        meaning="The text is cut because the context window is full.",
        wires=_ALSO_BEDROCK,
    ),
    Fault(
        name="status.429_ratelimit_reset",
        play=_at_limit,
        slot="error",
        draw="fresh",
        wish="retry",
        meaning="The rate limit is reached, and only the headers of the limit say when it is over.",
        wires=("anthropic.messages",),
        sources=("https://platform.claude.com/docs/en/api/rate-limits",),
    ),
)
