"""The code on the page about turns is the code that runs, and it is short."""

from __future__ import annotations

import re

from pytest_llmfaults._rules import RULES
from tests.pages import DOCS, blocks, body_lines, example


def test_each_block_is_in_an_example_that_runs() -> None:
    found = blocks("turns.md")
    code = example("test_memory.py", "memory.py")
    assert len(found) >= 4
    for block in found:
        assert block in code, block


def test_each_rule_is_on_the_page() -> None:
    text = (DOCS / "turns.md").read_text()
    assert set(re.findall(r"`(turn\.\w+)`", text)) == set(RULES)


def test_each_test_of_the_loop_takes_five_lines_at_most() -> None:
    lines = body_lines("test_memory.py")
    assert len(lines) >= 7
    assert max(lines.values()) <= 5, lines
