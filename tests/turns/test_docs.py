"""The code on the page about turns is the code that runs, and it is short."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from pytest_llmfaults._rules import RULES

DOCS = Path(__file__).parent.parent.parent / "docs"
EXAMPLE = DOCS / "examples" / "test_memory.py"


def test_each_block_is_in_an_example_that_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "turns.md").read_text(), flags=re.DOTALL)
    code = EXAMPLE.read_text() + (DOCS / "examples" / "memory.py").read_text()
    assert len(blocks) >= 4
    for block in blocks:
        assert block in code, block


def test_each_rule_is_on_the_page() -> None:
    text = (DOCS / "turns.md").read_text()
    assert set(re.findall(r"`(turn\.\w+)`", text)) == set(RULES)


def test_each_test_of_the_loop_takes_five_lines_at_most() -> None:
    tests = [node for node in ast.parse(EXAMPLE.read_text()).body if isinstance(node, ast.FunctionDef)]
    assert len(tests) >= 7
    for test in tests:
        assert (test.end_lineno or 0) - test.body[0].lineno + 1 <= 5, test.name
