"""Amazon's event stream: each event is a binary frame with headers, a payload and two checksums. No word of any wire.

A frame is its length, the length of its headers, the CRC-32 of these eight bytes, the headers, the payload, and the
CRC-32 of all before. The name of an event is a header; so is what is an exception, or an error, and no event.

https://smithy.io/2.0/aws/amazon-eventstream.html
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from zlib import crc32

from pytest_llmfaults._wires._encoding import Encoding, Event
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["AWS_EVENTS", "CHECKSUM_BYTES", "PRELUDE_BYTES"]

PRELUDE_BYTES: Final = 12
"""The two lengths and their checksum, at the beginning of a frame."""

CHECKSUM_BYTES: Final = 4
"""The checksum at the end of a frame."""

_TEXT: Final = 7
"""The type of a header whose value is a text."""

_CONTENT: Final = (":content-type", "application/json")
_KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "event": (":event-type", "event"),
    "exception": (":exception-type", "exception"),
    "error": (":error-code", "error"),
}
"""By the field of the line that names an event: the header with the name, and the type of the frame."""

_WORDS: Final = {"": "a comment", "id": "the id of an event"}


class _Frame(NamedTuple):
    """A frame as it was read: its headers that are texts, and its payload."""

    headers: dict[str, str]
    payload: bytes


def _written(event: Event) -> bytes:
    """Return the frame of an event; half a surrogate pair becomes its escape.

    Raises:
        DoesNotApply: it has a line that no header or payload stands for.
    """
    fields = [field for field, _ in event.lines]
    odd = next((field for field in fields if field != "data" and field not in _KINDS), None)
    names = [field for field in fields if field != "data"]
    if odd is not None or fields.count("data") != 1 or len(names) > 1:
        what = "several names, or not one payload" if odd is None else _WORDS.get(odd, f"a line of {odd}")
        msg = f"it sends {what}, and a frame of an Amazon event stream has one payload and one name at most."
        raise DoesNotApply(msg)
    named = next(((_KINDS[field], value) for field, value in event.lines if field in _KINDS), None)
    (header, kind), name = named or (("", "event"), "")
    text = event.text or ""
    said, payload = ((":error-message", text), "") if kind == "error" else (_CONTENT, text)
    headers = (*(((header, name),) if header else ()), said, (":message-type", kind))
    return _frame(b"".join(_header(*one) for one in headers), payload.encode(errors="backslashreplace"))


def _header(name: str, value: str) -> bytes:
    shown, held = name.encode(), value.encode(errors="backslashreplace")
    return struct.pack(f"!B{len(shown)}sBH", len(shown), shown, _TEXT, len(held)) + held


def _frame(headers: bytes, payload: bytes) -> bytes:
    total = PRELUDE_BYTES + len(headers) + len(payload) + CHECKSUM_BYTES
    lengths = struct.pack("!II", total, len(headers))
    message = lengths + struct.pack("!I", crc32(lengths)) + headers + payload
    return message + struct.pack("!I", crc32(message))


def _payloads(body: bytes) -> list[str]:
    """Return the events that are complete in ``body``, each as an object with its payload by its name.

    Nothing can be read behind a frame that is broken.
    """
    return [_told(frame) for frame in _frames(body)]


def _told(frame: _Frame) -> str:
    text = frame.payload.decode("utf-8", "replace") or "null"
    name = next((frame.headers[header] for header, _ in _KINDS.values() if header in frame.headers), None)
    return text if name is None else f'{{"{name}": {text}}}'


def _frames(body: bytes) -> Iterator[_Frame]:
    while len(body) >= PRELUDE_BYTES:
        total, head, checksum = struct.unpack_from("!III", body)
        frame, body = body[:total], body[total:]
        least = PRELUDE_BYTES + head + CHECKSUM_BYTES
        if checksum != crc32(frame[:8]) or not least <= total == len(frame):
            return
        if crc32(frame[:-CHECKSUM_BYTES]) != int.from_bytes(frame[-CHECKSUM_BYTES:], "big"):
            return
        headers = dict(_headers(frame[PRELUDE_BYTES : PRELUDE_BYTES + head]))
        yield _Frame(headers, frame[PRELUDE_BYTES + head : -CHECKSUM_BYTES])


def _headers(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the headers up to the first that is no text: frames of this wire have none."""
    while data:
        name, kind = data[1 : 1 + data[0]], data[1 + data[0]]
        if kind != _TEXT:
            return
        data = data[2 + data[0] :]
        length = int.from_bytes(data[:2], "big")
        yield name.decode(), data[2 : 2 + length].decode()
        data = data[2 + length :]


AWS_EVENTS: Final = Encoding(
    "Amazon's event stream", "application/vnd.amazon.eventstream", _written, _payloads, is_text=False
)
