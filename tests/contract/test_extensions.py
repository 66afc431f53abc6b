"""Faults of another package in a contract: they have editions of their own, and an upgrade of it turns no build red."""

from __future__ import annotations

import re

import pytest

from pytest_llmfaults._contract import store
from pytest_llmfaults.errors import ContractError

from .conftest import SigningSuite

ACME = """
    from pytest_llmfaults.extending import Fault, put

    def row(name, since, text):
        fields = {{"meaning": "Dots.", "draw": "fresh", "slot": "content", "wires": ("openai.chat",)}}
        return Fault(name=name, since=since, play=put("content", text), **fields)

    def pytest_llmfaults_faults():
        return [{rows}]
"""
FIRST = ACME.format(rows="row('acme.dots', 1, 'Dots'), row('acme.marks', 1, 'Dots')")
SECOND = ACME.format(rows="row('acme.dots', 1, 'Dots'), row('acme.marks', 1, 'Dots'), row('acme.new', 2, 'new')")
GONE = ACME.format(rows="row('acme.marks', 1, 'Dots'), row('acme.new', 2, 'new')")
CHECK = """
    def test_it(llmfaults_contract):
        llmfaults_contract.check(ask, faults={faults})
"""
ALL = CHECK.format(faults='["content.empty", "acme"]')


def said(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("llmfaults:")]


def test_a_family_is_signed_with_its_own_edition(suite: SigningSuite) -> None:
    suite.sign(ALL, conftest=FIRST)
    assert "\neditions = { acme = 1 }  # of families that other packages bring, likewise\n" in suite.signed
    assert 'faults = ["acme.*"]' in suite.signed
    suite.run(ALL, conftest=FIRST).assert_outcomes(passed=1)


def test_an_upgrade_of_the_package_leaves_the_run_green_with_one_line(suite: SigningSuite) -> None:
    suite.sign(ALL, conftest=FIRST)
    before = suite.signed
    result = suite.run(ALL, conftest=SECOND)
    result.assert_outcomes(passed=1)
    assert "llmfaults: 1 fault newer than the contracts: pytest --llmfaults-sign=new" in said(result)
    assert suite.signed == before


def test_a_person_takes_the_newer_rows_in(suite: SigningSuite) -> None:
    suite.sign(ALL, conftest=FIRST)
    suite.sign(ALL, conftest=SECOND)
    assert "editions = { acme = 2 }" in suite.signed
    assert "acme.new" in suite.signed
    result = suite.run(ALL.replace("ask,", "lambda: ask() + '!',"), conftest=SECOND)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*acme.new*"])


def test_what_changed_is_red_after_an_upgrade_too(suite: SigningSuite) -> None:
    suite.sign(ALL, conftest=FIRST)
    result = suite.run(ALL.replace("ask,", "lambda: ask().upper(),"), conftest=SECOND)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "acme.new" not in result.stdout.str()


@pytest.mark.parametrize("conftest", [GONE, ""], ids=["a row", "the package"])
def test_what_is_gone_is_said_and_fails_nothing(suite: SigningSuite, conftest: str) -> None:
    suite.sign(ALL, conftest=FIRST)
    before = suite.signed
    suite.pytester.path.joinpath("conftest.py").unlink()
    patterns = '["content.empty", "acme"]' if conftest else '["content.empty"]'
    result = suite.run(CHECK.format(faults=patterns), conftest=conftest)
    result.assert_outcomes(passed=1)
    if not conftest:
        assert any("acme.*: not in this catalogue, no longer held" in line for line in said(result))
    assert suite.signed == before


def test_what_is_gone_goes_when_a_person_says_so(suite: SigningSuite) -> None:
    suite.sign(ALL, conftest=FIRST)
    suite.pytester.path.joinpath("conftest.py").unlink()
    suite.run(CHECK.format(faults='["content.empty"]'), "--llmfaults-sign=stale").assert_outcomes(passed=1)
    assert "acme" not in suite.signed


def test_a_family_that_a_test_asks_for_later_has_to_be_signed(suite: SigningSuite) -> None:
    suite.sign(CHECK.format(faults='["content.empty"]'), conftest=FIRST)
    assert "editions" not in suite.signed
    result = suite.run(ALL, conftest=FIRST)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*acme.dots, acme.marks (2 faults): observed, never signed:*"])


def test_a_contract_of_all_holds_nothing_of_a_package(suite: SigningSuite) -> None:
    code = CHECK.format(faults='["c*", "core"]')
    suite.sign(code)
    before = suite.signed
    suite.run(code, conftest=FIRST).assert_outcomes(passed=1)
    assert suite.signed == before


@pytest.mark.parametrize("value", ["2", '{ acme = "2" }', "{ acme = 0 }", "[1]"])
def test_editions_that_are_none_are_refused(suite: SigningSuite, value: str) -> None:
    suite.sign(ALL, conftest=FIRST)
    text = re.sub(r"editions = \{.*?\}", f"editions = {value}", suite.signed)
    with pytest.raises(
        ContractError, match=r"editions = .* does not read \{ family = number \}, such as \{ acme = 1 \}"
    ):
        store.loads(text, since={}, edition=1)
