"""The audit, as a plugin of a pytest run of its own: one test a fault, and at the end what one looks at first."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import inspect
import json
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.observation import Behaviour, Observation, Span
from pytest_llmfaults._contract.rank import Finding, Observed, ranked
from pytest_llmfaults._contract.reasons import line as why
from pytest_llmfaults._contract.study import Baseline, Steps, Study, drive, drive_async, observing_baseline, studying
from pytest_llmfaults._faults import CATALOGUE, Fault, fault, faults
from pytest_llmfaults._placeholders import placeholders
from pytest_llmfaults._pytest import audit_why, findings, frames, groups
from pytest_llmfaults._pytest.audit_discover import REPORT_KEY, Discovered
from pytest_llmfaults._pytest.audit_request import Request, load
from pytest_llmfaults._pytest.report import show
from pytest_llmfaults._run import Settings
from pytest_llmfaults.errors import InvalidUse, LLMFaultsError, Refused

_T = TypeVar("_T")

__all__ = ["CASES", "DISCOVERY", "INI", "OPTION", "Auditor"]

OPTION: Final = "llmfaults-audit"
CASES: Final = str(Path(__file__).with_name("audit_cases.py"))
DISCOVERY: Final = str(Path(__file__).with_name("audit_discovery.py"))
INI: Final = str(Path(__file__).with_name("audit.ini"))
_JSON_FORMAT: Final = 1
_COLUMNS: Final = 80
_AUDITOR: Final = pytest.StashKey["Auditor"]()
_SEEN: Final = pytest.StashKey[dict[str, Any]]()


class Auditor:
    """The subject of an audit, in one process."""

    def __init__(self, request: Request, root: Path) -> None:
        """Import the subject."""
        self.request = request
        self.root = root
        self._call = load(request)
        self._baseline: Baseline | None = None

    def begin(self) -> None:
        """Make the healthy call, once for all faults; what it prints it prints under each of them, too.

        Raises:
            LLMFaultsError: nothing could be learned from faults; the text says why.
            Refused: it asks where nothing may go.
        """
        with audit_why.quiet():
            self._baseline = self.driven(observing_baseline(self.subject))

    def observe(self, row: Fault) -> dict[str, Any]:
        """Observe the subject under one fault; plain types, so that xdist can send them."""
        study = self.driven(self._steps(self.subject, row))
        case = study.cases[0]
        return {
            "fault": row.name,
            "ok": study.contract(row.since).ok,
            "behaviour": [case.behaviour.persists, case.behaviour.once],
            "persists": dataclasses.asdict(case.persists.observation) if case.persists else None,
            "once": dataclasses.asdict(case.once.observation) if case.once else None,
            "unfit": any(one.unfit for one in study.ranked_input()),
            "own": findings.own_modules(study, self.root),
            "usual": study.baseline.ok.observation.attempts,
        }

    @functools.cached_property
    def subject(self) -> Subject:
        """What is called, and what the healthy model says."""
        answer = Answer(self.request.answer, data=self.request.data)
        return Subject(call=self._call, settings=Settings(answer=lambda: answer))

    def driven(self, steps: Steps[_T]) -> _T:
        """Make the calls, in a loop where the subject has to be awaited."""
        with contextlib.closing(steps):
            return asyncio.run(drive_async(steps)) if is_async(self._call) else drive(steps)

    def whys(self, names: Iterable[str]) -> dict[str, str]:
        """Say of each fault what made the subject ask again."""
        return audit_why.replayed(self.subject, names, asynchronous=is_async(self._call))

    def _steps(self, subject: Subject, row: Fault) -> Steps[Study]:
        if self._baseline is None:
            self._baseline = yield from observing_baseline(subject)
        return (yield from studying(subject, [row], self._baseline))


def is_async(call: functools.partial[Any]) -> bool:
    """Tell whether a callable has to be awaited: a coroutine function, or an object whose call is one."""
    called = getattr(call.func, "__call__", None)  # noqa: B004 - the question is whether that is a coroutine function
    return inspect.iscoroutinefunction(call.func) or inspect.iscoroutinefunction(called)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the request from the command line of the audit."""
    parser.getgroup("llmfaults").addoption(f"--{OPTION}", dest="llmfaults_audit", help="(set by the audit)")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Import the subject, with placeholder keys in place, once it is known what other packages bring."""
    stack = contextlib.ExitStack()
    stack.enter_context(placeholders())
    config.add_cleanup(stack.close)
    try:
        asked = Request.from_json(config.getoption("llmfaults_audit"))
        faults(*asked.faults)
        config.stash[_AUDITOR] = Auditor(asked, config.rootpath)
    except InvalidUse as error:
        raise pytest.UsageError(str(error)) from None
    if not hasattr(config, "workerinput"):
        request = config.stash[_AUDITOR].request
        summary = Discovered(request) if request.discover else Summary(request)
        config.pluginmanager.register(summary, "llmfaults-audit-summary")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Make the healthy call, in the process that prints: what fails here would fail under every fault."""
    config = session.config
    if hasattr(config, "workerinput") or config.getoption("collectonly"):
        return
    try:
        config.stash[_AUDITOR].begin()
    except (LLMFaultsError, Refused) as error:
        raise pytest.UsageError(str(error)) from None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each fault."""
    if "llmfaults_audited" not in metafunc.fixturenames:
        return
    names = [row.name for row in faults(*metafunc.config.stash[_AUDITOR].request.faults)]
    metafunc.parametrize("llmfaults_audited", names, ids=names)


@pytest.fixture
def llmfaults_auditor(request: pytest.FixtureRequest) -> Auditor:
    """Return the subject of this audit."""
    return request.config.stash[_AUDITOR]


def keep(item: pytest.Item, seen: dict[str, Any]) -> None:
    """Leave what was seen of one fault for its report."""
    item.stash[_SEEN] = seen


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Give what was seen to the report."""
    if call.excinfo is not None and not item.config.getoption("fulltrace"):
        frames.drop_ours(call.excinfo.value)
    report = yield
    show(report, call.excinfo, verbose=item.config.get_verbosity() > 0)
    if report.when == "call" and _SEEN in item.stash:
        setattr(report, REPORT_KEY, item.stash[_SEEN])
    return report


class Summary:
    """What is printed at the end, and written for programs."""

    def __init__(self, request: Request) -> None:
        """Start empty."""
        self._request = request
        self._seen: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what was seen of one fault."""
        if hasattr(report, REPORT_KEY):
            seen: dict[str, Any] = getattr(report, REPORT_KEY)
            self._seen[seen["fault"]] = seen

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the ranked lines, then the behaviours."""
        if not self._seen:
            return
        ranked_lines = self._ranked()
        retried = audit_why.one_of_each({seen["fault"]: seen for seen in self._in_order()}, ranked_lines)
        in_vain = audit_why.in_vain(retried, ranked_lines)
        auditor = terminalreporter.config.stash[_AUDITOR]
        whys = auditor.whys(in_vain if self._request.json_path is None else retried)
        if self._request.json_path is not None:
            text = json.dumps(
                {**self._as_json(ranked_lines), "why": whys}, indent=2, ensure_ascii=False, sort_keys=True
            )
            Path(self._request.json_path).write_text(text + "\n", encoding="utf-8")
        terminalreporter.section(f"{self._request.subject} under {len(self._seen)} faults", sep="-")
        healthy = next(iter(self._seen.values()))["ok"]
        verbose = terminalreporter.config.get_verbosity() >= 0  # the command begins with one -q
        look = [
            line
            for finding in ranked_lines
            for line in (
                finding.text,
                *([f"  {finding.names}"] if verbose and finding.count > 1 else []),
                *(f"  {why(name, whys[name])}" for name in in_vain if name in finding.faults),
            )
        ]
        parts = [f"healthy: {healthy}"], look, self._behaviours()
        for part in parts:
            for line in part:
                for piece in _wrapped(line):
                    terminalreporter.write_line(piece)
            terminalreporter.write_line("")

    def _in_order(self) -> list[dict[str, Any]]:
        return [self._seen[name] for name in CATALOGUE if name in self._seen]

    def _ranked(self) -> tuple[Finding, ...]:
        own = {module for seen in self._seen.values() for module in seen["own"]}
        observed = [
            Observed(fault(seen["fault"]), _observation(seen["persists"]), _observation(seen["once"]), seen["unfit"])
            for seen in self._in_order()
            if seen["persists"] is not None
        ]
        return ranked(observed, own=own, usual=max(seen["usual"] for seen in self._seen.values()))

    def _behaviours(self) -> list[str]:
        behaviours = {name: Behaviour(*seen["behaviour"]) for name, seen in self._seen.items()}
        return groups.lines(behaviours, CATALOGUE)

    def _as_json(self, ranked_lines: tuple[Finding, ...]) -> dict[str, Any]:
        return {
            "format": _JSON_FORMAT,
            "subject": self._request.subject,
            "findings": [
                {"kind": finding.kind, "faults": list(finding.faults), "text": finding.text} for finding in ranked_lines
            ],
            "faults": {
                seen["fault"]: {
                    "persists": seen["behaviour"][0],
                    "once": seen["behaviour"][1],
                    "observation": seen["persists"],
                }
                for seen in self._in_order()
            },
        }


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, _COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _observation(plain: dict[str, Any]) -> Observation:
    spans = tuple(Span(**span) for span in plain["waits"])
    return Observation(**{**plain, "waits": spans, "elapsed": Span(**plain["elapsed"])})
