"""What a search says: the finding and how to keep it in a few lines; and groups of variants, ranked."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.discover import Discovered, Group
from pytest_llmfaults._contract.due import Due
from pytest_llmfaults._contract.explore import Fuzzed
from pytest_llmfaults._contract.observation import FOREVER, Behaviour
from pytest_llmfaults._contract.rank import LONG_SECONDS
from pytest_llmfaults._contract.sentence import number, parse
from pytest_llmfaults._contract.store import command
from pytest_llmfaults._contract.words import clip

__all__ = ["as_json", "discovery", "finding", "nothing_signed", "too_few", "unsigned"]

_COLUMNS: Final = 80
_FIRST: Final = 5
_FEW: Final = 200
"""Variants below which a discovery that was cut says little: a healthy reply has more single changes than this."""
_CUT: Final = "time was up before all was tried"
_NAME: Final = re.compile(r"\b(variant|fault|[a-z_]+)\(|\b(PARSED)\b")

_KINDS: Final = (
    "never ends",
    "an exception that is neither the client's nor the SDK's",
    "returns something else than the healthy call",
    f"takes longer than {number(LONG_SECONDS)} s",
    "asks again, and raises",
    "raises",
    "ends like the healthy call",
)


def nothing_signed(nodeid: str) -> str:
    """Say that there is nothing to compare with, and what to do."""
    return (
        "Nothing is signed for this test, and fuzz() compares with what is signed. Let "
        "llmfaults_contract.check(...) stand before it in this test, and sign: "
        f"{command(nodeid, 'new')}"
    )


def finding(fuzzed: Fuzzed, due: Due, *, signed: Contract | None, nodeid: str) -> str:
    """Say in at most eight lines which variant behaves like nothing signed, and how to keep it."""
    sighting = fuzzed.findings[0]
    what = sighting.case.behaviour
    lines = [f"Behaves like nothing that is signed: {due.short(sighting.variant)}", f"  {clip(what.persists, 200)}"]
    lines += [f"  once: {clip(what.once, 200)}"] if what.once != what.persists else []
    near = _nearest(what, signed)
    lines += [f"  the nearest that is signed, {near[0]}: {clip(near[1], 160)}"] if near else []
    more = f", {fuzzed.others} more that nobody signed" if fuzzed.others else ""
    looked = _count(fuzzed.variants, "variant")
    lines.append(f"Looked at {looked}: {_count(fuzzed.behaviours, 'kind')} of behaviour{more}.")
    step = due.line(sighting.variant)
    imports = _imports(step)
    lines.append(f"Pin it:  {step}")
    lines += [f"         from pytest_llmfaults.strategies import {', '.join(imports)}"] if imports else []
    return "\n".join([*lines, f"Sign it: {command(nodeid, 'new')}"])


def unsigned(found: Discovered, due: Due, own: Collection[str], *, nodeid: str) -> str:
    """Say in at most eight lines what nobody signed, then all groups, last the command that signs them."""
    new = [group for _, group in _ranked(found, own) if not group.known]
    head = f"{_count(len(new), 'kind')} of behaviour that nobody signed, in {_count(found.variants, 'variant')}"
    lines = [head + ("" if found.complete else f" ({_CUT})")]
    lines += [f"  {due.short(group.smallest.variant)}: {clip(group.lines.persists, 100)}" for group in new[:_FIRST]]
    if len(new) > _FIRST:
        lines.append(f"  and {len(new) - _FIRST} more, below")
    return "\n".join([*lines, "", *discovery(found, due, own, known=", signed"), "", command(nodeid, "new")])


def discovery(found: Discovered, due: Due, own: Collection[str], *, known: str = "") -> list[str]:
    """Lay out the groups in 80 columns, what one looks at first at the top.

    Args:
        found: the groups.
        due: how a variant is injected.
        own: modules (with all below them) whose exceptions are no escapes.
        known: what is said of a group that is known.
    """
    lines: list[str] = []
    kind = ""
    for words, group in _ranked(found, own):
        if words != kind:
            kind = words
            lines += ["", f"{kind}:"] if lines else [f"{kind}:"]
        lines += _of(group, due, known if group.known else "")
    new = [group for _, group in _ranked(found, own) if not group.known]
    which = "the first that is new" if known and new else "the first"
    meet = new[:1] or [group for _, group in _ranked(found, own)][:1]
    more = [f"To meet {which} in a test: {due.line(group.smallest.variant)}" for group in meet]
    return [*lines, "", *more, *_looked(found)]


def _looked(found: Discovered) -> list[str]:
    """Say how much was looked at, and whether time was up."""
    cut = [] if found.complete else [f"{_CUT[0].upper()}{_CUT[1:]}: give more seconds."]
    return [f"Looked at {_count(found.variants, 'variant')}.", *cut]


def too_few(found: Discovered, seconds: float) -> str | None:
    """Say that a discovery was cut before it could have found much, or return None."""
    if found.complete or found.variants >= _FEW:
        return None
    return (
        f"discover(seconds={seconds:g}) looked at {_count(found.variants, 'variant')}, and {_CUT}: with fewer than "
        f"{_FEW} little can be found. Give more seconds, or make a call quicker (no true sleep, no start of a process)."
    )


def as_json(found: Discovered, due: Due, own: Collection[str]) -> list[Mapping[str, Any]]:
    """Return the groups as plain types, ranked."""
    return [
        {
            "kind": words,
            "persists": group.smallest.case.behaviour.persists,
            "once": group.smallest.case.behaviour.once,
            "alike": [group.lines.persists, group.lines.once],
            "variants": len(group.members),
            "smallest": group.smallest.name,
            "inject": due.line(group.smallest.variant),
        }
        for words, group in _ranked(found, own)
    ]


def _ranked(found: Discovered, own: Collection[str]) -> list[tuple[str, Group]]:
    """Return each group with its kind, what one looks at first at the beginning."""
    kinds = [(_kind(group, own), -len(group.members), place) for place, group in enumerate(found.groups)]
    return [(_KINDS[kind], found.groups[place]) for kind, _, place in sorted(kinds)]


def _kind(group: Group, own: Collection[str]) -> int:
    case = group.smallest.case
    seen = [one.observation for one in (case.persists, case.once) if one is not None]
    line = parse(group.smallest.case.behaviour.persists)
    if any(one.outcome.startswith((*FOREVER, "asks more than")) for one in seen):
        return 0
    if any(one.module is not None and not _is_own(one.module, own) for one in seen):
        return 1
    if _outcome(group.lines).startswith("returns"):
        return 2
    if line.total.high > LONG_SECONDS:
        return 3
    if line.outcome.startswith("raises"):
        return 4 if line.attempts > 1 else 5
    return 6


def _outcome(lines: Behaviour) -> str:
    """Return the outcome of what lasts."""
    return parse(lines.persists).outcome


def _is_own(module: str, own: Collection[str]) -> bool:
    return any(module == prefix or module.startswith(f"{prefix}.") for prefix in own)


def _of(group: Group, due: Due, known: str) -> Iterator[str]:
    """Yield the lines of one group: what happens, how often, and the smallest example."""
    yield from _wrapped(f"  {group.lines.persists}  ({_count(len(group.members), 'variant')}{known})")
    if group.lines.once != group.lines.persists:
        yield from _wrapped(f"    once: {group.lines.once}")
    yield from _wrapped(f"    {due.short(group.smallest.variant)}")


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, _COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _nearest(what: Behaviour, signed: Contract | None) -> tuple[str, str] | None:
    """Return the signed behaviour that reads most alike, with a fault that shows it."""
    names: dict[str, str] = {}
    for name, behaviour in sorted(signed.behaviours.items()) if signed is not None else ():
        names.setdefault(behaviour.persists, name)
    near = difflib.get_close_matches(what.persists, sorted(names), n=1, cutoff=0.0)
    return (names[near[0]], near[0]) if near else None


def _imports(step: str) -> list[str]:
    """Return the names that a pasted line needs."""
    from pytest_llmfaults._strategies import edits

    known: Iterable[str] = ("variant", "fault", *edits.__all__)
    return sorted({name for found in _NAME.findall(step) for name in found if name in known})


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
