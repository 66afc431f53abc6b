"""What crosses the wire once, as data, and the script that every transport plays."""

from __future__ import annotations

import builtins
import dataclasses
import json as jsonlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, Literal, TypeAlias, get_args
from urllib.parse import urljoin

from pytest_llmfaults.errors import InvalidUse, nearest

__all__ = ["Act", "Chunk", "End", "Pause", "Reply"]

Ending: TypeAlias = Literal["clean", "cut", "reset", "stalled", "stale"]
Framing: TypeAlias = Literal["length", "chunked", "close"]
Connection: TypeAlias = Literal["accepted", "refused", "timed_out", "unresolved", "untrusted"]
Headers: TypeAlias = "tuple[tuple[str, str], ...]"

_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "ending": get_args(Ending),
    "framing": get_args(Framing),
    "connection": get_args(Connection),
}
"""What each attribute that is a word may say."""
_PHRASES: Final[Mapping[int, str]] = {
    413: "Content Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    422: "Unprocessable Content",
}
"""The phrases of RFC 9110 that Python changed between its versions: the bytes of a reply must not depend on them."""


@dataclasses.dataclass(frozen=True, slots=True)
class Pause:
    """Silence between two pieces of a reply.

    Attributes:
        seconds: how long, in seconds of virtual time; ``None`` is for ever.
    """

    seconds: float | None

    def __post_init__(self) -> None:
        """Refuse a negative length."""
        number = isinstance(self.seconds, (int, float)) and not isinstance(self.seconds, bool) and self.seconds >= 0
        if self.seconds is not None and not number:
            msg = f"A pause lasts 0 seconds or more, or None for ever; got seconds={self.seconds!r}."
            raise InvalidUse(msg)


@dataclasses.dataclass(frozen=True, slots=True)
class End:
    """How the connection goes on after the last byte.

    Attributes:
        kind: ``keep`` (open for the next request), ``close`` (FIN), ``reset`` (RST), ``stall`` (open and silent) or
            ``stale`` (looks open, and the next request that is written to it meets RST).
    """

    kind: Literal["keep", "close", "reset", "stall", "stale"]


Chunk: TypeAlias = "bytes | Pause"
Act: TypeAlias = "bytes | Pause | End"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply of a gateway, down to its bytes and pauses.

    Attributes:
        status: HTTP status, 100 to 999.
        headers: name and value pairs, sent as they are. Content-Length or Transfer-Encoding is added to fit
            ``framing`` unless it is given here (a length that lies is simply given) or the status has no body.
        chunks: the body, pieces of bytes and pauses between them.
        framing: how the body's end is told: ``length``, ``chunked``, or ``close`` (by closing).
        ending: ``clean``; ``cut`` (FIN before the end that the framing promised); ``reset`` (RST after the last
            byte); ``stalled`` (silence after the last byte, the connection stays open); ``stale`` (clean, but the next
            request on the same connection meets RST).
        connection: ``accepted``, or no reply at all: ``refused``, ``timed_out`` (the connection never opens),
            ``unresolved`` (the name has no address), ``untrusted`` (the certificate does not verify).
        raw_head: bytes sent instead of status line and headers, as they are; None is the ordinary head.
        head_bytes: how many bytes of status line and headers are sent before ``ending`` happens; ``None`` is all
            of them, and then the body.
        first_byte_seconds: silence before the first byte, in seconds.
    """

    status: int = 200
    headers: Headers = ()
    chunks: tuple[Chunk, ...] = ()
    framing: Framing = "length"
    ending: Ending = "clean"
    connection: Connection = "accepted"
    raw_head: builtins.bytes | None = None
    head_bytes: int | None = None
    first_byte_seconds: float = 0.0
    _script: tuple[Act, ...] | None = dataclasses.field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what no gateway could send."""
        if not _is_number(self.status, int) or not 100 <= self.status <= 999:
            msg = f"An HTTP status has three digits; got status={self.status!r}."
            raise InvalidUse(msg)
        for name, known in _WORDS.items():
            value = getattr(self, name)
            if value not in known:
                msg = f"{name}={value!r} is not one of {', '.join(known)}.{nearest(str(value), known)}"
                raise InvalidUse(msg)
        if not _is_number(self.first_byte_seconds, (int, float)) or not self.first_byte_seconds >= 0:
            msg = f"first_byte_seconds={self.first_byte_seconds!r} is not allowed: it is a number of seconds from 0."
            raise InvalidUse(msg)
        if self.head_bytes is not None and (not _is_number(self.head_bytes, int) or self.head_bytes < 0):
            msg = f"head_bytes={self.head_bytes!r} is not allowed: it is a number of bytes from 0, or None for all."
            raise InvalidUse(msg)
        if self.raw_head is not None and not isinstance(self.raw_head, bytes):
            msg = f"raw_head={self.raw_head!r} is not allowed: it is bytes, or None for the ordinary head."
            raise InvalidUse(msg)
        object.__setattr__(self, "headers", _checked_headers(self.headers))
        object.__setattr__(self, "chunks", _checked_chunks(self.chunks))

    @classmethod
    def json(cls, value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
        """Make a reply whose body is ``value`` as JSON.

        Args:
            value: anything that JSON can hold (NaN and Infinity are written as Python writes them, half a
                surrogate pair as its escape).
            status: HTTP status.
            headers: further headers.
        """
        body = jsonlib.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")
        return cls.bytes(body, status=status, content_type="application/json", headers=headers)

    @classmethod
    def text(
        cls,
        text: str,
        *,
        status: int = 200,
        content_type: str = "text/plain; charset=utf-8",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Make a reply whose body is ``text`` in UTF-8: the HTML page or the sentence of last night's incident."""
        return cls.bytes(text.encode(), status=status, content_type=content_type, headers=headers)

    @classmethod
    def bytes(
        cls,
        body: builtins.bytes,
        *,
        status: int = 200,
        content_type: str = "application/octet-stream",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Make a reply whose body is exactly ``body``."""
        pairs = (("Content-Type", content_type), *(headers or {}).items())
        return cls(status=status, headers=pairs, chunks=(body,) if body else ())

    @property
    def body(self) -> builtins.bytes:
        """All bytes of the body, pauses left out and framing not applied."""
        return b"".join(chunk for chunk in self.chunks if not isinstance(chunk, Pause))

    def header(self, name: str) -> str | None:
        """Return the first header of this name (case does not matter), or None."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def with_headers(self, **changes: str | None) -> Reply:
        """Return a copy with headers set, or with ``None`` removed. ``retry_after=`` names ``retry-after``."""
        wanted = {name.replace("_", "-").lower(): value for name, value in changes.items()}
        kept = tuple((name, value) for name, value in self.headers if name.lower() not in wanted)
        added = tuple((name, value) for name, value in wanted.items() if value is not None)
        return dataclasses.replace(self, headers=kept + added)

    def with_body(self, body: builtins.bytes, *, content_type: str | None = None) -> Reply:
        """Return a copy with another body, and another content type if given."""
        other = dataclasses.replace(self, chunks=(body,) if body else ())
        return other if content_type is None else other.with_headers(content_type=content_type)

    def moved_to(self, url: str) -> str | None:
        """Return the absolute address that this redirect names as an answer to ``url``, or None."""
        location = self.header("location") if 300 <= self.status < 400 else None
        return urljoin(url, location) if location else None

    def head(self) -> builtins.bytes:
        """Return status line and headers as they cross the wire."""
        if self.raw_head is not None:
            return self.raw_head
        lines = [f"HTTP/1.1 {self.status} {_reason(self.status)}"]
        lines += [f"{name}: {value}" for name, value in (*self.headers, *self.framing_headers())]
        return "".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1")

    def framing_headers(self) -> Headers:
        """Return the headers that are added to fit ``framing``."""
        if self.status in {204, 304} or self.status < 200:
            return ()
        if self.header("content-length") is not None or self.header("transfer-encoding") is not None:
            return ()
        if self.framing == "length":
            return (("Content-Length", str(len(self.body))),)
        if self.framing == "chunked":
            return (("Transfer-Encoding", "chunked"),)
        return (("Connection", "close"),)

    def script(self) -> tuple[Act, ...]:
        """Return what a transport plays after it has read the request: bytes, pauses, and one :class:`End`.

        Memory and sockets play this same script; that is why they agree.
        """
        if self._script is None:
            object.__setattr__(self, "_script", self._acts())  # a healthy reply is played a thousand times
        return self._script or ()

    def _acts(self) -> tuple[Act, ...]:
        acts: list[Act] = [Pause(self.first_byte_seconds)] if self.first_byte_seconds else []
        if self.head_bytes is not None:
            part = self.head()[: self.head_bytes]
            return (*acts, *([part] if part else []), self._end())
        acts.append(self.head())
        for chunk in self.chunks:
            acts.append(chunk if isinstance(chunk, Pause) else self._framed(chunk))
        if self.framing == "chunked" and self.ending in {"clean", "stale"}:
            acts.append(b"0\r\n\r\n")
        return (*_joined(acts), self._end())

    def body_within(self, count: int) -> builtins.bytes:
        """Return the part of the body, framing taken off, that is in the first ``count`` bytes of the script."""
        left = count - len(self.head()[: self.head_bytes])
        found: list[builtins.bytes] = []
        for chunk in () if self.head_bytes is not None else self.chunks:
            if left <= 0:
                break
            if not isinstance(chunk, Pause):
                framed = self._framed(chunk)
                lead = framed.index(b"\r\n") + 2 if self.framing == "chunked" else 0
                found.append(chunk[: max(0, left - lead)])
                left -= len(framed)
        return b"".join(found)

    def _framed(self, chunk: builtins.bytes) -> builtins.bytes:
        return b"%x\r\n%s\r\n" % (len(chunk), chunk) if self.framing == "chunked" else chunk

    def _end(self) -> End:
        if self.ending == "reset":
            return End("reset")
        if self.ending == "stalled":
            return End("stall")
        if self.ending == "stale":
            return End("stale")
        if self.ending == "cut" or self.framing == "close" or self.head_bytes is not None:
            return End("close")
        return End("close" if (self.header("connection") or "").lower() == "close" else "keep")


def _is_number(value: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _checked_headers(headers: Any) -> Headers:
    """Return headers as pairs.

    Raises:
        InvalidUse: they are no pairs of texts without line breaks.
    """
    pairs = tuple(headers.items()) if isinstance(headers, Mapping) else headers
    for pair in pairs if isinstance(pairs, (tuple, list)) else (pairs,):
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            msg = f"headers={headers!r} is not allowed: they are pairs of texts, such as (('Retry-After', '3'),)."
            raise InvalidUse(msg)
        if any(c in "".join(pair) for c in "\r\n"):
            msg = f"A header cannot hold a line break; got {pair[0]!r}: {pair[1]!r}."
            raise InvalidUse(msg)
    return tuple(pairs)


def _checked_chunks(chunks: Any) -> tuple[Chunk, ...]:
    """Return the pieces of a body.

    Raises:
        InvalidUse: one of them is neither bytes nor a pause.
    """
    for chunk in chunks if isinstance(chunks, (tuple, list)) else (chunks,):
        if isinstance(chunks, (bytes, str, Pause)) or not isinstance(chunk, (bytes, Pause)):
            given = chunks if isinstance(chunks, (bytes, str, Pause)) else chunk
            text = " A text is sent as text.encode(), or whole by Reply.text(...)." * isinstance(given, str)
            msg = f"chunks are a tuple of bytes and Pause(...), such as (b'data',); got {given!r}.{text}"
            raise InvalidUse(msg)
    return tuple(chunks)


def _joined(acts: list[Act]) -> list[Act]:
    """Send head and first piece of the body in one packet, as servers do."""
    if len(acts) > 1 and isinstance(acts[0], bytes) and isinstance(acts[1], bytes):
        return [acts[0] + acts[1], *acts[2:]]
    return acts


def _reason(status: int) -> str:
    if status in _PHRASES:
        return _PHRASES[status]
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
