"""The faults that a caller names: families, names, globs or presets."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_llmfaults import _faults
from pytest_llmfaults._faults import Fault
from pytest_llmfaults.errors import InvalidUse

__all__ = ["Families", "named", "patterns"]

Families = str | Iterable[str] | None
"""Families, names, globs or presets of faults; None is all, and an empty list is none."""


def patterns(families: Families) -> tuple[str, ...] | None:
    """Return what was named, or None for all.

    Raises:
        InvalidUse: something in it is no name.
    """
    if families is None:
        return None
    if isinstance(families, str):
        return (families,)
    found = tuple(families) if isinstance(families, Iterable) else (families,)
    for pattern in found:
        if not isinstance(pattern, str):
            msg = f"families={pattern!r} is not a name of a family or fault, such as 'envelope'."
            raise InvalidUse(msg)
    return found


def named(chosen: tuple[str, ...] | None, *, stream: bool, draw: str | None = None) -> tuple[Fault, ...]:
    """Return the faults that are meant.

    Raises:
        UnknownFault: a name matches nothing.
        InvalidUse: nothing is left.
    """
    return () if chosen == () else _faults.faults(*(chosen or ()), draw=draw, stream=stream)
