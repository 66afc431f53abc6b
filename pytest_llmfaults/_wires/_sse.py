"""Server-sent events: the lines of an event, how lines are written, and how they are read. No word of any provider.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from pytest_llmfaults._reply import Chunk, Headers, Reply

__all__ = ["CONTENT_TYPE", "Event", "Framing", "Part", "dumped", "event_stream", "payloads"]

CONTENT_TYPE: Final = "text/event-stream"
_AS_TEXT: Final = json.JSONEncoder(ensure_ascii=False).encode
_LINE_END: Final = re.compile("\r\n|\n|\r")


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """One event: its lines, before anybody decided how a line ends.

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
class Framing:
    r"""How an event is written.

    Attributes:
        line_end: ``\n``, ``\r\n`` or ``\r``.
        space: what stands after the colon.
        blank: how many empty lines end an event.
    """

    line_end: str = "\n"
    space: str = " "
    blank: int = 1

    def written(self, event: Event) -> bytes:
        """Return the bytes of an event; half a surrogate pair becomes its escape."""
        lines = [f"{field}:{self.space if value else ''}{value}{self.line_end}" for field, value in event.lines]
        return "".join([*lines, self.line_end * self.blank]).encode(errors="backslashreplace")


def dumped(value: Any) -> str:
    """Return JSON as it stands in the data of an event: one line."""
    return _AS_TEXT(value)


def event_stream(parts: Iterable[Part], headers: Headers = (), framing: Framing | None = None) -> Reply:
    """Make the reply of a healthy server: one chunk an event."""
    written = (framing or Framing()).written
    chunks = tuple(written(part) if isinstance(part, Event) else part for part in parts)
    return Reply(headers=(("Content-Type", CONTENT_TYPE), *headers), chunks=chunks, framing="chunked")


def payloads(body: bytes) -> list[str]:
    """Return the data of the events that are complete in ``body``, as a client by the book reads them."""
    return list(_read(body))


def _read(body: bytes) -> Iterator[str]:
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    *lines, _unfinished = _LINE_END.split(text)
    data: list[str] = []
    for line in lines:
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            if any(data):
                yield "\n".join(data)
            data = []
