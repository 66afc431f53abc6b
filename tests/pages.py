"""What the tests of the documentation need: the code on a page, and how long the tests of an example are."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parent.parent / "docs"


def blocks(page: str) -> list[str]:
    """Return the blocks of Python code on a page of ``docs``."""
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)


def example(*names: str) -> str:
    """Return the code of files in ``docs/examples``, one behind the other."""
    return "".join((DOCS / "examples" / name).read_text() for name in names)


def body_lines(name: str) -> Mapping[str, int]:
    """Return how many formatted lines the body of each test of an example has."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    tests = [node for node in ast.parse(example(name)).body if isinstance(node, kinds)]
    return {
        test.name: (test.end_lineno or 0) - test.body[0].lineno + 1 for test in tests if test.name.startswith("test_")
    }
