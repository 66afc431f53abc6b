"""check: what a run says of a client that nobody signed, that is as signed, and that is not."""

from __future__ import annotations

import pytest

from .conftest import SigningSuite

ONE = """
    def test_it(llmfaults_contract):
        llmfaults_contract.check({call}, faults=FEW)
"""
AS_SIGNED = ONE.format(call="ask")
TWO_ATTEMPTS = ONE.format(call="lambda: ask(attempts=2)")
EACH = """
    @pytest.mark.llmfaults(*FEW)
    def test_it(llmfaults_contract):
        llmfaults_contract.check(lambda: ask(attempts={attempts}))
"""


def failure(result: pytest.RunResult) -> list[str]:
    """Return the lines of the last exception that a run shows."""
    lines = [line[8:] if line.startswith("E       ") else "" for line in result.outlines if line[:2] == "E "]
    start = max(number for number, line in enumerate(lines) if "pytest_llmfaults.errors." in line)
    return lines[start:]


def test_nothing_signed_fails_and_the_last_line_is_the_command(suite: SigningSuite) -> None:
    result = suite.run(AS_SIGNED)
    result.assert_outcomes(failed=1)
    assert "Nothing is signed yet: 0 held, 6 new" in failure(result)[0]
    assert failure(result)[-1] == "pytest test_suite.py::test_it --llmfaults-sign=new"
    assert not (suite.pytester.path / "llmfaults").exists()


def test_signed_it_holds_and_says_so_in_one_line(suite: SigningSuite) -> None:
    result = suite.sign(AS_SIGNED)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["llmfaults: 1 contract signed; read the diff before you commit it"])
    assert (
        '[["3 attempts, waits 1 2 s, raises requests.JSONDecodeError"]]\nonce = "2 attempts, waits 1 s, same as ok"\n'
        in (suite.signed)
    )
    before = suite.path.stat()
    result = suite.run(AS_SIGNED)
    result.assert_outcomes(passed=1)
    said = [line for line in result.outlines if line.startswith("llmfaults:")]
    assert said == ["llmfaults: 1 contract, 4 faults held, 2 findings to look at (-v)"]
    assert suite.path.stat().st_mtime_ns == before.st_mtime_ns


def test_a_verbose_run_names_all_faults_of_a_finding(suite: SigningSuite) -> None:
    code = """
        def test_it(llmfaults_contract):
            llmfaults_contract.check(ask, faults=["envelope.choices_null", "envelope.choices_empty"])
    """
    suite.sign(code)
    lines = [line.strip() for line in suite.run(code, "-v").outlines]
    (line,) = (line for line in lines if line.startswith("2 faults an exception that is neither"))
    assert sorted(lines[lines.index(line) + 1].split(", ")) == ["envelope.choices_empty", "envelope.choices_null"]


def test_a_second_signature_of_the_same_touches_nothing(suite: SigningSuite) -> None:
    suite.sign(AS_SIGNED)
    before = suite.path.stat()
    result = suite.sign(AS_SIGNED, categories="all")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*signed; read*")
    after = suite.path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_changed_client_fails_with_what_matters_then_the_table_then_the_command(suite: SigningSuite) -> None:
    suite.sign(AS_SIGNED)
    signed = suite.signed
    result = suite.run(TWO_ATTEMPTS)
    first, table, why, command = "\n".join(failure(result)).split("\n\n")
    assert first.splitlines() == [
        "pytest_llmfaults.errors.ContractBroken: Not as signed: 2 held, 2 changed",
        "  body.html_page, status.503 (2 faults): retried less: 3 → 2 attempts",
    ]
    assert "signed         3 attempts, waits 1 2 s, raises requests.JSONDecodeError" in table
    assert "observed       2 attempts, waits 1 s, raises requests.JSONDecodeError" in table
    assert [line.partition(" is retried: ")[0] for line in why.splitlines()] == ["why status.503", "why body.html_page"]
    assert command == "pytest test_suite.py::test_it --llmfaults-sign=changed"
    assert suite.signed == signed


def test_whatever_changed_there_are_at_most_eight_first_lines(suite: SigningSuite) -> None:
    code = """
        kinds = {{}}
        def call():
            try:
                return ask(attempts=1)
            except Exception as error:
                number = kinds.setdefault(str(error)[:60], len(kinds))
                raise type(f"Kind{{number}}{what}", (Exception,), {{}})

        def test_it(llmfaults_contract):
            llmfaults_contract.check(call, faults=["status", "body", "envelope", "transport"])
    """
    suite.sign(code.format(what="A")).assert_outcomes(passed=1)
    result = suite.run(code.format(what="B"))
    first = "\n".join(failure(result)).split("\n\n")[0].splitlines()
    assert len(first) == 8
    assert first[-1].endswith("more, in the table below")


def test_a_failure_shows_the_test_and_no_line_of_the_plugin(suite: SigningSuite) -> None:
    result = suite.run(AS_SIGNED)
    result.stdout.fnmatch_lines(["*llmfaults_contract.check(ask, faults=FEW)*"])
    result.stdout.no_fnmatch_line("*def check(*")
    result.stdout.no_fnmatch_line("*_pytest/contract.py*")


def test_what_observed_calls_print_and_log_does_not_drown_the_failure(suite: SigningSuite) -> None:
    code = """
        import logging
        def loud():
            print("asking")
            logging.warning("asking")
            return ask()

        def test_it(llmfaults_contract):
            llmfaults_contract.check(loud)

        def test_of_my_own(llmfaults):
            for _ in range(30):
                print("mine")
            raise LookupError
    """
    result = suite.run(code)
    result.stdout.fnmatch_lines(["... ?? more lines of the calls that were observed (-v)"] * 2)
    assert result.outlines.count("asking") == 10
    assert result.outlines.count("mine") == 30
    result = suite.run(code, "-v")
    assert result.outlines.count("asking") > 40
    result.stdout.no_fnmatch_line("*more lines of the calls*")


def test_each_difference_is_reported_by_itself(suite: SigningSuite) -> None:
    suite.sign(AS_SIGNED)
    code = """
        def changed():
            try:
                said = ask()
            except TypeError as error:
                raise LookupError from error
            return said or None

        def test_it(llmfaults_contract):
            llmfaults_contract.check(changed, faults=FEW)
    """
    result = suite.run(code, "-rA")
    result.stdout.fnmatch_lines_random(
        ["SUBFAILED[[]content.empty] *::test_it*", "SUBFAILED[[]envelope.choices_null] *::test_it*"]
    )
    result.assert_outcomes(failed=3)  # two differences, and the test


def test_without_subtests_it_is_one_failure(suite: SigningSuite) -> None:
    suite.sign(AS_SIGNED)
    suite.run(TWO_ATTEMPTS, "-p", "no:subtests").assert_outcomes(failed=1)


def test_a_run_that_answers_for_less_leaves_the_rest_alone(suite: SigningSuite) -> None:
    suite.sign(AS_SIGNED)
    code = """
        def test_it(llmfaults_contract):
            llmfaults_contract.check(ask, faults="content.empty")
    """
    signed = suite.signed
    suite.sign(code, categories="all").assert_outcomes(passed=1)
    assert suite.signed == signed


@pytest.mark.parametrize("categories", ["new", "changed", "stale", "all", "new,changed"])
def test_each_category_is_signed_by_itself(suite: SigningSuite, categories: str) -> None:
    suite.sign(AS_SIGNED)
    code = """
        def test_it(llmfaults_contract):
            llmfaults_contract.check(lambda: ask(attempts=2), faults=[*FEW, "finish.length"])
    """
    result = suite.sign(code, categories=categories)
    both = categories in {"all", "new,changed"}
    assert result.ret == (pytest.ExitCode.OK if both else pytest.ExitCode.TESTS_FAILED)
    if not both:  # what is left differs, and so nothing was signable
        result.stdout.fnmatch_lines(["llmfaults: 1 contract not signed: the test failed. *=changed"])
    assert ("2 attempts, waits 1 s, raises" in suite.signed) == both
    assert ("finish.length" in suite.signed) == both


def test_stale_is_what_a_file_holds_and_no_run_observes(suite: SigningSuite) -> None:
    suite.sign(AS_SIGNED)
    suite.path.write_text(suite.signed.replace('"content.empty"', '"content.empty", "content.long_gone"'))
    result = suite.run(AS_SIGNED)
    result.assert_outcomes(passed=1)
    assert "content.long_gone" in suite.signed
    suite.sign(AS_SIGNED, categories="stale").assert_outcomes(passed=1)
    assert "content.long_gone" not in suite.signed


def test_one_test_per_fault_shares_one_file(suite: SigningSuite) -> None:
    suite.sign(AS_SIGNED)
    alone = suite.signed
    suite.path.unlink()
    result = suite.sign(EACH.format(attempts=3), "-v")
    result.assert_outcomes(passed=4)
    assert list(suite.files) == ["test_suite.test_it"]
    assert suite.signed == alone
    result = suite.run(EACH.format(attempts=3))
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["llmfaults: 1 contract, 4 faults held*"])


def test_under_a_marker_one_case_fails_and_the_command_signs_all(suite: SigningSuite) -> None:
    suite.sign(EACH.format(attempts=3))
    result = suite.run(EACH.format(attempts=2), "-k", "html_page or empty")
    result.assert_outcomes(failed=1, passed=1, deselected=2)
    assert failure(result)[-1] == "pytest test_suite.py::test_it --llmfaults-sign=changed"
    result.stdout.no_fnmatch_line("SUBFAILED*")


def test_signing_one_case_leaves_the_others(suite: SigningSuite) -> None:
    suite.sign(EACH.format(attempts=3))
    suite.sign(EACH.format(attempts=2), "-k", "html_page", categories="changed").assert_outcomes(passed=1, deselected=3)
    assert '[["2 attempts, waits 1 s, raises requests.JSONDecodeError"]]' in suite.signed
    assert "[[\"3 attempts, waits 1 2 s, waited 7 s, returns 'gave up'\"]]" in suite.signed


def test_a_glob_of_the_marker(suite: SigningSuite) -> None:
    code = """
        @pytest.mark.llmfaults("content.*")
        def test_it(llmfaults_contract):
            llmfaults_contract.check(ask)
    """
    outcomes = suite.sign(code).parseoutcomes()
    assert outcomes["passed"] > 5
    assert set(outcomes) == {"passed", "skipped"}  # faults that only other wires have
    assert suite.run(code).parseoutcomes() == outcomes


def test_last_failed_runs_the_cases_that_differ(suite: SigningSuite) -> None:
    suite.pytester.makeini("[pytest]\nfilterwarnings = error\nasyncio_default_fixture_loop_scope = function\n")
    suite.sign(EACH.format(attempts=3))
    suite.run(EACH.format(attempts=2)).assert_outcomes(failed=2, passed=2)
    suite.run(EACH.format(attempts=2), "--lf").assert_outcomes(failed=2)
