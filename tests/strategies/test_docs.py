"""The code on the page about strategies is the code that runs."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_each_block_is_in_the_example_that_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "strategies.md").read_text(), flags=re.DOTALL)
    code = "".join((DOCS / "examples" / f"test_{name}.py").read_text() for name in ("strategies", "trader_search"))
    assert len(blocks) >= 7
    for block in blocks:
        assert block in code, block


def test_what_is_shown_as_signed_is_in_the_file_that_is_signed() -> None:
    blocks = re.findall(r"## Discovery.*?```toml\n(.*?)```", (DOCS / "strategies.md").read_text(), flags=re.DOTALL)
    signed = (DOCS / "examples" / "llmfaults" / "test_trader_search.test_all_that_happens.toml").read_text()
    (block,) = blocks
    assert re.findall(r"\[\[.*\]\]\nvariants = .*\n", block)
    assert all(lines in signed for lines in re.findall(r"\[\[.*\]\]\nvariants = .*\n", block))
