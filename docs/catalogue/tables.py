"""Which clients are observed together: one table for whole replies and streams of a wire, two for ``openai.chat``."""

from __future__ import annotations

from typing import NamedTuple

from streams import by_hand
from subjects import Subject, of_way, subjects
from ways_by_wire import WAYS

from pytest_llmfaults import Fault, faults
from pytest_llmfaults._faults import EDITION

__all__ = ["CHAT", "STREAMS", "Table", "tables"]

CHAT = "openai.chat"
STREAMS = "openai.chat, streamed"


class Table(NamedTuple):
    """Clients of one wire.

    Attributes:
        name: the title of its page.
        wire: the wire.
        stream: whether its clients ask for streams; None is that some do.
        subjects: the clients.
    """

    name: str
    wire: str
    stream: bool | None
    subjects: tuple[Subject, ...]

    @property
    def rows(self) -> tuple[Fault, ...]:
        """The rows that these clients can meet."""
        return faults(stream=self.stream, wire=self.wire, edition=EDITION)


def tables() -> tuple[Table, ...]:
    """Return all tables; most clients are on ``openai.chat``, so it has two. Use them inside ``quiet()``."""
    chat = [way for way in WAYS if way.wire == CHAT]
    other_halves = (of_way(way) for way in chat if not way.streamed and way.like is not None)
    streamed = (of_way(way) for way in chat if way.streamed)
    others = dict.fromkeys(way.wire for way in WAYS if way.wire != CHAT)
    return (
        Table(CHAT, CHAT, False, (*subjects(), *other_halves)),
        Table(STREAMS, CHAT, True, (*streamed, *by_hand())),
        *(Table(wire, wire, None, tuple(of_way(way) for way in WAYS if way.wire == wire)) for wire in others),
    )
