"""The code on the page about chains is the code that runs, and it is short."""

from __future__ import annotations

import re

import pytest

from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._wires import WIRES
from tests.pages import DOCS, blocks, body_lines, example

AUDIT = "../../tests/audit/test_chains.py"
TESTED = ("test_chain.py", "test_limiter.py", AUDIT)


def test_each_block_is_in_code_that_runs() -> None:
    found = blocks("chains.md")
    code = example(*TESTED)
    assert len(found) >= 12
    for block in found:
        assert block in code, block


def test_the_rows_that_are_named_exist() -> None:
    named = set(re.findall(r'"((?:status|body|content|transport)\.[a-z0-9_]+)"', (DOCS / "chains.md").read_text()))
    assert len(named) > 6
    assert named <= set(CATALOGUE)


def test_each_wire_with_limits_has_its_line_and_its_source() -> None:
    page = (DOCS / "chains.md").read_text()
    for wire in WIRES.values():
        if wire.limits is not None:
            assert re.search(rf"^\| .*`{re.escape(wire.name)}`.*{re.escape(wire.limits.source)}", page, re.MULTILINE)


@pytest.mark.parametrize("name", TESTED)
def test_each_test_of_an_example_takes_six_lines_at_most(name: str) -> None:
    lines = {test: count for test, count in body_lines(name).items() if "sockets" not in test}
    assert len(lines) >= 3
    assert max(lines.values()) <= 6, lines
