"""The room tests/audit without its packages: skipped among the whole suite, an error where it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFTEST = Path(__file__).parent.parent / "audit" / "conftest.py"
HIDDEN = "import sys\nsys.modules['litellm'] = None  # Python's way to say that it cannot be imported\n"


@pytest.fixture
def room(pytester: pytest.Pytester) -> Path:
    """Make a suite with a test of its own and the room, in a place where litellm is not installed."""
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function")
    pytester.makepyfile(hidden=HIDDEN)
    pytester.syspathinsert()
    made: Path = pytester.path / "tests" / "audit"
    made.mkdir(parents=True)
    (made / "conftest.py").write_text(CONFTEST.read_text())
    (made / "test_client.py").write_text("def test_a_client() -> None:\n    raise AssertionError\n")
    (made.parent / "test_own.py").write_text("def test_own() -> None:\n    pass\n")
    return made


def test_the_whole_suite_skips_it_by_name(pytester: pytest.Pytester, room: Path) -> None:
    for args in ((), (str(room.parent),)):
        result = pytester.runpytest_inprocess("-p", "hidden", "-rs", *args)
        result.assert_outcomes(passed=1, skipped=1)
        result.stdout.fnmatch_lines(["*the clients to audit are not installed: *litellm*"])


def test_to_ask_for_it_is_an_error_that_names_what_is_missing(pytester: pytest.Pytester, room: Path) -> None:
    for arg in ("tests/audit", str(room), "tests/audit/test_client.py::test_a_client"):
        result = pytester.runpytest_inprocess("-p", "hidden", arg)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: tests/audit was asked for*litellm*pip install --group audit*"])
