"""What a person sees of a traceback: the code under test and its libraries, not this package.

An error that nobody meant to raise here is a bug of this package, and keeps all of its frames; so does everything with
``--full-trace``.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Final

import pytest

__all__ = ["drop_ours", "shows_nothing"]

_OURS: Final = "pytest_llmfaults"
_TOOLS: Final = frozenset({_OURS, "_pytest", "pytest", "pluggy"})


def drop_ours(error: BaseException) -> None:
    """Take the frames of this package out of the tracebacks of an error and of what it came from."""
    seen: set[int] = set()
    now: BaseException | None = error
    while now is not None and id(now) not in seen:
        seen.add(id(now))
        _drop(now)
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)


def shows_nothing(excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
    """Tell whether no frame is a person's: the error was raised after the test's body, and is all there is to see."""
    return all(_module(entry.tb_frame) in _TOOLS for entry in _entries(excinfo.tb))


def _drop(error: BaseException) -> None:
    entries = list(_entries(error.__traceback__))
    while entries and _is_meant(error) and _module(entries[-1].tb_frame) == _OURS:
        entries.pop()
    if not entries or _module(entries[-1].tb_frame) == _OURS:
        return
    kept = [entry for entry in entries if _module(entry.tb_frame) != _OURS]
    for entry, following in zip(kept, [*kept[1:], None], strict=True):
        entry.tb_next = following
    error.__traceback__ = kept[0]


def _is_meant(error: BaseException) -> bool:
    """Tell whether this package raises such an error on purpose: its own, those of a network, those of a library."""
    return isinstance(error, OSError) or type(error).__module__ != "builtins"


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]
