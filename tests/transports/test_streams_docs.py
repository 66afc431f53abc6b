"""The code on the page about streams is the code that runs, and the rows that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_llmfaults._faults import CATALOGUE

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "streams.md").read_text()


def test_each_block_is_in_the_example_that_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    code = (DOCS / "examples" / "test_chat.py").read_text()
    assert len(blocks) >= 6
    for block in blocks:
        assert block in code, block


def test_the_rows_that_are_named_exist() -> None:
    named = set(re.findall(r"`((?:stream|tools|transport|body|control)\.[a-z0-9_]+)`", PAGE))
    assert len(named) > 12
    assert named <= set(CATALOGUE)
