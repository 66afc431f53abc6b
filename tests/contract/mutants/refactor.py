"""How a refactor is written down."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping

from tests.contract.mutants import edited

__all__ = ["Refactor", "refactored"]


@dataclasses.dataclass(frozen=True)
class Refactor:
    """One refactor.

    Attributes:
        name: what was done.
        edits: pieces of the source and what stands there instead.
        functions: names of functions or classes with the code that stands there instead.
        imports: lines to add.
    """

    name: str
    edits: tuple[tuple[str, str], ...] = ()
    functions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    imports: str = ""


def refactored(source: str, refactor: Refactor) -> str:
    """Return the source after a refactor."""
    for name, code in refactor.functions.items():
        (node,) = (one for one in ast.parse(source).body if getattr(one, "name", None) == name)
        assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        lines = source.splitlines(keepends=True)
        source = "".join([*lines[: first - 1], code.strip(), "\n", *lines[node.end_lineno :]])
    if refactor.imports:
        source = source.replace("import requests\n", f"{refactor.imports}\nimport requests\n", 1)
    return edited(source, refactor.edits)
