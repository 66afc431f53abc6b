"""Error statuses."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]


def error(status: int, message: str, code: str | None = None, **headers: str) -> Play:
    """Make a fault that answers ``status`` with the wire's own error body."""

    def play(base: Healthy) -> Reply:
        reply = Reply.json(base.wire.error(status, message, code), status=status)
        return reply.with_headers(**headers)

    return play


ROWS: Final = (
    Fault(
        name="status.503",
        play=error(503, "The server is overloaded or not ready yet."),
        draw="fresh",
        meaning="503 with the provider's error body.",
    ),
)
