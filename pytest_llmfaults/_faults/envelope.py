"""Valid JSON of the wrong shape."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults._edit import ABSENT, put
from pytest_llmfaults._faults._fault import Fault

__all__ = ["ROWS"]

ROWS: Final = (
    Fault(
        name="envelope.choices_absent",
        play=put("choices", ABSENT),
        slot="choices",
        draw="same",
        meaning="The envelope has no choices.",
    ),
    Fault(
        name="envelope.choices_null",
        play=put("choices", None),
        slot="choices",
        draw="same",
        meaning="choices is null.",
    ),
)
