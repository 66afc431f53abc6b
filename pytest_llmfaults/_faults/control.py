"""Healthy look-alikes: a client that breaks on them is wrong, and so is one that repairs them."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from pytest_llmfaults._faults._edit import with_value
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Chunk, Pause, Reply

__all__ = ["ROWS"]

_EXTRA: Final = (
    ("system_fingerprint", "fp_1"),
    ("service_tier", "default"),
    ("provider", "upstream"),
    ("x_extra", {"a": [1]}),
)


def _extra_fields(base: Healthy) -> Reply:
    envelope = base.envelope()
    more: dict[str, dict[str, Any]] = {
        "choice": {"stop_reason": None, "matched_stop": 1},
        "message": {"annotations": [], "x_extra": True},
        "usage": {"queue_time": 0.01, "cost": 0.0001},
    }
    for slot, fields in more.items():
        path = base.path(slot)
        for name, value in fields.items():
            envelope = with_value(envelope, (*path, name), value)
    return base.with_envelope({**envelope, **dict(_EXTRA)})


def _led_by_newlines(base: Healthy, lines: int, seconds: int) -> Reply:
    line: tuple[Chunk, ...] = (Pause(float(seconds)), b"\n") if seconds else (b"\n",)
    return dataclasses.replace(base.reply, framing="chunked", chunks=line * lines + base.reply.chunks)


ROWS: Final = (
    Fault(
        name="control.extra_fields",
        play=_extra_fields,
        meaning="The good reply has fields that nobody knows, at each level.",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/3581",
            "https://github.com/OpenRouterTeam/python-sdk/issues/44",
        ),
    ),
    Fault(
        name="control.leading_whitespace",
        play=_led_by_newlines,
        meaning="White space stands before the good JSON, to keep the connection alive.",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/sgl-project/sglang/pull/3689",),
        parameters=(Parameter("lines", 4, minimum=1, maximum=1000), Parameter("seconds", 0, minimum=0, maximum=120)),
    ),
)
