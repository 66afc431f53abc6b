"""Answers that are unions: blocks of a kind that nobody knows or with a type beside it; errors known by a header."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import UNSAID, Play, put
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults.finish import says
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_BEDROCK: Final = ("bedrock.converse",)
_CONVERSE: Final = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html"
_MYSTERY: Final = {"mystery": {"data": "AAAA"}}


def _typed(block: Any) -> Any:
    return {"type": "text", **block}


def _first_block(change: Callable[[Any], Any]) -> Play:
    """Make a fault that changes the first block."""
    return lambda base: put("block", change(base.held("block")))(base)


def _before(block: Any) -> Play:
    """Make a fault that puts a block before all others."""
    return lambda base: put("blocks", [block, *base.held("blocks")])(base)


def _named(status: int, message: str, kind: str | None) -> Play:
    """Make a fault that answers with an error of this kind; None is an error without the header that says it."""

    def play(base: Healthy) -> Reply:
        reply = base.wire.failed(status, base.wire.error(status, message, None))
        return reply.with_headers(x_amzn_errortype=kind)

    return play


_own = functools.partial(Fault, draw="same", wires=_BEDROCK)
_odd = functools.partial(_own, scope="partial", wish="survive", slot="blocks")
_error = functools.partial(Fault, slot="error", wires=_BEDROCK)

ROWS: Final = (
    _own(
        name="content.block_typed",
        play=_first_block(_typed),
        meaning="A block has the field type beside its kind, as on another provider's wire.",
        slot="block",
        scope="partial",
        wish="surface",
        sources=("https://github.com/CopilotKit/aimock/pull/167",),
    ),
    _own(
        name="content.block_only_kind_unknown",
        play=put("blocks", [_MYSTERY]),
        meaning="The only block is of a kind that nobody knows.",
        slot="blocks",
        wish="surface",
        sources=(_CONVERSE,),
    ),
    _odd(
        name="control.block_kind_unknown",
        play=_before(_MYSTERY),
        meaning="A block of a kind that nobody knows stands before the good answer.",
        sources=(_CONVERSE,),
    ),
    _own(
        name="finish.malformed_output",
        play=says("malformed_model_output", UNSAID, ("usage_completion", 0)),
        meaning="The model wrote what the server could not read.",
        slot="finish",
        draw="fresh",
        wish="retry",
        sources=(_CONVERSE,),
    ),
    _error(
        name="status.400_service_quota",
        play=_named(400, "A quota of this account is used up.", "ServiceQuotaExceededException"),
        meaning="A spent quota is reported with the status of an invalid request, and a type of its own.",
        draw="same",
        wish="once",
        sources=(_CONVERSE,),
    ),
    _error(
        name="status.429_model_not_ready",
        play=_named(429, "The model is not ready for inference requests.", "ModelNotReadyException"),
        meaning="The model is not loaded yet, which has the status of a rate limit.",
        draw="fresh",
        wish="retry",
        sources=(_CONVERSE,),
    ),
    _error(
        name="status.429_untyped",
        play=_named(429, "Too many requests, please wait before trying again.", None),
        meaning="The header with the type of the error is gone: only status and message say what it is.",
        draw="fresh",
        wish="retry",
        stays=_stays.ELSEWHERE,
        sources=(_CONVERSE,),
    ),
)
