"""Which edition of the catalogue patterns mean in this process: the one thing of a run that collection has to know."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

__all__ = ["chosen", "using"]

_chosen: Final[list[int | None]] = [None]


def chosen() -> int | None:
    """Return the edition that was chosen; None is the one that the installed major version means."""
    return _chosen[-1]


@contextlib.contextmanager
def using(edition: int | None) -> Iterator[None]:
    """Choose an edition until the block ends."""
    _chosen.append(edition)
    try:
        yield
    finally:
        _chosen.pop()
