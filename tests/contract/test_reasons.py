"""A failure says why what changed is retried."""

from __future__ import annotations

import sys

import pytest

from tests.contract.conftest import SigningSuite


def test_the_clause_that_caught_it_stands_in_the_failure(suite: SigningSuite) -> None:
    traced = sys.version_info < (3, 12) and sys.gettrace() is not None
    seen = "unknown: a tracer is active*" if traced else "*JSONDecodeError*caught by `except requests.RequestException*"
    code = """
        def test_it(llmfaults_contract):
            llmfaults_contract.check(lambda: ask(attempts={attempts}), faults=FEW)
        """
    suite.sign(code.format(attempts=3)).assert_outcomes(passed=1)
    result = suite.run(code.format(attempts=2))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"*why body.html_page is retried: {seen}"])
    assert "why" not in suite.signed


def test_a_green_run_explains_nothing(suite: SigningSuite) -> None:
    code = """
        def test_it(llmfaults_contract):
            llmfaults_contract.check(ask, faults=FEW)
        """
    suite.sign(code).assert_outcomes(passed=1)
    result = suite.run(code)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*why *")
