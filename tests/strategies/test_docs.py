"""The code on the page about strategies is the code that runs."""

from __future__ import annotations

import re

from tests.pages import DOCS, blocks, example


def test_each_block_is_in_the_example_that_runs() -> None:
    found = blocks("strategies.md")
    code = example("test_strategies.py", "test_reader.py", "test_trader_search.py")
    assert len(found) >= 8
    for block in found:
        assert block in code, block


def test_what_is_shown_as_signed_is_in_the_file_that_is_signed() -> None:
    shown = re.findall(r"## Discovery.*?```toml\n(.*?)```", (DOCS / "strategies.md").read_text(), flags=re.DOTALL)
    signed = (DOCS / "examples" / "llmfaults" / "test_trader_search.test_all_that_happens.toml").read_text()
    (block,) = shown
    assert re.findall(r"\[\[.*\]\]\nvariants = .*\n", block)
    assert all(lines in signed for lines in re.findall(r"\[\[.*\]\]\nvariants = .*\n", block))
