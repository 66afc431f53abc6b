"""The audit by discovery: what is observed, and what is printed and written at the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_llmfaults._contract import show_search
from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.campaign import Ground, Limits, discovery
from pytest_llmfaults._contract.discover import Tell
from pytest_llmfaults._contract.sentence import sentence
from pytest_llmfaults._contract.study import Steps, observing_baseline
from pytest_llmfaults._pytest import findings
from pytest_llmfaults._pytest.audit_request import Request

__all__ = ["REPORT_KEY", "Discovered", "discovering"]

REPORT_KEY: Final = "_llmfaults_audited"
"""The attribute of a test's report that carries what was observed, in plain types that xdist can send."""

_JSON_FORMAT: Final = 1


def discovering(subject: Subject, limits: Limits, root: Path, tell: Tell) -> Steps[dict[str, Any]]:
    """Discover what a subject does, as plain types.

    Args:
        subject: what is called.
        limits: how far it goes.
        root: the folder whose modules are the subject's own.
        tell: told of the progress.
    """
    baseline = yield from observing_baseline(subject)
    found, due = yield from discovery(Ground(subject, baseline, None, None, limits), tell=tell)
    own = findings.own_modules(found.study, root)
    return {
        "ok": sentence(baseline.ok.observation),
        "variants": found.variants,
        "complete": found.complete,
        "lines": show_search.discovery(found, due, own),
        "groups": show_search.as_json(found, due, own),
    }


class Discovered:
    """What is printed at the end of a discovery, and written for programs."""

    def __init__(self, request: Request) -> None:
        """Start empty."""
        self._request = request
        self._seen: dict[str, Any] | None = None

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what was discovered."""
        self._seen = getattr(report, REPORT_KEY, self._seen)

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the groups."""
        seen = self._seen
        if seen is None:
            return
        if self._request.json_path is not None:
            plain = {"format": _JSON_FORMAT, "subject": self._request.subject}
            plain.update({name: seen[name] for name in ("ok", "variants", "complete", "groups")})
            text = json.dumps(plain, indent=2, ensure_ascii=False, sort_keys=True)
            Path(self._request.json_path).write_text(text + "\n", encoding="utf-8")
        kinds = f"{len(seen['groups'])} kinds of behaviour in {seen['variants']} variants"
        terminalreporter.section(f"{self._request.subject}: {kinds}", sep="-")
        for line in (f"healthy: {seen['ok']}", "", *seen["lines"]):
            terminalreporter.write_line(line)
