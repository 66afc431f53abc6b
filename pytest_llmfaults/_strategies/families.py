"""The faults that a caller names: families, names, globs or presets; and whether each of them can come at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from pytest_llmfaults import _faults
from pytest_llmfaults._faults import Fault
from pytest_llmfaults.errors import InvalidUse

__all__ = ["Families", "check_each", "named", "patterns"]

Families = str | Iterable[str] | None
"""Families, names, globs or presets of faults; None is all, and an empty list is none."""

_ASK: Final = "Give a request= that asks for what they need, such as tools or a response_format."
_ELSEWHERE: Final = "variants() draws whole replies, streams() streams, and faults() any fault of a wire."


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


def check_each(chosen: tuple[str, ...] | None, *, stream: bool, shows: Callable[[Fault], bool], where: str) -> None:
    """Refuse a name of which nothing can come: a test for its faults would be green and try none.

    Args:
        chosen: what was named.
        stream: whether streams are drawn.
        shows: whether a fault can be seen in what is drawn.
        where: what is drawn, with its article.

    Raises:
        InvalidUse: the text says which name it is, and where else its faults come.
    """
    for pattern in chosen or ():
        rows = named((pattern,), stream=stream)
        if not any(map(shows, rows)):
            hint = _ASK if any(row.needs for row in rows) else _ELSEWHERE
            msg = f"families={pattern!r} leaves no fault that {where} can show: {_some(rows)}. {hint}"
            raise InvalidUse(msg)


def _some(rows: tuple[Fault, ...]) -> str:
    first, more = rows[0].name, len(rows) - 1
    return f"{first} and {more} more do not" if more else f"{first} does not"
