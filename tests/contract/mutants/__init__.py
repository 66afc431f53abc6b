"""Small plausible refactors of the two example clients, as data: what is edited, and which fault tells it."""

from __future__ import annotations

import dataclasses

__all__ = ["Mutant", "edited"]

Edit = tuple[str, str]


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One refactor that changes what the client does.

    Attributes:
        name: what was done.
        edits: each a piece of the source that is there exactly once, and what stands there instead.
        tells: the fault whose line tells it; ``the healthy call`` or ``an interrupt`` where it is no fault.
        says: what that line says of it.
    """

    name: str
    edits: tuple[Edit, ...]
    tells: str
    says: str


def edited(source: str, edits: tuple[Edit, ...]) -> str:
    """Return the source with all edits made.

    Raises:
        ValueError: a piece is not there, or not only once, or nothing changes.
    """
    for old, new in edits:
        if source.count(old) != 1 or old == new:
            msg = f"{old!r} is {source.count(old)} times in the source; an edit needs a piece that is there once."
            raise ValueError(msg)
        source = source.replace(old, new)
    return source
