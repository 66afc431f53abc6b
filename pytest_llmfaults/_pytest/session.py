"""What a whole session keeps: the contracts' ledger, made only when a test has a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_llmfaults._pytest.sign import Ledger

__all__ = ["REPORT_KEY", "Session"]

REPORT_KEY = "_llmfaults_contract"
"""The attribute of a test's report that carries what its contracts said, in plain types that xdist can send."""


class Session:
    """Hooks of the process that reports; a worker of xdist has none."""

    def __init__(self) -> None:
        """Start without a contract."""
        self._ledger: Ledger | None = None

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test's contracts said."""
        if hasattr(report, REPORT_KEY):
            if self._ledger is None:
                from pytest_llmfaults._pytest.sign import Ledger

                self._ledger = Ledger()
            self._ledger.take(report)

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what a person accepted."""
        if self._ledger is not None and not self._ledger.write():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was held, where there is a contract."""
        if self._ledger is not None:
            for line in self._ledger.lines(verbose=terminalreporter.verbosity > 0):
                terminalreporter.write_line(line)
