"""Where the contract of a test is."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from pytest_llmfaults._contract.files import path_of
from pytest_llmfaults._pytest import using

__all__ = ["Place", "place_of"]


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where the contract of a test is.

    Attributes:
        path: its file.
        nodeid: the test without its case, as a person gives it to pytest.
    """

    path: Path
    nodeid: str


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
