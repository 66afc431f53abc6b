"""The code on the page about strategies is the code that runs."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_each_block_is_in_the_example_that_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "strategies.md").read_text(), flags=re.DOTALL)
    code = (DOCS / "examples" / "test_strategies.py").read_text()
    assert len(blocks) >= 4
    for block in blocks:
        assert block in code, block
