"""An incremental parser of HTTP/1.1 requests, as small as a fake server needs."""

from __future__ import annotations

from typing import Final, TypeAlias

__all__ = ["CONTINUE", "TUNNEL", "Incoming", "library_of", "url_of"]

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
TUNNEL: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def url_of(scheme: str, host: str, port: int, method: str, target: str) -> str:
    """Return the absolute URL of a request target: a plain proxy is sent one, an origin a path."""
    if target.startswith(("http://", "https://")) or method == "CONNECT":
        return target
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{scheme}://{host}{'' if _DEFAULT_PORTS.get(scheme) == port else f':{port}'}{target}"


def library_of(library: str, headers: tuple[tuple[str, str], ...]) -> str:
    """Return the library that a person knows: requests, where it is what stands on urllib3."""
    if library == "urllib3":
        agent = next((value for name, value in headers if name.lower() == "user-agent"), "")
        return "requests" if agent.startswith("python-requests/") else library
    return library


def _not_http(data: bytes | bytearray) -> ValueError:
    return ValueError(f"it begins with {bytes(data[:16])!r}")


Complete: TypeAlias = "tuple[str, str, tuple[tuple[str, str], ...], bytes, bytes]"
"""Method, target, headers, body without its framing, and the raw bytes of all."""


class Incoming:
    """Bytes that a client wrote, cut into requests."""

    __slots__ = ("_at", "_body_at", "_buffer", "_expects", "_head", "_length", "_pieces")

    def __init__(self) -> None:
        """Start empty."""
        self._buffer = bytearray()
        self._reset()

    def _reset(self) -> None:
        self._head: tuple[str, str, tuple[tuple[str, str], ...]] | None = None
        self._body_at = 0
        self._length: int | None = 0  # None is chunked
        self._at = 0
        self._pieces: list[bytes] = []
        self._expects = False

    def add(self, data: bytes | bytearray) -> None:
        """Take more bytes."""
        self._buffer += data

    def take_expectation(self) -> bool:
        """Tell once, after the head, whether the client waits for 100 (Continue)."""
        expects, self._expects = self._expects, False
        return expects

    def complete(self) -> Complete | None:
        """Return the first request that is complete and forget it, or None when more bytes are needed.

        Raises:
            ValueError: this is no HTTP/1.1.
        """
        if not self._buffer or (self._head is None and not self._parse_head()):
            return None
        end = self._chunked_end() if self._length is None else self._body_at + self._length
        if end is None or len(self._buffer) < end:
            return None
        body = b"".join(self._pieces) if self._length is None else bytes(self._buffer[self._body_at : end])
        raw = bytes(self._buffer[:end])
        del self._buffer[:end]
        method, target, headers = self._head or ("", "", ())
        self._reset()
        return method, target, headers, body, raw

    def _parse_head(self) -> bool:
        if self._buffer[0] < 0x41:  # no letter: SOCKS, TLS
            raise _not_http(self._buffer)
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        lines = self._buffer[:end].decode("latin-1").split("\r\n")
        method, target, version = lines[0].split(" ", 2)
        if version not in {"HTTP/1.1", "HTTP/1.0"}:
            raise _not_http(self._buffer)
        headers = tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:]))
        told = {name.lower(): value for name, value in headers}
        if "content-length" in told:
            self._length = int(told["content-length"])
        if told.get("transfer-encoding", "").lower() == "chunked":
            self._length = None
        self._expects = told.get("expect", "").lower() == "100-continue"
        self._head = (method.upper(), target, headers)
        self._body_at = self._at = end + 4
        return True

    def _chunked_end(self) -> int | None:
        buffer = self._buffer
        while (line_end := buffer.find(b"\r\n", self._at)) >= 0:
            size = int(bytes(buffer[self._at : line_end]).partition(b";")[0], 16)
            if size == 0:
                end = buffer.find(b"\r\n\r\n", line_end)
                return end + 4 if end >= 0 else None
            start = line_end + 2
            if len(buffer) < start + size + 2:
                return None
            self._pieces.append(bytes(buffer[start : start + size]))
            self._at = start + size + 2
        return None
