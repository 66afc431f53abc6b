"""What the audited clients did, as ``make audit`` wrote it down: each row is told apart, or says why it stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_llmfaults._faults import CATALOGUE

CATALOGUE_DOCS = Path(__file__).parent.parent.parent / "docs" / "catalogue"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(CATALOGUE_DOCS))
    import alike

    return alike


def test_each_row_is_told_apart_or_says_why_it_stays(module: Any) -> None:
    observed = module.read()
    found = module.alike(observed)
    silent = [name for name, row in CATALOGUE.items() if (name in found or name not in observed) and not row.stays]
    assert silent == [], "observe the clients again (make audit), then let a client tell the row apart or say stays="


def test_only_rows_that_nobody_tells_apart_say_so(module: Any) -> None:
    observed = module.read()
    found = module.alike(observed)
    assert [name for name, row in CATALOGUE.items() if row.stays and name in observed and name not in found] == []


def test_reasons_are_sentences() -> None:
    for row in CATALOGUE.values():
        assert not row.stays or (row.stays[-1] == "." and len(row.stays) <= 120), row.name


def test_the_table_holds_rows_that_exist(module: Any) -> None:
    observed = module.read()
    assert set(observed) - {module.HEALTHY} <= set(CATALOGUE)
    assert len({len(cells) for cells in observed.values()}) == 1


def test_what_counts_as_alike(module: Any) -> None:
    rows = {
        "healthy": ("1 ok", "1 ok"),
        "a.same_as_healthy": ("1 ok", "-"),
        "a.told": ("1 ok", "2 raises"),
        "a.told_too": ("3 ok", "2 raises"),
        "a.as_before": ("1 ok", "2 raises"),
        "a.other_request": ("-", "2 raises"),
        "b.other_family": ("1 ok", "2 raises"),
    }
    assert module.alike(rows) == {"a.same_as_healthy": "healthy", "a.as_before": "a.told"}
