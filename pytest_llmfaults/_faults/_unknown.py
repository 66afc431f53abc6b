"""What a person reads who names something that is no fault."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence

from pytest_llmfaults.errors import InvalidUse, nearest

__all__ = ["check_filter", "no_row", "unknown"]


def check_filter(name: str, value: str | None, allowed: Iterable[str]) -> None:
    """Refuse the value of a filter that no row has.

    Raises:
        InvalidUse: the text says what is allowed.
    """
    known = tuple(allowed)
    if value is not None and value not in known:
        msg = f"{name}={value!r} is not allowed:{nearest(value, known)} It is one of {', '.join(known)}."
        raise InvalidUse(msg)


def no_row(name: str, many: Sequence[str], known: Iterable[str]) -> str:
    """Say why ``name`` is not one row: it is a rule, or many (their names are given), or none of those known."""
    if _is_rule(name):
        return _rule(name)
    if many:
        return (
            f"{name!r} is {len(many)} faults, and a step is one, such as {many[0]!r}. Several are cases: give them to "
            "the marker, or loop over faults()."
        )
    known = tuple(known)
    hint = _nearest_glob(name, known) or nearest(name, known)
    text = " A string is a fault's name or 'ok'; text of the model is Answer('...')." if " " in name else ""
    return f"{name!r} is not a fault.{hint}{text} See: pytest --llmfaults-list"


def unknown(name: str, known: Iterable[str], families: Iterable[str]) -> str:
    """Say that a pattern matches nothing."""
    if _is_rule(name):
        return _rule(name)
    known, families = tuple(known), tuple(families)
    near = _nearest_glob(name, known) or nearest(name, (*known, *families, "core", "all"))
    hint = near or f" Families: {', '.join(families)}."
    return f"{name!r} is not a fault.{hint} See: pytest --llmfaults-list"


def _nearest_glob(name: str, known: Iterable[str]) -> str:
    """Offer the same glob of the families that are spelled most like the one given; empty when none matches."""
    family, _, rest = name.partition(".")
    if not set(rest) & set("*?["):
        return ""
    globs = (f"{one.partition('.')[0]}.{rest}" for one in known if fnmatch.fnmatchcase(one, f"*.{rest}"))
    return nearest(f"{family}.{rest}", dict.fromkeys(globs))


def _is_rule(name: str) -> bool:
    return name.partition(".")[0] == "turn"


def _rule(name: str) -> str:
    return (
        f"{name!r} is not a fault in a reply: turn.* are rules on requests. Hold the code to one with "
        f"llmfaults.strict({name!r}). See: pytest --llmfaults-list turn"
    )
