"""A real server on loopback that plays scripts byte for byte."""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Final

from typing_extensions import Self

from pytest_llmfaults._reply import End, Pause, Reply
from pytest_llmfaults._request import Request

_PATIENCE_SECONDS: Final = 5.0
"""No socket of the gateway outlives this."""

_DRAIN_SECONDS: Final = 0.1
_ROUND_TRIP_SECONDS: Final = 0.02
_BEAT_SECONDS: Final = 0.002


class Gateway:
    """A real server on loopback that answers each request with a script."""

    def __init__(self, reply_to: Callable[[Request, int], Reply]) -> None:
        """Listen on a free port.

        Args:
            reply_to: chooses the reply from the request and its index.
        """
        self.requests: list[Request] = []
        self.connections = 0
        self._reply_to = reply_to
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._readers = 0
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = listening(64)
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        thread = threading.Thread(target=self._accept, name="judge", daemon=True)
        self._threads.append(thread)
        thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        with contextlib.suppress(OSError):  # wakes the thread that accepts; not every system allows it
            self._listener.shutdown(socket.SHUT_RDWR)
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):  # the peer may have closed it
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(_PATIENCE_SECONDS)
        self._listener.close()

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(_PATIENCE_SECONDS)
            with self._lock:
                self._open.add(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), name="judge", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with contextlib.suppress(OSError):  # the client left in the middle, as some tests want it to
                buffer = b""
                while not self._stop.is_set():
                    request, buffer = self._read(connection, buffer)
                    if request is None or not self._play(connection, request):
                        return
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def _read(self, connection: socket.socket, buffer: bytes) -> tuple[Request | None, bytes]:
        with self._lock:
            self._readers += 1
        try:
            request, buffer = read_request(connection, buffer, self.port)
            if request is not None:
                with self._lock:
                    self.requests.append(request)
            return request, buffer
        finally:
            with self._lock:
                self._readers -= 1

    def drain(self) -> None:
        """Wait until whatever the clients sent, before they closed, has been read. Some never close; that is theirs."""
        deadline = time.perf_counter() + _DRAIN_SECONDS
        time.sleep(_BEAT_SECONDS)
        while self._readers and time.perf_counter() < deadline:
            time.sleep(_BEAT_SECONDS)

    def _play(self, connection: socket.socket, request: Request) -> bool:
        for act in self._reply_to(request, self.requests.index(request)).script():
            if isinstance(act, bytes):
                connection.sendall(act)
            elif isinstance(act, Pause):
                self._stop.wait(_PATIENCE_SECONDS if act.seconds is None else act.seconds)
            else:
                return _end(connection, act)
        return True


def _end(connection: socket.socket, end: End) -> bool:
    """End as the script says, and tell whether the connection goes on."""
    if end.kind == "stale":
        if not connection.recv(65536):
            return False  # the client did not try again on this connection
        # An RST takes a round trip. At once, it would come between head and body of the same request, and httpx, which
        # overlooks that its write failed, would find the connection closed instead of reset.
        time.sleep(_ROUND_TRIP_SECONDS)
    if end.kind in {"reset", "stale"}:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False
    if end.kind == "close":
        # Half-close and wait for the client: a close while it still writes would turn the FIN into a RST.
        connection.shutdown(socket.SHUT_WR)
    if end.kind in {"close", "stall"}:
        while connection.recv(65536):
            pass
        return False
    return True


def listening(backlog: int) -> socket.socket:
    """Return a listener on a free port. IPPROTO_TCP is named, or TCP_NODELAY stays off in what it accepts."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(backlog)
    return listener


def read_request(connection: socket.socket, buffer: bytes, port: int) -> tuple[Request | None, bytes]:
    """Read one request; None when the client closed instead."""
    while b"\r\n\r\n" not in buffer:
        data = connection.recv(65536)
        if not data:
            return None, b""
        buffer += data
    head, _, rest = buffer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = tuple((name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines))
    request = Request(method, f"http://127.0.0.1:{port}{target}", headers, wire="openai.chat")
    if (request.header("expect") or "").lower() == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    chunked = (request.header("transfer-encoding") or "").lower() == "chunked"
    length = int(request.header("content-length") or 0)
    while not rest.endswith(b"0\r\n\r\n") if chunked else len(rest) < length:
        data = connection.recv(65536)
        if not data:
            return None, b""
        rest += data
    body, rest = (_unchunked(rest), b"") if chunked else (rest[:length], rest[length:])
    return dataclasses.replace(request, body=body), rest


def _unchunked(data: bytes) -> bytes:
    body = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        body, data = body + data[: int(size, 16)], data[int(size, 16) + 2 :]
    return body
