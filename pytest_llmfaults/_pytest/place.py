"""Where the contract of a test is, and what one check is about."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.files import path_of
from pytest_llmfaults._contract.selection import on_some
from pytest_llmfaults._faults import Fault
from pytest_llmfaults._pytest import using

__all__ = ["Asked", "Place", "place_of"]


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where the contract of a test is.

    Attributes:
        path: its file.
        nodeid: the test without its case, as a person gives it to pytest.
    """

    path: Path
    nodeid: str


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """What one check is about.

    Attributes:
        place: where its file is.
        signed: what the file says, or None.
        rows: what is played.
        names: what the check answers for: rows of later editions than the file's are counted, and not played.
        patterns: what named them.
    """

    place: Place
    signed: Contract | None
    rows: tuple[Fault, ...]
    names: tuple[str, ...]
    patterns: tuple[str, ...] = ()

    def on(self, wires: Collection[str]) -> Asked:
        """Leave out what none of these wires has, unless it was named in full or signed."""
        signed = self.signed.behaviours if self.signed is not None else {}
        rows = tuple(row for row in self.rows if row.name in self.patterns or on_some(row.name, wires))
        kept = {*self.patterns, *signed}
        names = tuple(name for name in self.names if name in kept or on_some(name, wires))
        return dataclasses.replace(self, rows=rows, names=names)

    def editions(self, newest: Mapping[str, int]) -> dict[str, int]:
        """Return the edition of each family of another package that this check is about.

        Args:
            newest: families of other packages, with the newest edition of each that is installed.
        """
        signed = self.signed.editions if self.signed is not None else {}
        families = {pattern.partition(".")[0] for pattern in self.patterns}
        mine = {family: edition for family, edition in newest.items() if family in families}
        return {**signed, **{family: max(edition, signed.get(family, 1)) for family, edition in mine.items()}}


def place_of(item: pytest.Item, variant: str | None) -> Place:
    """Find the file of a test; all cases of a marker share it."""
    names = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    name = item.name
    case = item.stash[using.KEY].run.case
    if case is not None and getattr(item, "callspec", None) is not None:
        name = _without_case(name, case.name)
    path = path_of(item.path, *names, name, variant=variant)
    return Place(path, item.nodeid[: -len(item.name)] + name if item.nodeid.endswith(item.name) else item.nodeid)


def _without_case(name: str, case: str) -> str:
    base, bracket, ids = name.partition("[")
    kept = [one for one in ids.removesuffix("]").split("-") if one != case]
    return f"{base}{bracket}{'-'.join(kept)}]" if kept else base
