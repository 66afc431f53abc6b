"""Which callers are code under test: the standard library and the tools keep the true time."""

from __future__ import annotations

import sys

_TOOLS = frozenset(
    {"pytest", "_pytest", "hypothesis", "coverage", "xdist", "execnet", "pluggy", "time_machine"}
)

_known: dict[str, bool] = {}


def is_user(name: str | None) -> bool:
    """Whether the module of this name is code under test (remembered, since it is asked at each call)."""
    if name is None:
        return True
    known = _known.get(name)
    if known is None:
        top = name.partition(".")[0]
        tool = top in _TOOLS or top.startswith("pytest_") or top in sys.stdlib_module_names
        known = _known[name] = not tool
    return known
