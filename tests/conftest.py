"""What holds for every test here: nothing leaves the machine."""

from __future__ import annotations

from collections.abc import Iterator

import aiohttp  # noqa: F401 - a nested run drops what it imports first: a library must not be halved that way
import httpcore  # noqa: F401
import httpcore2  # noqa: F401
import httpx  # noqa: F401
import httpx2  # noqa: F401
import pytest
import requests  # noqa: F401
import urllib3  # noqa: F401
import vcr.stubs.aiohttp_stubs  # type: ignore[import-untyped]
import vcr.stubs.httpx_stubs  # type: ignore[import-untyped]
import vcr.stubs.requests_stubs  # type: ignore[import-untyped]
import vcr.stubs.urllib3_stubs  # type: ignore[import-untyped]  # noqa: F401

import pytest_llmfaults._inject
import pytest_llmfaults._pytest.state  # noqa: F401 - nor may this package
from tests import no_escape


def pytest_configure() -> None:
    """Watch from the start; each xdist worker watches itself."""
    no_escape.watch()


@pytest.fixture(autouse=True)
def _no_escape() -> Iterator[None]:
    """Fail the test in which something escaped, or the one after it when a thread was late."""
    before = len(no_escape.escapes)
    yield
    assert no_escape.escapes[before:] == []


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the session when something escaped outside of a test."""
    no_escape.fail_if_any(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what escaped."""
    for line in no_escape.lines():
        terminalreporter.write_line(line, red=True)
