"""The code on the page about streams is the code that runs, it is short, and the rows that it names exist."""

from __future__ import annotations

import re

import pytest

from pytest_llmfaults._faults import CATALOGUE
from tests.pages import DOCS, blocks, body_lines, example


def test_each_block_is_in_an_example_that_runs() -> None:
    found = blocks("streams.md")
    code = example("test_chat.py", "test_proxy.py", "proxy.py", "test_reader.py")
    assert len(found) >= 10
    for block in found:
        assert block in code, block


def test_the_rows_that_are_named_exist() -> None:
    page = (DOCS / "streams.md").read_text()
    named = set(re.findall(r"`((?:stream|tools|transport|body|control)\.[a-z0-9_]+)`", page))
    assert len(named) > 12
    assert named <= set(CATALOGUE)


def test_each_test_of_the_proxy_takes_six_lines_at_most() -> None:
    lines = body_lines("test_proxy.py")
    assert len(lines) >= 5
    assert max(lines.values()) <= 6, lines


def test_the_proxy_leaks_without_its_last_line(pytester: pytest.Pytester) -> None:
    proxy = example("proxy.py")
    assert proxy.count("coming.cancel()") == 1
    tests = example("test_proxy.py")
    pytester.makepyfile(proxy=proxy.replace("coming.cancel()", "pass"), test_proxy=tests)
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\nasyncio_default_fixture_loop_scope = 'function'")
    result = pytester.runpytest_subprocess("-k", "leaves or cut", "-n", "0")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*-> stream.stall [[]3 events, 8 characters, leaked[]]"])
