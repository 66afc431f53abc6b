"""Signing: who may, what becomes of the file, and files that cannot be read."""

from __future__ import annotations

import signal
import textwrap
from collections.abc import Callable

import pytest

from pytest_llmfaults._pytest import sign
from tests.suite import CLIENT

from .conftest import CONTRACT, SigningSuite

CHECK = """
    def test_it(llmfaults_contract):
        llmfaults_contract.check(ask, faults=FEW)
"""
EACH = """
    @pytest.mark.llmfaults("content", "finish")
    def test_it(llmfaults_contract):
        llmfaults_contract.check(ask)
"""


@pytest.mark.parametrize("name", sign.CI_VARIABLES)
def test_in_ci_nobody_signs(suite: SigningSuite, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "true")
    result = suite.sign(CHECK)
    assert int(result.ret) == 4
    result.stderr.fnmatch_lines([f"ERROR: --llmfaults-sign was given in CI ({name} is set)*at your desk."])
    assert not (suite.pytester.path / "llmfaults").exists()


def test_a_variable_that_says_no_is_not_ci(suite: SigningSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "false")
    suite.sign(CHECK).assert_outcomes(passed=1)


@pytest.mark.parametrize("categories", ["everything", "new,", "New", "new changed"])
def test_a_category_that_is_none(suite: SigningSuite, categories: str) -> None:
    result = suite.sign(CHECK, categories=categories)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --llmfaults-sign: * is not a category.*changed, new, stale, all."])


def test_a_test_that_fails_is_not_signable(suite: SigningSuite) -> None:
    result = suite.sign("""
        def test_it(llmfaults_contract):
            llmfaults_contract.check(ask, faults=FEW)
            assert ask is None

        def test_torn_down(llmfaults_contract, request):
            llmfaults_contract.check(ask, faults=FEW)
            llmfaults_contract.expect("status.503", attempts=1)
    """)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["llmfaults: 2 contracts not signed: the test failed. *"])
    assert not (suite.pytester.path / "llmfaults").exists()


def test_under_xdist_one_process_writes(suite: SigningSuite) -> None:
    alone = suite.sign(EACH)
    text = suite.signed
    suite.path.unlink()
    result = suite.pytester.runpytest_subprocess("--llmfaults-sign", "-n", "2")
    assert result.parseoutcomes()["passed"] == alone.parseoutcomes()["passed"]
    result.stdout.fnmatch_lines(["llmfaults: 1 contract signed*"])
    assert suite.signed == text
    assert [path.name for path in (suite.pytester.path / "llmfaults").iterdir()] == ["test_suite.test_it.toml"]
    result = suite.pytester.runpytest_subprocess("-n", "2")
    assert set(result.parseoutcomes()) <= {"passed", "skipped"}
    assert result.parseoutcomes()["passed"] == alone.parseoutcomes()["passed"]


def test_a_folder_that_cannot_be_written(suite: SigningSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.sign(CHECK)
    before = suite.signed
    suite.path.write_text(before.replace("1 attempt, raises TypeError", "2 attempts, raises TypeError"))
    damaged = suite.signed

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pytest_llmfaults._contract.files._replace", refuse)  # root may write anywhere
    result = suite.sign(CHECK, categories="changed")
    monkeypatch.undo()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["llmfaults: not signed: *cannot be written: Permission denied*writable*"])
    assert suite.signed == damaged


KILLED = """
import os, pathlib, signal

def kill(*arguments, **more):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, {name!r}, kill)
if hasattr(pathlib, "_NormalAccessor"):  # Python 3.10 binds them at import
    setattr(pathlib._NormalAccessor, {name!r}, kill)
"""


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_killed_while_signing_the_file_is_the_old_one(suite: SigningSuite, name: str) -> None:
    suite.sign(CHECK)
    before = suite.signed
    changed = CHECK.replace("ask,", "lambda: ask(attempts=2),")
    suite.pytester.makeconftest(KILLED.format(name=name))
    suite.pytester.makepyfile(test_suite=CLIENT + CONTRACT + textwrap.dedent(changed))
    result = suite.pytester.runpytest_subprocess("--llmfaults-sign=changed")
    assert result.ret == -signal.SIGKILL
    assert suite.files["test_suite.test_it"] == before
    (suite.pytester.path / "conftest.py").write_text("")
    suite.sign(changed, categories="changed").assert_outcomes(passed=1)
    assert "2 attempts, waits 1 s, raises requests.JSONDecodeError" in suite.files["test_suite.test_it"]


def _newer_format(text: str) -> str:
    return text.replace("format = 1", "format = 2")


def _newer_catalogue(text: str) -> str:
    return text.replace("catalogue = 1", "catalogue = 99")


def _cut(text: str) -> str:
    return text[: len(text) * 2 // 3]


def _end_missing(text: str) -> str:
    return text.replace("# end of the contract\n", "")


def _merge_markers(text: str) -> str:
    return text.replace("ok = ", "<<<<<<< HEAD\nok = ", 1)


def _edited(text: str) -> str:
    return text.replace("1 attempt, raises TypeError", "one attempt and a TypeError")


def _key_added(text: str) -> str:
    return text.replace("format = 1", "format = 1\nedition = 3")


def _twice(text: str) -> str:
    return text.replace('["content.empty"]', '["content.empty", "status.503"]')


def _empty(_: str) -> str:
    return ""


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (_newer_format, "*format = 2 is newer than the format that is installed (1). Upgrade pytest-llmfaults.*"),
        (_newer_catalogue, "*catalogue = 99 is newer than the edition*Upgrade pytest-llmfaults.*"),
        (_cut, "*the file is cut*"),
        (_end_missing, "*The last line is not '# end of the contract'*"),
        (_merge_markers, "*Line * is a mark of a merge conflict ('<<<<<<< HEAD').*"),
        (_edited, "*'one attempt and a TypeError' is not the sentence of a behaviour.*"),
        (_key_added, "*unknown key 'edition'*"),
        (_twice, "*'status.503' has two behaviours*"),
        (_empty, "*The file is empty.*"),
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--llmfaults-sign=all",)], ids=["run", "sign"])
def test_a_file_that_cannot_be_read_is_an_error_and_not_touched(
    suite: SigningSuite, damage: Callable[[str], str], line: str, arguments: tuple[str, ...]
) -> None:
    suite.sign(CHECK)
    suite.path.write_text(damage(suite.signed), encoding="utf-8")
    before = suite.path.read_bytes()
    result = suite.run(CHECK, *arguments)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([line])
    result.stdout.fnmatch_lines(["*The file was not touched.*"])
    result.stdout.no_fnmatch_line("*pytest_llmfaults/*.py*")
    assert suite.path.read_bytes() == before


def test_bytes_that_are_no_text(suite: SigningSuite) -> None:
    suite.sign(CHECK)
    suite.path.write_bytes(b"\xff\xfe" + suite.path.read_bytes())
    result = suite.run(CHECK)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ContractError: *byte 0 is not UTF-8. The file was not touched.*"])
