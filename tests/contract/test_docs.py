"""The page about the contract shows code, and a file, that are held by a test."""

from __future__ import annotations

import re
import sys

import pytest

from tests.pages import DOCS, blocks, body_lines, example

PAGE = "contract.md"
SIGNED = DOCS / "examples" / "llmfaults" / "test_ask_contract.test_contract.toml"


def test_the_code_on_the_page_is_the_example() -> None:
    (block,) = blocks(PAGE)
    assert block in example("test_ask_contract.py")
    assert body_lines("test_ask_contract.py") == {"test_contract": 3}


def test_the_file_on_the_page_is_the_file_that_is_signed() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", (DOCS / PAGE).read_text(), flags=re.DOTALL)
    assert block in SIGNED.read_text()


def test_the_failure_on_the_page_is_what_a_narrowed_clause_prints(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ask", "test_ask_contract"):
        monkeypatch.delitem(sys.modules, name, raising=False)  # of the examples, where they are collected, too
    narrow = "requests.HTTPError, requests.ConnectionError, requests.Timeout"
    before, after = example("ask.py").split("def again", 1)
    pytester.path.joinpath("ask.py").write_text(
        f"{before}def again{after.replace('requests.RequestException', narrow)}"
    )
    pytester.path.joinpath("test_ask_contract.py").write_text(example("test_ask_contract.py"))
    pytester.mkdir("llmfaults").joinpath(SIGNED.name).write_text(SIGNED.read_text())
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    failed = pytester.runpytest_inprocess().stdout.str()
    (shown,) = re.findall(r"```text\n(.*?)```", (DOCS / PAGE).read_text(), flags=re.DOTALL)
    assert shown in failed
