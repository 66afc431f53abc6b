"""Thoughts that only a stream can place so: tags split over pieces, and thoughts between the pieces of the text."""

from __future__ import annotations

import functools
from typing import Any, Final

from pytest_llmfaults._faults._choices import chunk_with, first_choice
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._streams import made, parts, piece_indexes
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]


def _among(*deltas: dict[str, Any], after: int = 0) -> Play:
    """Make a fault that sends further deltas before the answer, or after some pieces of it.

    The key ``reasoning_content`` stands for the place that thoughts have on this host.
    """

    def play(base: Healthy) -> Reply:
        chunks = base.chunks()
        place = piece_indexes(base, chunks)[0] + after
        first = chunks[first_choice(chunks)]
        more = [chunk_with(first, _thought(base, **delta) if _HERE in delta else delta) for delta in deltas]
        return made(base, parts(base, [*chunks[:place], *more, *chunks[place:]]))

    return play


def _thought(base: Healthy, reasoning_content: str) -> dict[str, Any]:
    """Return a delta with a thought, in the field where the message has thoughts; of a list with one item."""
    envelope = base.put(base.envelope(), "reasoning", reasoning_content)
    place, message = base.slot("reasoning").find(envelope) or (), base.path("message") or ()
    key, *inner = place[len(message) :]
    held = base.slot("message").get(envelope)[key]
    return {str(key): [held[inner[0]]] if inner else held}


_HERE: Final = "reasoning_content"
_TAGGED: Final = ("<", "think", ">", "First I look.", "</", "think>")

_odd = functools.partial(
    Fault, slot="reasoning", draw="same", scope="partial", wish="survive", streamed="only", touches=("delta",)
)

ROWS: Final = (
    _odd(
        name="reasoning.think_split",
        play=_among(*({"content": piece} for piece in _TAGGED)),
        meaning="The tags of the thoughts are split over chunks.",
        sources=(
            "https://github.com/LibreChat-AI/agents/pull/40",
            "https://github.com/open-webui/open-webui/issues/23343",
        ),
    ),
    _odd(
        name="reasoning.transition_empty",
        play=_among({"reasoning": "First "}, {"reasoning": "I look."}, {"content": ""}),
        meaning="An empty piece of text stands between the thoughts and the text.",
        sources=("https://github.com/open-webui/open-webui/issues/23343",),
    ),
    _odd(
        name="reasoning.after_text",
        play=_among({"reasoning_content": "Wait."}, after=1),
        meaning="Thoughts come again after the text began.",
        sources=(
            "https://github.com/mistralai/client-python/issues/252",
            "https://github.com/rashidrazak/opencode-cmd-provider/pull/213",
        ),
    ),
)
