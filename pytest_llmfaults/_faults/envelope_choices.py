"""More choices than the request asked for."""

from __future__ import annotations

import dataclasses
from typing import Final

from pytest_llmfaults._faults._edit import put
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._message import only
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

OTHER: Final = "Another answer."


def two(base: Healthy) -> Reply:
    """Answer a request for one choice with a good one and another one."""
    wanted = base.request.field("n")
    if isinstance(wanted, int) and wanted > 1:
        msg = f"it gives a second choice that nobody asked for, and the request asks for n={wanted}."
        raise DoesNotApply(msg)
    other = dataclasses.replace(base, reply=only(OTHER)(base)).value("choice")
    return put("choices", [base.held("choice"), {**other, "index": 1}])(base)


ROWS: Final = (
    Fault(
        name="envelope.choices_two",
        play=two,
        meaning="The good choice is followed by another one that nobody asked for.",
        slot="choices",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/HKUDS/nanobot/pull/1555",
            "https://github.com/ericc-ch/copilot-api/pull/81",
        ),
    ),
)
