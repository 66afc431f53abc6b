"""What the audited clients did, as ``make audit`` wrote it down: each row is told apart, or says why it stays.

They speak openai.chat; rows that only another wire has are not observed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.faults.replies import ON_WIRE

CATALOGUE_DOCS = Path(__file__).parent.parent.parent / "docs" / "catalogue"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(CATALOGUE_DOCS))
    import alike

    return alike


def tables(module: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what was observed of each row, and the rows that no client tells apart, of both kinds of request."""
    both = module.read(), module.read(module.OBSERVED_STREAMS)
    return {**both[0], **both[1]}, {name: other for one in both for name, other in module.alike(one).items()}


def test_each_row_is_told_apart_or_says_why_it_stays(module: Any) -> None:
    observed, found = tables(module)
    silent = [name for name, row in ON_WIRE.items() if (name in found or name not in observed) and not row.stays]
    assert silent == [], "observe the clients again (make audit), then let a client tell the row apart or say stays="


def test_only_rows_that_nobody_tells_apart_say_so(module: Any) -> None:
    observed, found = tables(module)
    assert [name for name, row in ON_WIRE.items() if row.stays and name in observed and name not in found] == []


def test_reasons_are_sentences() -> None:
    for row in ON_WIRE.values():
        assert not row.stays or (row.stays[-1] == "." and len(row.stays) <= 120), row.name


def test_the_table_holds_rows_that_exist(module: Any) -> None:
    observed, streams = module.read(), module.read(module.OBSERVED_STREAMS)
    only = {name for name, row in ON_WIRE.items() if row.streamed == "only"}
    assert set(observed) - {module.HEALTHY} <= set(ON_WIRE) - only
    assert set(streams) - {module.HEALTHY} == only
    for table in (observed, streams):
        assert len({len(cells) for cells in table.values()}) == 1


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
