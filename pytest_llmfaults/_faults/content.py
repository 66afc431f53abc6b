"""Perfect envelopes with nothing, or the wrong thing, in the text."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults._edit import put
from pytest_llmfaults._faults._fault import Fault

__all__ = ["ROWS"]

ROWS: Final = (
    Fault(
        name="content.empty",
        play=put("content", ""),
        slot="content",
        draw="depends",
        meaning="The text is an empty string.",
    ),
)
