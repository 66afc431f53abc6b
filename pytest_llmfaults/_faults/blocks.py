"""Answers that are a list of blocks: blocks of the wrong shape, thoughts that are redacted or not signed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, UNSAID, Play, chain, put
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._message import THOUGHT, halves, only, said
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_REDACTED: Final = {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}
_MESSAGES: Final = "https://platform.claude.com/docs/en/api/messages"
_THINKING: Final = "https://platform.claude.com/docs/build-with-claude/thinking"


def _first_block(change: Callable[[dict[str, Any]], Any]) -> Play:
    """Make a fault that changes the first block."""

    def play(base: Healthy) -> Reply:
        return put("block", change(base.held("block")))(base)

    return play


def _before(*more: Any) -> Play:
    """Make a fault that puts blocks before all others."""

    def play(base: Healthy) -> Reply:
        return put("blocks", [*more, *base.held("blocks")])(base)

    return play


def _interleaved(base: Healthy) -> Reply:
    """Say the answer in two texts, each after a thought."""
    first, rest = halves(said(base))
    thoughts = put("reasoning", THOUGHT)(base)
    thought, *_ = base.slot("blocks").held(_envelope(base, thoughts))
    texts = [{"type": "text", "text": text} for text in (first, rest)]
    return put("blocks", [thought, texts[0], thought, texts[1]])(base)


def _envelope(base: Healthy, reply: Reply) -> Any:
    return Healthy(base.wire, base.request, base.answer, reply).envelope()


_silent = functools.partial(Fault, draw="depends", wish="reask")
_odd = functools.partial(Fault, slot="block", draw="same", scope="partial", wish="surface")
_unsigned = functools.partial(Fault, slot="signature", draw="same", scope="partial", wish="survive")
_good = functools.partial(Fault, slot="blocks", draw="same", scope="partial", wish="survive")

ROWS: Final = (
    Fault(
        name="content.string",
        play=lambda base: put("blocks", said(base))(base),
        slot="blocks",
        draw="same",
        scope="partial",
        wish="survive",
        meaning="The content is one string in place of a list of blocks.",
        sources=(_MESSAGES,),
    ),
    Fault(
        name="content.block_null",
        play=put("blocks", [None]),
        slot="blocks",
        draw="same",
        wish="surface",
        meaning="The only block is null.",
        sources=(_MESSAGES,),
    ),
    _odd(
        name="content.block_type_absent",
        play=_first_block(lambda block: {key: value for key, value in block.items() if key != "type"}),
        meaning="A block has no type.",
        slot="block_type",
        sources=(_MESSAGES,),
    ),
    _odd(
        name="content.block_type_null",
        play=_first_block(lambda block: {**block, "type": None}),
        meaning="The type of a block is null.",
        slot="block_type",
        stays=_stays.INDEXED,
        sources=(_MESSAGES,),
    ),
    _odd(
        name="content.block_text_absent",
        play=_first_block(lambda block: {key: value for key, value in block.items() if key != "text"}),
        meaning="A block of text has no text.",
        touches=("blocks",),
        sources=("https://github.com/alexzhang13/rlm/pull/187",),
    ),
    _odd(
        name="content.block_text_null",
        play=_first_block(lambda block: {**block, "text": None}),
        meaning="The text of a block is null.",
        sources=("https://github.com/alexzhang13/rlm/pull/187",),
    ),
    _silent(
        name="content.block_only_unknown",
        play=put("blocks", [{"type": "mystery", "data": "AAAA"}]),
        slot="blocks",
        meaning="The only block has a type that nobody knows.",
        touches=("block_type",),
        sources=("https://github.com/alexzhang13/rlm/pull/187",),
    ),
    _silent(
        name="reasoning.only_redacted",
        play=chain(only(UNSAID), _before(_REDACTED)),
        slot="blocks",
        touches=("block_type", "signature"),
        meaning="There are redacted thoughts and no answer.",
        sources=(_THINKING, "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons"),
    ),
    _unsigned(
        name="reasoning.signature_absent",
        play=chain(put("reasoning", THOUGHT), put("signature", ABSENT)),
        meaning="The thoughts have no signature, beside a good answer.",
        sources=("https://github.com/sgl-project/sglang/issues/39752",),
    ),
    _unsigned(
        name="reasoning.signature_empty",
        play=chain(put("reasoning", THOUGHT), put("signature", "")),
        meaning="The signature of the thoughts is empty, beside a good answer.",
        stays="A client that sends the thoughts back is refused by the provider.",
        sources=("https://github.com/BerriAI/litellm/pull/31022",),
    ),
    _good(
        name="control.redacted_thinking",
        play=_before(_REDACTED),
        touches=("block_type", "signature"),
        meaning="Redacted thoughts stand before the good answer.",
        sources=(_THINKING,),
    ),
    _good(
        name="control.thinking_interleaved",
        play=_interleaved,
        touches=("block_type", "signature"),
        meaning="The good text comes in two blocks, each after a thought.",
        sources=(_THINKING,),
    ),
    _good(
        name="control.block_unknown",
        play=_before({"type": "mystery", "data": "AAAA"}),
        meaning="A block of a type that nobody knows stands before the good answer.",
        touches=("block_type",),
        sources=("https://github.com/alexzhang13/rlm/pull/187", _MESSAGES),
    ),
)
