"""Token counts that are not there, or not numbers."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults._edit import ABSENT, put
from pytest_llmfaults._faults._fault import Fault

__all__ = ["ROWS"]

ROWS: Final = (
    Fault(
        name="usage.absent",
        play=put("usage", ABSENT),
        meaning="Nothing is said about usage.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/microsoft/autogen/issues/1579",),
    ),
)
