"""Small readers of streams, each with one bug; what each shrinks to; and what a correct one reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from pytest_llmfaults._wires._sse import payloads
from pytest_llmfaults.strategies import StreamVariant

Packets = Iterable[bytes]
END: Final = "[DONE]"


def said(events: Iterable[str]) -> str:
    """Return the text in events, whatever they are."""
    return "".join(_text(json.loads(data)) for data in events if data != END)


def _text(chunk: Any) -> str:
    choices = chunk.get("choices") if isinstance(chunk, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    delta = first.get("delta") if isinstance(first, dict) else None
    content = delta.get("content") if isinstance(delta, dict) else None
    return content if isinstance(content, str) else ""


def packet_as_events(packets: Packets) -> str:
    """Takes what is in a packet for whole events."""
    return said(data for packet in packets for data in payloads(packet))


def packet_as_characters(packets: Packets) -> str:
    """Takes what is in a packet for whole characters."""
    return said(payloads("".join(packet.decode(errors="replace") for packet in packets).encode()))


def space_expected(packets: Packets) -> str:
    """Knows no field without a space behind its colon."""
    return said(payloads(re.sub(rb"(?m)^data:(?! ).*", b"", b"".join(packets))))


def line_feed_expected(packets: Packets) -> str:
    """Knows one way to end a line."""
    return said(payloads(b"".join(packets).replace(b"\r", b" ")))


def choice_expected(packets: Packets) -> str:
    """Takes the first choice of a chunk without a look."""
    chunks = [json.loads(data) for data in payloads(b"".join(packets)) if data != END]
    return "".join(chunk["choices"][0] and _text(chunk) for chunk in chunks if isinstance(chunk, dict))


def end_mark_expected(packets: Packets) -> str:
    """Takes an end without a mark for a lost connection."""
    events = payloads(b"".join(packets))
    return said(events) if events.index(END) >= 0 else ""


def object_expected(packets: Packets) -> str:
    """Knows no event but objects."""
    chunks = [json.loads(data) for data in payloads(b"".join(packets)) if data != END]
    return "".join(_text(chunk) for chunk in chunks if chunk.get)


SEEDED: Final[Mapping[Callable[[Packets], str], str]] = {
    packet_as_events: "packets(size=1)",
    packet_as_characters: "packets(size=1)",
    space_expected: "framed(space='')",
    line_feed_expected: r"framed(line_end='\r\n')",
    choice_expected: "insert(0, value={})",
    end_mark_expected: "remove(-1)",
    object_expected: "put(0, value=None)",
}
"""The bugs, and the change that each shrinks to."""


def is_wrong(read: Callable[[Packets], str], stream: StreamVariant) -> bool:
    """Tell whether a reader does not read what stands in a stream, where its events are JSON."""
    try:
        wanted = said(stream.events)
    except ValueError:
        return False
    try:
        return read(stream.packets) != wanted
    except (ValueError, LookupError, TypeError, AttributeError):
        return True


def by_the_book(packets: Packets) -> str:
    """The correct one."""
    return said(payloads(b"".join(packets)))
