"""Which callers are code under test: the standard library and the tools keep the true time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_TOOLS = frozenset(
    {"pytest", "_pytest", "hypothesis", "hypofuzz", "coverage", "xdist", "execnet", "pluggy", "time_machine"}
)
# They look at a loop's clock as a part of their work, and never poll it.
_READERS = frozenset({"asyncio", "anyio", "aiohttp", "httpcore", "httpcore2", "uvloop", "pytest_llmfaults"})
_OURS = frozenset({"time", "current_time"})

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


def polls(frame: FrameType) -> bool:
    """Whether this reading of a loop's clock may belong to a loop in user code that polls it."""
    caller: FrameType | None = frame
    while caller is not None and _top(caller) == "pytest_llmfaults" and caller.f_code.co_name in _OURS:
        caller = caller.f_back
    if caller is None or _top(caller) in _READERS:
        return False
    if _top(caller) != "trio":
        return True
    if caller.f_code.co_name != "current_time":  # trio's own loop
        return False
    while caller is not None and _top(caller) == "trio":
        caller = caller.f_back
    return caller is not None and _top(caller) not in _READERS


def _top(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]
