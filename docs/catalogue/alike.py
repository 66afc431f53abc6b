"""Which rows no audited client tells apart, read from ``observed*.tsv``. Needs no client."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

from pytest_llmfaults import faults
from pytest_llmfaults._faults import EDITION

__all__ = ["HEALTHY", "NOT_APPLICABLE", "OBSERVED", "OBSERVED_STREAMS", "Cells", "alike", "read"]

OBSERVED: Final = Path(__file__).resolve().parent / "observed.tsv"
OBSERVED_STREAMS: Final = OBSERVED.with_name("observed_streams.tsv")
"""The rows that only a stream can have, and clients of streams."""

HEALTHY: Final = "healthy"
NOT_APPLICABLE: Final = "-"

Cells: TypeAlias = "tuple[str, ...]"
"""What each client did under one row: attempts, waits, seconds and outcome, as text."""


def read(path: Path = OBSERVED) -> dict[str, Cells]:
    """Return what was observed, by row; the first entry is the healthy reply."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return {name: tuple(cells) for name, *cells in lines[1:]}


def alike(observed: Mapping[str, Cells]) -> dict[str, str]:
    """Return the rows that no client tells from the healthy reply, or from a row before it in the family.

    A client's cells are compared where the row applies to its request; rows that apply to other clients are no
    neighbours.

    Returns:
        What each such row cannot be told from, by row.
    """
    found: dict[str, str] = {}
    before: defaultdict[str, dict[Cells, str]] = defaultdict(dict)
    for row, cells in observed.items():
        family = before[row.partition(".")[0]]
        healthy = zip(cells, observed[HEALTHY], strict=True)
        if row == HEALTHY:
            continue
        if all(cell in {NOT_APPLICABLE, good} for cell, good in healthy):
            found[row] = HEALTHY
        elif cells in family:
            found[row] = family[cells]
        family.setdefault(cells, row)
    return found


def main() -> int:
    """Print the rows that no client tells apart, and why each stays."""
    rows = {row.name: row for row in faults(wire="openai.chat", edition=EDITION)}
    every = {**alike(read()), **alike(read(OBSERVED_STREAMS))}
    found = {row: other for row, other in every.items() if row in rows}
    for row, other in found.items():
        print(f"{row} = {other}: {rows[row].stays or 'NO REASON GIVEN'}")
    print(f"{len(rows) - len(found)} of {len(rows)} rows are told apart by a client; {len(found)} say why they stay.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
