"""Observe the audited clients under every row, and write ``docs/clients.md`` and ``docs/catalogue/observed.tsv``.

No key, no network, no waiting. Needs the dependency group ``audit``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from alike import HEALTHY, NOT_APPLICABLE, OBSERVED
from clients_table import page
from observe import Seen, compared, kind_of, observe
from subjects import Subject, missing, quiet, subjects

from pytest_llmfaults import Fault, faults
from pytest_llmfaults._faults import EDITION

PAGE: Final = OBSERVED.parent.parent / "clients.md"


class Cell(NamedTuple):
    """What one client did under one row.

    Attributes:
        attempts: requests that left it.
        waits: seconds between them, as text.
        took: seconds of virtual time in all, as text.
        outcome: what its caller got, compared with the healthy reply.
    """

    attempts: str
    waits: str
    took: str
    outcome: str

    def __str__(self) -> str:
        """Write it as one cell of the file."""
        return "; ".join(self)


Observed: TypeAlias = "dict[str, dict[str, Cell | None]]"
"""Row, then client."""


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


def written(table: Observed) -> str:
    """Return the table as text with tabs."""
    names = list(table[HEALTHY])
    lines = ["\t".join(("row", *names))]
    for row, cells in table.items():
        lines.append("\t".join((row, *(str(cells[name] or NOT_APPLICABLE) for name in names))))
    return "\n".join(lines) + "\n"


def versions(clients: Iterable[Subject]) -> Mapping[str, str]:
    """Return the versions of what was observed, by distribution."""
    from importlib.metadata import version

    names = {one.package for one in clients if one.package is not None}
    return {name: version(name) for name in sorted({*names, "httpx2", "httpx", "requests", "pydantic"})}


def main() -> int:
    """Observe and write."""
    lacking = missing()
    if lacking:
        print(f"Nothing was observed: {', '.join(lacking)} not installed. Install the group audit: make audit.")
        return 1
    with quiet():
        clients = subjects()
        table = observed(clients, faults(stream=False, wire="openai.chat", edition=EDITION))
    OBSERVED.write_text(written(table), encoding="utf-8")
    PAGE.write_text(page(table, versions(clients)), encoding="utf-8")
    print(f"{len(table) - 1} rows, {len(clients)} clients: {PAGE.name}, {OBSERVED.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
