"""Which editions patterns mean in this process: the one thing of a run that collection has to know."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

__all__ = ["Editions", "chosen", "of_family", "using"]

_FIRST: Final = 1
"""The edition that patterns mean of a family that another package brings, where nobody chose one."""

_chosen: Final[list[tuple[int | None, Mapping[str, int]]]] = [(None, {})]


class Editions(NamedTuple):
    """Editions of all that is installed.

    Attributes:
        catalogue: of the catalogue of this package.
        families: of each family that another package brings.
    """

    catalogue: int
    families: Mapping[str, int]


def chosen() -> int | None:
    """Return the edition of the catalogue that was chosen; None is the one that the installed major version means."""
    return _chosen[-1][0]


def of_family(family: str) -> int:
    """Return the edition that patterns mean of a family that another package brings."""
    return _chosen[-1][1].get(family, _FIRST)


@contextlib.contextmanager
def using(edition: int | None, families: Mapping[str, int] | None = None) -> Iterator[None]:
    """Choose an edition of the catalogue, and those of families of other packages, until the block ends."""
    _chosen.append((edition, families or {}))
    try:
        yield
    finally:
        _chosen.pop()
