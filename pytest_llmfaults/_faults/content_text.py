"""Texts that are no good answer although the envelope says that all is well."""

from __future__ import annotations

import functools
import math
from typing import Final

from pytest_llmfaults._faults._edit import chain
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._message import beside, ends, only
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]


def truncated(base: Healthy, at: float) -> Reply:
    """Give the first part of the text, of one character at least."""
    return beside(lambda text: text[: max(1, math.floor(at * len(text)))])(base)


def marked(base: Healthy, marker: str) -> Reply:
    """Leave the marker of the end in the text."""
    return beside(lambda text: text + marker)(base)


def repeating(base: Healthy, count: int) -> Reply:
    """Say one word again and again behind the text."""
    return beside(lambda text: text + " and" * count)(base)


_odd = functools.partial(Fault, slot="content", draw="depends", scope="partial", wish="surface")

ROWS: Final = (
    _odd(
        name="content.truncated",
        play=truncated,
        meaning="The text is cut and the reason says that all is well.",
        parameters=(Parameter("at", 0.75, minimum=0.05, maximum=0.95),),
        sources=("https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1509",),
    ),
    Fault(
        name="content.repetition_length",
        play=chain(repeating, ends("length", "budget")),
        slot="content",
        draw="depends",
        scope="partial",
        wish="surface",
        meaning="The text ends in one word that is repeated until the budget is used up.",
        parameters=(Parameter("count", 500, minimum=10, maximum=20000),),
        sources=(
            "https://github.com/anthropics/claude-code/issues/82803",
            "https://github.com/Bike4Mind/bike4mind/issues/1426",
        ),
    ),
    _odd(
        name="content.end_marker",
        play=marked,
        meaning="The marker of the end is left in the text.",
        parameters=(Parameter("marker", "<|im_end|>", choices=("<|im_end|>", "<|eot_id|>", "</s>", "<eos>")),),
        sources=(
            "https://github.com/jundot/omlx/issues/1087",
            "https://github.com/logancyang/obsidian-copilot/issues/2284",
        ),
    ),
    _odd(
        name="content.replacement_characters",
        play=beside(lambda text: f"{text} \ufffd\ufffd"),
        meaning="The text has replacement characters where a character of several bytes was lost.",
        sources=(
            "https://github.com/tenstorrent/tt-inference-server/issues/2586",
            "https://github.com/netdur/llama_cpp_dart/issues/90",
        ),
    ),
    Fault(
        name="content.error_text",
        play=only("Error: insufficient balance. Please top up your account."),
        slot="content",
        draw="depends",
        wish="surface",
        meaning="The answer is the text of an error, with the status and the reason of success.",
        sources=("https://github.com/OpenCSGs/csghub-server/pull/1369",),
    ),
)
