"""An upgrade of the plugin turns no build red: newer rows are counted, removed ones are said, old files are read."""

from __future__ import annotations

import dataclasses

import pytest

from pytest_llmfaults import _faults
from pytest_llmfaults._contract import store
from pytest_llmfaults._faults import CATALOGUE, EDITION
from pytest_llmfaults._pytest import holding, searching, sign
from pytest_llmfaults._registry import Registry

from .conftest import SigningSuite

LATER = EDITION + 1
ALL = """
    def test_it(llmfaults_contract):
        llmfaults_contract.check(ask, faults={faults})
"""
FAMILIES = ALL.format(faults='["content", "usage", "body.empty"]')
EACH = """
    @pytest.mark.llmfaults("content", "usage")
    def test_it(llmfaults_contract):
        llmfaults_contract.check(ask)
"""
ONE_LINE = "llmfaults: 9 faults newer than the contracts: pytest --llmfaults-sign=new"


def install(monkeypatch: pytest.MonkeyPatch, *, newer: int = 0, without: str = "") -> None:
    """Install the catalogue of a later version."""
    rows = {name: row for name, row in CATALOGUE.items() if name != without}
    for number in range(newer):
        family = "content" if number % 2 else "usage"
        old = CATALOGUE["content.empty" if number % 2 else "usage.absent"]
        rows[f"{family}.newer_{number}"] = dataclasses.replace(old, name=f"{family}.newer_{number}", since=LATER)
    for module in (_faults, holding, sign):
        monkeypatch.setattr(module, "CATALOGUE", Registry("faults", rows))
    for module in (_faults, holding, searching, sign):
        monkeypatch.setattr(module, "EDITION", LATER)


def test_nine_newer_rows_leave_the_run_green_with_one_line(
    suite: SigningSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.sign(FAMILIES)
    before, held = suite.signed, suite.run(FAMILIES).outlines
    install(monkeypatch, newer=9)
    result = suite.run(FAMILIES)
    result.assert_outcomes(passed=1)
    said = [line for line in result.outlines if line.startswith("llmfaults:")]
    assert said == [next(line for line in held if line.startswith("llmfaults:")), ONE_LINE]
    assert suite.signed == before


def test_what_changed_stays_red_after_an_upgrade(suite: SigningSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.sign(FAMILIES)
    install(monkeypatch, newer=9)
    result = suite.run(FAMILIES.replace("ask,", "lambda: ask() or None,"))
    result.stdout.fnmatch_lines(["*content.*: returns None instead of *"])
    result.stdout.no_fnmatch_line("*newer_*")


@pytest.mark.parametrize("categories", ["new", "all"])
def test_signing_new_takes_them_in(suite: SigningSuite, categories: str) -> None:
    suite.sign(FAMILIES)
    with pytest.MonkeyPatch.context() as later:
        install(later, newer=9)
        suite.sign(FAMILIES, categories=categories).assert_outcomes(passed=1)
        assert f"catalogue = {LATER} " in suite.signed
        result = suite.run(FAMILIES)
        result.assert_outcomes(passed=1)
        result.stdout.no_fnmatch_line("*newer than*")
    result = suite.run(FAMILIES)  # and whoever has not upgraded yet is told to
    result.stdout.fnmatch_lines([f"*catalogue = {LATER} is newer than the edition*Upgrade pytest-llmfaults.*"])


@pytest.mark.parametrize("categories", ["changed", "stale"])
def test_signing_something_else_leaves_them_out(
    suite: SigningSuite, monkeypatch: pytest.MonkeyPatch, categories: str
) -> None:
    suite.sign(FAMILIES)
    before = suite.signed
    install(monkeypatch, newer=9)
    suite.sign(FAMILIES, categories=categories).assert_outcomes(passed=1)
    assert suite.signed == before


def test_one_test_per_fault_adds_no_case(suite: SigningSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    before = suite.sign(EACH).parseoutcomes()
    install(monkeypatch, newer=9)
    result = suite.run(EACH)
    assert result.parseoutcomes() == before
    result.stdout.no_fnmatch_line("*newer_*")


def test_a_removed_row_is_said_and_fails_nothing(suite: SigningSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    code = ALL.format(faults='[name for name in ("content.empty", "usage.absent") if name in CATALOGUE]')
    code = "\n    from pytest_llmfaults._faults import CATALOGUE\n" + code
    suite.sign(code)
    before = suite.signed
    install(monkeypatch, without="usage.absent")
    result = suite.run(
        "\n    from pytest_llmfaults import _faults\n" + code.replace("in CATALOGUE", "in _faults.CATALOGUE")
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["llmfaults: *usage.absent: not in this catalogue, no longer held.*"])
    assert suite.signed == before


def test_a_file_of_an_older_format_is_read(suite: SigningSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.sign(FAMILIES)
    monkeypatch.setattr(store, "FORMAT", 2)
    suite.run(FAMILIES).assert_outcomes(passed=1)
    assert "format = 1" in suite.signed
