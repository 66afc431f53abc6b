"""Faults by name and glob: a short list that stands for many, and the same faults again.

A contract knows three patterns, and the most specific one wins: a name, a prefix (``status.429_*``), a family
(``status.*``). Globs mean rows of the contract's edition, so that a later catalogue changes nothing.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from pytest_llmfaults._contract.contract import Block
from pytest_llmfaults._contract.observation import DOES_NOT_APPLY, Behaviour
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import ContractError

__all__ = ["WIDTH", "Expanded", "compress", "expand", "is_newer", "layout", "on_some", "patterns", "rows_of"]

WIDTH: Final = 120
"""Columns of a line of the file that names faults."""

_PATTERN: Final = re.compile(r"\w+\.(?:\*|\w+\*?)", re.ASCII)


@dataclasses.dataclass(frozen=True, slots=True)
class Expanded:
    """What the blocks of a file say.

    Attributes:
        behaviours: the name of each fault with its behaviour.
        removed: patterns that name nothing in the catalogue.
    """

    behaviours: dict[str, Behaviour]
    removed: dict[str, Behaviour]


def rows_of(
    since: Mapping[str, int], edition: int, wires: Collection[str] = (), editions: Mapping[str, int] | None = None
) -> frozenset[str]:
    """Return the names of the rows that an edition has.

    Args:
        since: each row of the catalogue with the edition that brought it.
        edition: the edition.
        wires: only rows that one of these wires has; none is every row.
        editions: of the families that other packages bring; a family that is not among them has no row.
    """
    lent, of_family = CATALOGUE.lent, editions or {}

    def holds(name: str) -> int:
        return of_family.get(_family(name), 0) if name in lent else edition

    return frozenset(name for name, brought in since.items() if brought <= holds(name) and on_some(name, wires))


def is_newer(name: str, brought: int, edition: int, editions: Mapping[str, int]) -> bool:
    """Tell whether a row came with a later edition than a file has; a family that is not in it at all is not later.

    Args:
        name: the row.
        brought: the edition that brought it.
        edition: the file's, of the catalogue.
        editions: the file's, of families that other packages bring.
    """
    held = editions.get(_family(name), brought) if name in CATALOGUE.lent else edition
    return brought > held


def on_some(name: str, wires: Collection[str]) -> bool:
    """Tell whether one of these wires, or without any some wire, has the row."""
    known = [WIRES[wire] for wire in wires if wire in WIRES]
    return not known or name not in CATALOGUE or any(CATALOGUE[name].applies_to(wire) for wire in known)


def expand(blocks: Iterable[Block], rows: Collection[str], known: Collection[str] = ()) -> Expanded:
    """Return the behaviour of each fault that the blocks name.

    Args:
        blocks: behaviours with their patterns.
        rows: names of the rows of the edition; globs mean these.
        known: names of further rows, which only a name can mean.

    Raises:
        ContractError: a pattern is none, or stands in two places.
    """
    said: dict[str, Behaviour] = {}
    for block in blocks:
        for pattern in block.faults:
            _check(pattern, said.get(pattern), block.behaviour)
            said[pattern] = block.behaviour
    everything = frozenset(rows) | frozenset(known)
    behaviours = {}
    for name in sorted(everything):
        by = name if name in said else (_glob_for(name, said) if name in rows else None)
        if by is not None:
            behaviours[name] = said[by]
    removed = {pattern: what for pattern, what in said.items() if not _names_something(pattern, rows, everything)}
    return Expanded(behaviours, removed)


def compress(behaviours: Mapping[str, Behaviour], rows: Collection[str]) -> tuple[Block, ...]:
    """Group faults by behaviour, and name each group as briefly as is exact.

    The result depends on nothing but the arguments: ``family.*`` goes to the behaviour with most rows of the family (in
    a tie, to the smaller sentence; to ``does not apply`` only where no other has two rows), where all rows of the
    family have a behaviour; a prefix where all its rows share the behaviour and the block gets shorter by it; all else
    is named.

    Args:
        behaviours: each fault with its behaviour.
        rows: names of the rows of the edition.
    """
    globs: dict[Behaviour, list[str]] = {what: [] for what in set(behaviours.values())}
    named: dict[Behaviour, set[str]] = {what: set() for what in globs}
    winners = _winners(behaviours, rows)
    for family, what in winners.items():
        globs[what].append(f"{family}.*")
    for name, what in behaviours.items():
        if name not in rows or winners.get(_family(name)) != what:
            named[what].add(name)
    return tuple(
        Block(what, _shortest(sorted(globs[what]), named[what], rows))
        for what in sorted(globs, key=lambda what: (what.persists, what.once))
    )


def patterns(names: Collection[str], rows: Collection[str]) -> tuple[str, ...]:
    """Return the patterns that stand for exactly these faults among ``rows``, whole families first."""
    one = Behaviour("", "")
    blocks = compress(dict.fromkeys(names, one), rows)
    return blocks[0].faults if blocks else ()


def layout(faults: Sequence[str]) -> list[str]:
    """Return the lines of ``faults = [...]``: one if it fits, else filled ones.

    A family that fits into the rest of a line goes there whole, a longer one begins a line of its own: a fault that
    moves changes few lines.
    """
    line = "faults = [" + ", ".join(f'"{pattern}"' for pattern in faults) + "]"
    if len(line) <= WIDTH:
        return [line]
    lines = ["faults = ["]
    for _, group in itertools.groupby(faults, _group):
        words = [f'"{pattern}",' for pattern in group]
        if not lines[-1].endswith("[") and len(lines[-1]) + len(" ".join(words)) + 1 > WIDTH:
            lines.append(" ")
        for word in words:
            if len(lines[-1]) + len(word) + 1 > WIDTH:
                lines.append(" ")
            lines[-1] += word if lines[-1].endswith("[") else f" {word}"
    return [*lines[:-1], f"{lines[-1][:-1]}]"]


def _group(pattern: str) -> str:
    return "*" if pattern.endswith(".*") else _family(pattern)


def _family(name: str) -> str:
    return name.partition(".")[0]


def _check(pattern: str, before: Behaviour | None, now: Behaviour) -> None:
    """Refuse what is no pattern, and one that was there before."""
    if not _PATTERN.fullmatch(pattern):
        msg = (
            f"{pattern!r} is not a fault. A name (body.empty), a prefix (status.429_*) or a family (body.*) is allowed."
        )
        raise ContractError(msg)
    if before == now:
        msg = f"{pattern!r} is named twice under {now.persists!r}. Take one away."
        raise ContractError(msg)
    if before is not None:
        msg = (
            f"{pattern!r} has two behaviours, {before.persists!r} and {now.persists!r}. Take it away from one of them."
        )
        raise ContractError(msg)


def _glob_for(name: str, said: Collection[str]) -> str | None:
    """Return the longest glob among ``said`` that means ``name``."""
    for length in range(len(name), name.index("."), -1):
        glob = f"{name[:length]}*"
        if glob in said:
            return glob
    return None


def _names_something(pattern: str, rows: Collection[str], everything: Collection[str]) -> bool:
    if pattern.endswith("*"):
        return any(name.startswith(pattern[:-1]) for name in rows)
    return pattern in everything


def _winners(behaviours: Mapping[str, Behaviour], rows: Collection[str]) -> dict[str, Behaviour]:
    """Return for each family the behaviour that its glob stands for."""
    families: dict[str, list[str]] = {}
    for name in rows:
        families.setdefault(_family(name), []).append(name)
    winners = {}
    for family, members in families.items():
        if not all(name in behaviours for name in members):
            continue
        counts = Counter(behaviours[name] for name in members)
        several = [
            (what.persists == DOES_NOT_APPLY, -count, what.persists, what.once, what)
            for what, count in counts.items()
            if count > 1
        ]
        if several:
            winners[family] = min(several, key=lambda one: one[:-1])[-1]
    return winners


def _shortest(globs: list[str], names: set[str], rows: Collection[str]) -> tuple[str, ...]:
    """Name a block in the fewest lines, with no more prefixes than that takes."""
    prefixes = _prefixes(names, rows)
    best: tuple[str, ...] = (*globs, *sorted(names))
    left, used = set(names), []
    for prefix, members in prefixes:
        left -= members
        used.append(f"{prefix}*")
        tried = (*globs, *sorted([*used, *left]))
        if len(layout(tried)) < len(layout(best)):
            best = tried
    return best


def _prefixes(names: set[str], rows: Collection[str]) -> list[tuple[str, set[str]]]:
    """Return the prefixes that stand for several of ``names`` and for nothing else, the most useful first."""
    found: dict[str, set[str]] = {}
    for name in names & set(rows):
        for cut in (place + 1 for place, sign in enumerate(name) if sign == "_" and place > name.index(".")):
            members = {row for row in rows if row.startswith(name[:cut])}
            if len(members) > 1 and members <= names:
                found[name[:cut]] = members
                break

    def gain(item: tuple[str, set[str]]) -> tuple[int, str]:
        prefix, members = item
        return len(prefix) - sum(len(name) + 4 for name in members), prefix

    return sorted(found.items(), key=gain)
