"""Server-sent events: how the lines of an event are written, and how they are read. No word of any provider.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Final

from pytest_llmfaults._wires._encoding import Encoding, Event

__all__ = ["CONTENT_TYPE", "SSE", "Framing", "payloads", "sse"]

CONTENT_TYPE: Final = "text/event-stream"
_LINE_END: Final = re.compile("\r\n|\n|\r")


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


def sse(framing: Framing) -> Encoding:
    """Return server-sent events that are written in this way."""
    return Encoding("server-sent events", CONTENT_TYPE, framing.written, payloads)


SSE: Final = sse(Framing())
