"""Events, and how they become the bytes of a stream. No word of any provider or format."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from pytest_llmfaults._reply import Chunk, Headers, Reply

__all__ = ["Encoding", "Event", "Part", "dumped", "encoded", "plain_event", "typed_event"]

_AS_TEXT: Final = json.JSONEncoder(ensure_ascii=False).encode


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """One event: its lines, before anybody decided how a line is written.

    Attributes:
        lines: field and value of each line; the field ``""`` is a comment.
    """

    lines: tuple[tuple[str, str], ...]

    @classmethod
    def data(cls, text: str, *before: tuple[str, str]) -> Event:
        """Make an event with these data; ``before`` are lines that stand above."""
        return cls((*before, ("data", text)))

    @classmethod
    def comment(cls, text: str) -> Event:
        """Make a comment, which is no event for a client."""
        return cls((("", text),))

    def with_text(self, text: str) -> Event:
        """Return it with other data, and its other lines as they are."""
        return Event((*(line for line in self.lines if line[0] != "data"), ("data", text)))

    @property
    def text(self) -> str | None:
        """Its data, or None when it has none."""
        found = [value for field, value in self.lines if field == "data"]
        return "\n".join(found) if found else None


Part: TypeAlias = "Event | Chunk"
"""What a stream is made of: events, raw bytes, and pauses."""


@dataclasses.dataclass(frozen=True, slots=True)
class Encoding:
    """How events become bytes, and are read again.

    Attributes:
        name: what it is called, ``server-sent events``.
        content_type: of the reply.
        write: returns the bytes of an event; raises DoesNotApply for one that cannot be said in this way.
        read: returns the data of the events that are complete in a body, as a client by the book reads them.
        is_text: whether its bytes are text.
    """

    name: str
    content_type: str
    write: Callable[[Event], bytes]
    read: Callable[[bytes], list[str]]
    is_text: bool = True


def plain_event(chunk: Any) -> Event:
    """Return the event of a chunk: its JSON and nothing else."""
    return Event.data(dumped(chunk))


def typed_event(chunk: Any) -> Event:
    """Return the event of a chunk, with the chunk's type as its name."""
    kind = chunk.get("type") if isinstance(chunk, dict) else None
    return Event.data(dumped(chunk), *((("event", kind),) if isinstance(kind, str) else ()))


def dumped(value: Any) -> str:
    """Return JSON as it stands in the data of an event: one line."""
    return _AS_TEXT(value)


def encoded(parts: Iterable[Part], encoding: Encoding, headers: Headers = ()) -> Reply:
    """Make the reply of a healthy server: one chunk an event."""
    chunks = tuple(encoding.write(part) if isinstance(part, Event) else part for part in parts)
    return Reply(headers=(("Content-Type", encoding.content_type), *headers), chunks=chunks, framing="chunked")
