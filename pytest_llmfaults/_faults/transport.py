"""What happens to the connection."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Parameter

__all__ = ["ROWS"]


def connection(**changes: Any) -> Play:
    """Make a fault that changes how the reply crosses the wire."""
    return lambda base: dataclasses.replace(base.reply, **changes)


ROWS: Final = (
    Fault(
        name="transport.refused",
        play=connection(connection="refused"),
        draw="fresh",
        meaning="The connection is refused.",
    ),
    Fault(
        name="transport.timeout",
        play=connection(head_bytes=0, ending="stalled"),
        draw="fresh",
        meaning="The request is accepted and nothing comes back: silence until the client gives up.",
    ),
    Fault(
        name="transport.latency",
        play=lambda base, seconds: dataclasses.replace(base.reply, first_byte_seconds=float(seconds)),
        draw="fresh",
        scope="partial",
        meaning="The healthy reply, late.",
        parameters=(Parameter("seconds", 5.0, minimum=0.0, maximum=3600.0),),
    ),
)
