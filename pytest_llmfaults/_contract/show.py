"""The text of a broken contract: what matters in a few lines, then all of it, last the command that accepts it."""

from __future__ import annotations

import dataclasses
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Final

from pytest_llmfaults._contract.compare import CATEGORIES, INTERRUPT, OK, Category, Change, Changes
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.selection import patterns, rows_of
from pytest_llmfaults._contract.store import command
from pytest_llmfaults._contract.words import clip, difference
from pytest_llmfaults._faults import CORE

__all__ = [
    "FIRST_LINES",
    "accepting",
    "each",
    "failure",
    "first_lines",
    "newer_line",
    "summary",
    "table",
    "versions_line",
]

FIRST_LINES: Final = 8
"""How many lines one reads before the table."""

_COLUMNS: Final = 80
_NAMED: Final = 3
_WORDS: Final = {"changed": "changed", "new": "new", "stale": "stale", "newer": "newer than the contract"}


@dataclasses.dataclass(frozen=True, slots=True)
class _Group:
    words: str
    weight: int
    changes: tuple[Change, ...]


def failure(
    changes: Changes,
    *,
    nodeid: str,
    since: Mapping[str, int],
    signed: Contract | None,
    observed: Contract,
    notes: Iterable[str] = (),
) -> str:
    """Say what differs from the contract of a test.

    Args:
        changes: what ``compare`` said; something in it is broken.
        nodeid: the test, as pytest names it.
        since: each row of the catalogue with the edition that brought it.
        signed: what the file says; None where there is none.
        observed: what was seen just now.
        notes: lines to put between the table and the command.
    """
    of = signed or observed
    rows = rows_of(since, of.catalogue, of.wires, of.editions)
    parts = [
        first_lines(changes, rows=rows, signed=signed, observed=observed),
        table(changes, rows=rows),
        list(notes),
        [accepting(changes, nodeid)],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def summary(changes: Changes) -> str:
    """Count the faults: ``412 held, 3 changed, 1 new``."""
    counts = [f"{changes.held} held"]
    for category, words in _WORDS.items():
        number = sum(change.category == category for change in changes.items)
        counts += [f"{number} {words}"] if number else []
    return ", ".join(counts)


def accepting(changes: Changes, nodeid: str) -> str:
    """Return the command that accepts all that differs."""
    return command(nodeid, *(category for category in CATEGORIES if changes.of(category)))


def newer_line(changes: Changes, nodeid: str) -> str | None:
    """Say how many rows are newer than the contract and how to sign them, or None."""
    count = len(changes.of("newer"))
    if not count:
        return None
    faults = "1 fault is" if count == 1 else f"{count} faults are"
    return f"{faults} newer than this contract: {command(nodeid, 'new')}"


def versions_line(signed: Contract | None, observed: Contract) -> str | None:
    """Name the packages whose version is another than when the contract was signed, or None."""
    if signed is None:
        return None
    before, now = signed.versions, observed.versions
    names = sorted(name for name in {*before, *now} if before and before.get(name) != now.get(name))
    if not names:
        return None
    said = (f"{name} {before.get(name, 'not used')}, now {now.get(name, 'not used')}" for name in names)
    return f"signed with {'; '.join(said)}"


def first_lines(changes: Changes, *, rows: Collection[str], signed: Contract | None, observed: Contract) -> list[str]:
    """Say in at most ``FIRST_LINES`` lines what differs, the worst first, then the most numerous."""
    head = f"Not as signed: {summary(changes)}" if signed else f"Nothing is signed yet: {summary(changes)}"
    lines = [line for line in (head, versions_line(signed, observed)) if line]
    groups = _groups(changes, rows)
    room = FIRST_LINES - len(lines)
    if len(groups) > room:
        groups = _other_values_together(groups, rows)
    shown = groups if len(groups) <= room else groups[: room - 1]
    lines += [f"  {_label(group.changes, rows)}: {group.words}" for group in shown]
    left = groups[len(shown) :]
    if left:
        lines.append(f"  and {sum(len(group.changes) for group in left)} more, in the table below")
    return lines


def table(changes: Changes, *, rows: Collection[str]) -> list[str]:
    """Lay out everything that differs, in 80 columns: the faults, then what was signed and what was observed."""
    entries: dict[tuple[Category, bool, Behaviour | None, Behaviour | None], list[Change]] = {}
    for change in changes.of(*CATEGORIES):
        call = change.fault in {OK, INTERRUPT}
        entries.setdefault((change.category, call, change.signed, change.observed), []).append(change)
    lines: list[str] = []
    for (category, _, signed, observed), same in entries.items():
        names = [change.fault for change in same]
        if category == "new":
            names = list(patterns(names, rows))
        lines += _wrapped(f"{category}: ", ", ".join(names))
        lines += _sentences(signed, observed)
    return lines


def each(changes: Changes, *, rows: Collection[str]) -> list[tuple[str, str]]:
    """Return a label and a text for each way in which faults changed."""
    return [
        (_label(group.changes, rows), "\n".join([group.words, *table(Changes(group.changes, 0), rows=rows)]))
        for group in _groups(changes, rows)
    ]


def _sentences(signed: Behaviour | None, observed: Behaviour | None) -> Iterable[str]:
    whats = [(word, what) for word, what in (("signed", signed), ("observed", observed)) if what is not None]
    for word, what in whats:
        yield from _wrapped(f"  {word:15}", what.persists)
    if any(what.once != what.persists for _, what in whats) and len({what.once for _, what in whats}) == len(whats):
        for word, what in whats:
            yield from _wrapped(f"  {word + ', once':15}", what.once)


def _wrapped(head: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _COLUMNS,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
    )


def _groups(changes: Changes, rows: Collection[str]) -> list[_Group]:
    """Put together what changed in the same way."""
    same: dict[tuple[Category, bool, str], list[Change]] = {}
    weights: dict[tuple[Category, bool, str], int] = {}
    for change in changes.of(*CATEGORIES):
        words, weight = _said(change)
        key = (change.category, change.fault in {OK, INTERRUPT}, words)
        same.setdefault(key, []).append(change)
        weights[key] = min(weight, weights.get(key, weight))
    groups = [_Group(key[2], weights[key], tuple(found)) for key, found in same.items()]
    return _sorted(groups, rows)


def _other_values_together(groups: list[_Group], rows: Collection[str]) -> list[_Group]:
    """Let faults under which other values are returned share a line, whatever the values are."""
    values = [group for group in groups if group.words.startswith("returns ") and group.weight >= 0]
    if len(values) < 2:
        return groups
    changes = tuple(sorted((change for group in values for change in group.changes), key=lambda change: change.fault))
    words = f"{values[0].words}; and {len(values) - 1} other values"
    together = _Group(words, values[0].weight, changes)
    return _sorted([together, *(group for group in groups if group not in values)], rows)


def _sorted(groups: Iterable[_Group], rows: Collection[str]) -> list[_Group]:
    return sorted(groups, key=lambda group: (group.weight, -len(group.changes), _label(group.changes, rows)))


def _said(change: Change) -> tuple[str, int]:
    if change.signed is None and change.observed is not None:
        return f"observed, never signed: {clip(change.observed.persists, 100)}", 8
    if change.observed is None or change.signed is None:
        return "signed, not observed any more", 7
    found = difference(change.signed, change.observed)
    return found.words, -1 if change.fault in {OK, INTERRUPT} else found.weight


def _label(changes: Iterable[Change], rows: Collection[str]) -> str:
    names = [change.fault for change in changes]
    if set(names) & {OK, INTERRUPT}:
        return " and ".join({OK: "the healthy call", INTERRUPT: "an interrupt"}[name] for name in names)
    if len(names) == 1:
        return names[0]
    short = _telling(patterns(names, rows), names)
    shown = ", ".join(short[:_NAMED]) + (", ..." if len(short) > _NAMED else "")
    return f"{shown} ({len(names)} faults)"


def _telling(short: Iterable[str], names: Iterable[str]) -> list[str]:
    """Put first what tells most: rows that a reader knows from the preset ``core``, one of each family in turn."""
    known = [name for name in CORE if name in names]
    seen: Counter[tuple[bool, str]] = Counter()
    turns: dict[str, tuple[bool, int]] = {}
    for pattern in short:
        kind = not any(fnmatchcase(name, pattern) for name in known), pattern.partition(".")[0]
        turns[pattern] = kind[0], seen[kind]
        seen[kind] += 1
    return sorted(turns, key=turns.__getitem__)
