"""Observe the audited clients under every row; write the pages ``docs/clients*`` and ``docs/catalogue/observed*.tsv``.

No key, no network, no waiting. Needs the dependency group ``audit``.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from multiprocessing import get_context
from typing import Final

from alike import HEALTHY, NOT_APPLICABLE, OBSERVED, OBSERVED_STREAMS
from clients_cell import Cell, Observed
from clients_overview import overview
from clients_table import file_name, page
from observe import Seen, compared, kind_of, observe
from subjects import Subject, missing, quiet
from tables import CHAT, STREAMS, Table, tables

from pytest_llmfaults import Fault

PAGE: Final = OBSERVED.parent.parent / "clients.md"
PAGES: Final = PAGE.with_suffix("")
_LIBRARIES: Final = ("aiohttp", "httpx", "httpx2", "pydantic", "requests")
_MOST_PROCESSES: Final = 4


def observed(clients: Iterable[Subject], rows: Iterable[Fault]) -> Observed:
    """Observe the clients under the rows; the first entry is the healthy reply."""
    clients, table = tuple(clients), {}
    healthy = {(one.name, kind): observe(one, None, kind) for one in clients for kind in one.kinds}
    table[HEALTHY] = {one.name: _cell(healthy[one.name, one.kinds[0]], None) for one in clients}
    for row in rows:
        table[row.name] = {
            one.name: _cell(observe(one, row, kind), healthy[one.name, kind])
            for one in clients
            for kind in (kind_of(one, row),)
        }
    return table


def _cell(seen: Seen | None, healthy: Seen | None) -> Cell | None:
    if seen is None:
        return None
    outcome = compared(seen.parts, healthy.parts) if healthy is not None else "ok"
    return Cell(str(seen.attempts), " ".join(f"{wait:g}" for wait in seen.waits), f"{seen.took:g}", outcome)


def written(table: Observed, names: Sequence[str]) -> str:
    """Return the columns of these clients as text with tabs."""
    lines = ["\t".join(("row", *names))]
    for row, cells in table.items():
        lines.append("\t".join((row, *(str(cells[name] or NOT_APPLICABLE) for name in names))))
    return "\n".join(lines) + "\n"


def versions(clients: Iterable[Subject]) -> Mapping[str, str]:
    """Return the versions of what was observed, by distribution."""
    names = {one.package for one in clients if one.package is not None}
    return {name: version(name) for name in sorted({*names, *_LIBRARIES})}


def _observed(name: str) -> Observed:
    """Observe one table, in a process of its own."""
    with quiet():
        table = next(one for one in tables() if one.name == name)
        observed(table.subjects, ())  # all that the frameworks import and hold is there now, and stays
        gc.freeze()  # so nobody has to look through it again
        found = observed(table.subjects, table.rows)
    print(
        f"{name}: {len(found) - 1} rows, {len(table.subjects)} clients, {time.process_time():.0f} s of CPU", flush=True
    )
    return found


def _write(found: Sequence[tuple[Table, Observed]]) -> None:
    by_name = {table.name: (table, cells) for table, cells in found}
    for name, path, only in ((CHAT, OBSERVED, False), (STREAMS, OBSERVED_STREAMS, True)):
        table, cells = by_name[name]
        kept = {row.name for row in table.rows if not only or row.streamed == "only"}
        columns = [one.name for one in table.subjects if one.like is None]
        path.write_text(
            written({row: cells[row] for row in cells if row in kept or row == HEALTHY}, columns), encoding="utf-8"
        )
    PAGES.mkdir(exist_ok=True)
    for table, cells in found:
        (PAGES / file_name(table.name)).write_text(page(table, cells, versions(table.subjects)), encoding="utf-8")
    every = versions(one for table, _ in found for one in table.subjects)
    PAGE.write_text(overview(found, every), encoding="utf-8")


def main() -> int:
    """Observe and write."""
    lacking = missing()
    if lacking:
        print(f"Nothing was observed: {', '.join(lacking)} not installed. Install the group audit: make audit.")
        return 1
    with quiet():
        made = tables()
    # A table for each process, and new ones: the clock of one has nothing to do with that of another.
    processes = min(os.cpu_count() or 1, _MOST_PROCESSES)
    with get_context("spawn").Pool(processes, maxtasksperchild=1) as pool:
        found = list(zip(made, pool.map(_observed, [table.name for table in made], chunksize=1), strict=True))
    _write(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
