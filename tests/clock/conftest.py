from __future__ import annotations

import contextlib
import http.server
import threading
import time
from typing import TYPE_CHECKING

import pytest

from pytest_llmfaults._clock import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def running(*, frozen: bool = False) -> Iterator[Clock]:
    clock = Clock(frozen=frozen)
    clock.start()
    try:
        yield clock
    finally:
        clock.stop()


@pytest.fixture
def clock() -> Iterator[Clock]:
    with running() as clock:
        yield clock


@pytest.fixture
def frozen() -> Iterator[Clock]:
    with running(frozen=True) as clock:
        yield clock


class _Slow(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        time.sleep(0.15)
        self.send_response(200)
        self.send_header("content-length", "4")
        self.end_headers()
        self.wfile.write(b"true")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def server() -> Iterator[int]:
    """A real server, on a thread of its own, that takes 0.15 true seconds."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Slow)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()
