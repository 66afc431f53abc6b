"""Signing: who may, what is carried from test to session, and the one place that writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, TypedDict

import pytest

from pytest_llmfaults._contract import compare as comparing
from pytest_llmfaults._contract import store
from pytest_llmfaults._contract.compare import Category, Changes
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._faults import CATALOGUE, EDITION
from pytest_llmfaults._pytest import options
from pytest_llmfaults._pytest.session import REPORT_KEY
from pytest_llmfaults.errors import ContractError, InvalidUse

__all__ = ["CI_VARIABLES", "Entry", "Ledger", "attach", "check", "ci_variable", "entry", "note", "wanted"]

CI_VARIABLES: Final = (
    "CI",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "BUILDKITE",
    "CIRCLECI",
    "TF_BUILD",
    "JENKINS_URL",
    "TEAMCITY_VERSION",
    "BITBUCKET_BUILD_NUMBER",
)
"""The variables that say that this is CI."""


class Entry(TypedDict):
    """What one check tells the session, in plain types."""

    path: str
    nodeid: str
    ok: str
    interrupt: str | None
    behaviours: dict[str, list[str]]
    catalogue: int
    wires: list[str]
    editions: dict[str, int]
    versions: dict[str, str]
    accepted: list[str]
    held: int
    newer: int
    removed: str | None
    findings: list[str]


def wanted(config: pytest.Config) -> tuple[Category, ...]:
    """Return the categories that this run signs."""
    text = config.getoption(options.SIGN)
    return comparing.categories(text) if text else ()


def entry(
    path: Path, nodeid: str, observed: Contract, findings: Iterable[str], changes: Changes, accepted: Iterable[Category]
) -> Entry:
    """Reduce a check to what the session needs."""
    return Entry(
        path=str(path),
        nodeid=nodeid,
        ok=observed.ok,
        interrupt=observed.interrupt,
        behaviours={name: [what.persists, what.once] for name, what in observed.behaviours.items()},
        catalogue=observed.catalogue,
        wires=list(observed.wires),
        editions=dict(observed.editions),
        versions=dict(observed.versions),
        accepted=list(accepted),
        held=changes.held,
        newer=len(changes.of("newer")),
        removed=None,
        findings=list(findings),
    )


_ENTRIES: Final = pytest.StashKey[list[Entry]]()


def note(item: pytest.Item, one: Entry) -> None:
    """Keep an entry with its test, until the test's report is made."""
    item.stash.setdefault(_ENTRIES, []).append(one)


def attach(item: pytest.Item, report: pytest.TestReport) -> None:
    """Give the entries of a test to the report of its body."""
    if report.when == "call" and _ENTRIES in item.stash:
        setattr(report, REPORT_KEY, [dict(one) for one in item.stash[_ENTRIES]])
        del item.stash[_ENTRIES]  # a test that runs again has entries of its own


class Ledger:
    """What all contracts of a session said. Only the process that reports has one, and only it writes."""

    def __init__(self) -> None:
        """Start empty."""
        self._held = self._newer = self._refused = 0
        self._nodeids: dict[str, None] = {}
        self._findings: dict[str, dict[str, None]] = {}
        self._to_sign: list[Entry] = []
        self._said: list[str] = []
        self._removed: dict[str, str] = {}

    def take(self, report: pytest.TestReport) -> None:
        """Take what a test's contracts said."""
        entries: list[Entry] = getattr(report, REPORT_KEY)
        for one in entries:
            self._nodeids.setdefault(one["nodeid"])
            self._held += one["held"]
            self._newer += one["newer"]
            if one["removed"]:
                self._removed[one["nodeid"]] = one["removed"]
            if one["findings"]:
                self._findings.setdefault(one["nodeid"], {}).update(dict.fromkeys(one["findings"]))
            if one["accepted"] and report.outcome == "passed":
                self._to_sign.append(one)
            elif one["accepted"]:
                self._refused += 1

    def write(self) -> bool:
        """Write what was accepted, one file at a time; False when one could not be written."""
        by_path: dict[str, list[Entry]] = {}
        for one in self._to_sign:
            by_path.setdefault(one["path"], []).append(one)
        written = failed = 0
        for path, entries in sorted(by_path.items()):
            try:
                written += _write(Path(path), entries)
            except ContractError as error:
                failed += 1
                self._said.append(f"not signed: {error}")
        if written:
            self._said.append(f"{_count(written, 'contract')} signed; read the diff before you commit it")
        if self._refused:
            refused = _count(self._refused, "contract")
            self._said.append(
                f"{refused} not signed: the test failed. What changed is signed by --llmfaults-sign=changed"
            )
        return not failed

    def lines(self, *, verbose: bool) -> list[str]:
        """Say in one line what was held; verbose says the findings too."""
        total = sum(map(len, self._findings.values()))
        line = f"{_count(len(self._nodeids), 'contract')}, {_count(self._held, 'fault')} held"
        if total:
            line += f", {_count(total, 'finding')} to look at{'' if verbose else ' (-v)'}"
        lines = [line, *self._said, *(f"{nodeid}: {text}" for nodeid, text in self._removed.items())]
        if self._newer:
            lines.append(f"{_count(self._newer, 'fault')} newer than the contracts: pytest --llmfaults-sign=new")
        lines = [f"llmfaults: {text}" for text in lines]
        if verbose:
            for nodeid, texts in self._findings.items():
                lines += [nodeid, *(f"  {text}" for text in texts)]
        return lines


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _write(path: Path, entries: Iterable[Entry]) -> bool:
    """Accept what was observed into the file of one test."""
    since = {row.name: row.since for row in CATALOGUE.values()}
    signed = store.load(path, since=since, edition=EDITION)
    nodeid = ""
    for one in entries:
        nodeid = one["nodeid"]
        observed = _contract(one)
        changes = comparing.compare(signed, observed, since=since, selection=list(observed.behaviours))
        signed = comparing.accept(signed, observed, changes, comparing.categories(",".join(one["accepted"])))
    return signed is not None and store.store(path, signed, nodeid=nodeid, since=since)


def _contract(one: Entry) -> Contract:
    return Contract(
        catalogue=one["catalogue"],
        ok=one["ok"],
        interrupt=one["interrupt"],
        behaviours={name: Behaviour(*sentences) for name, sentences in one["behaviours"].items()},
        wires=tuple(one["wires"]),
        editions=one["editions"],
        versions=one["versions"],
    )


def check(config: pytest.Config) -> None:
    """Refuse to sign where nobody reads.

    Raises:
        pytest.UsageError: the run is in CI, or a category is none.
    """
    text = config.getoption(options.SIGN)
    if not text:
        return
    try:
        comparing.categories(text)
    except InvalidUse as error:
        msg = f"--llmfaults-sign: {error}"
        raise pytest.UsageError(msg) from None
    found = ci_variable(os.environ)
    if found is not None:
        msg = f"--llmfaults-sign was given in CI ({found} is set). A signature is a person's act: sign at your desk."
        raise pytest.UsageError(msg)


def ci_variable(environment: Mapping[str, str]) -> str | None:
    """Return the variable that says that this is CI, or None."""
    off = {"", "0", "false", "no"}
    return next((name for name in CI_VARIABLES if environment.get(name, "").lower() not in off), None)
