"""What holds for every test here: nothing leaves the machine."""

from __future__ import annotations

import pytest

from tests import no_escape


def pytest_configure() -> None:
    """Watch from the start; each xdist worker watches itself."""
    no_escape.watch()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the session when something escaped."""
    no_escape.fail_if_any(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what escaped."""
    for line in no_escape.lines():
        terminalreporter.write_line(line, red=True)
