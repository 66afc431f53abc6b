"""What the audit prints of the behaviours: each with the faults that share it."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.selection import compress

__all__ = ["LEGEND", "lines"]

LEGEND: Final = "family.* (the other 9): those of the family that stand nowhere else. family.*: all of it."
"""The rule of the signed file, where the most specific name wins."""

_OTHERS: Final = " (the other "

_COLUMNS: Final = 80
_INDENT: Final = "  "
_GLUE: Final = "\0"


def lines(behaviours: Mapping[str, Behaviour], rows: Iterable[str]) -> list[str]:
    """Return the behaviours in order, each with its faults below it, and how to read them where that is needed.

    Args:
        behaviours: each fault with its behaviour.
        rows: all names of the catalogue, in its order.
    """
    text = list(_lines(behaviours, list(rows)))
    return [LEGEND, *text] if any(_OTHERS in line for line in text) else text


def _lines(behaviours: Mapping[str, Behaviour], rows: list[str]) -> Iterator[str]:
    for block in compress(behaviours, rows):
        yield block.behaviour.persists
        if block.behaviour.once != block.behaviour.persists:
            yield f"{_INDENT}once: {block.behaviour.once}"
        said = [_said(pattern, block.faults, block.behaviour, behaviours) for pattern in block.faults]
        yield from _filled(said)


def _said(pattern: str, beside: Iterable[str], what: Behaviour, behaviours: Mapping[str, Behaviour]) -> str:
    """Say how many a glob stands for, where that is not all that it matches."""
    if not pattern.endswith("*"):
        return pattern
    matched = [name for name in behaviours if name.startswith(pattern[:-1])]
    meant = [name for name in matched if behaviours[name] == what and name not in beside]
    return pattern if len(meant) == len(matched) else f"{pattern}{_OTHERS}{len(meant)})"


def _filled(said: Iterable[str]) -> Iterator[str]:
    """Fill lines with names, those of each family on lines of their own."""
    for _, group in itertools.groupby(said, lambda name: "*" if ".*" in name else name.partition(".")[0]):
        text = ", ".join(one.replace(" ", _GLUE) for one in group)
        for line in textwrap.wrap(text, _COLUMNS - len(_INDENT), break_long_words=False, break_on_hyphens=False):
            yield _INDENT + line.replace(_GLUE, " ")
