"""More choices than the request asked for."""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults._faults._edit import rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

OTHER: Final = "Another answer."


def another(choices: list[Any]) -> list[Any]:
    """Return the choices and one more that says something else."""
    message = {key: value for key, value in choices[0]["message"].items() if key != "tool_calls"}
    extra = {**choices[0], "index": len(choices), "message": {**message, "content": OTHER}, "finish_reason": "stop"}
    return [*choices, extra]


def two(base: Healthy) -> Reply:
    """Answer a request for one choice with a good one and another one."""
    wanted = base.request.field("n")
    if isinstance(wanted, int) and wanted > 1:
        msg = f"it gives a second choice that nobody asked for, and the request asks for n={wanted}."
        raise DoesNotApply(msg)
    if not all("message" in choice for choice in base.held("choices")):
        msg = f"it gives a second message, and a choice on the wire {base.wire.name} has none."
        raise DoesNotApply(msg)
    return rewrite("choices", another)(base)


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
