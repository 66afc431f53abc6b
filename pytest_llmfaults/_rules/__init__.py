"""The rules of strict providers on requests: data, and the function that chooses from them."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pytest_llmfaults._edition import chosen as chosen_edition
from pytest_llmfaults._faults import CATALOGUE, DEFAULT_EDITION, FAMILIES
from pytest_llmfaults._rules import calls, converse, items, order, parts, said, typed
from pytest_llmfaults._rules._rule import Breach, Rule
from pytest_llmfaults.errors import UnknownFault, nearest

__all__ = ["RULES", "Breach", "Rule", "rules"]

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {row.name: row for module in (order, calls, said, items, parts, typed, converse) for row in module.ROWS}
)


def rules(*patterns: str) -> tuple[Rule, ...]:
    """Choose rules, in the order of their list, each once.

    Args:
        *patterns: names, globs (``turn.tool_*``) or the family ``turn``; none is all. Globs and the family mean rules
            of the edition that patterns mean, and leave out those that only their full name chooses.

    Raises:
        UnknownFault: a pattern matches no rule; the text offers the nearest, or says that it is a fault.
    """
    latest = chosen_edition() or DEFAULT_EDITION
    names: set[str] = set()
    for pattern in patterns:
        matching = [row for row in RULES.values() if _matches(row, pattern)]
        found = {row.name for row in matching if row.name == pattern or (not row.by_name and row.since <= latest)}
        if not found:
            raise UnknownFault(_none(pattern, matching))
        names |= found
    return tuple(row for row in RULES.values() if row.name in names or not patterns)


def _matches(row: Rule, pattern: str) -> bool:
    return pattern in {row.name, row.family} or fnmatch.fnmatchcase(row.name, pattern)


def _none(pattern: str, matching: list[Rule]) -> str:
    """Say why a pattern chooses no rule."""
    if matching:
        names = ", ".join(row.name for row in matching)
        return f"{pattern!r} matches only rules that have to be named in full: {names}."
    if pattern in FAMILIES or any(fnmatch.fnmatchcase(name, pattern) for name in CATALOGUE):
        return (
            f"{pattern!r} is a fault in a reply, not a rule on requests: llmfaults.inject({pattern!r}). "
            f"Rules are turn.*, see: pytest --llmfaults-list turn"
        )
    return f"{pattern!r} is not a rule.{nearest(pattern, (*RULES, 'turn'))} See: pytest --llmfaults-list turn"
