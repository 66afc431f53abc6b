"""What a person sees of a failing test, and the list of faults."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_llmfaults._pytest.state import State

__all__ = ["add_section", "listing"]


def add_section(report: pytest.TestReport, state: State) -> None:
    """Tell the story of a failing test in a section of its own."""
    from pytest_llmfaults._views import story

    ledger = state.run.ledger
    lines = [story(ledger.attempts)] if ledger.attempts else []
    lines += [f"refused: {refusal.reason}" for refusal in ledger.refusals]
    lines += [f"note: {note}" for note in (*state.run.notes, *state.run.clock.notes)]
    if lines:
        report.sections.append(("llmfaults", "\n".join(lines)))


def listing(words: list[str], width: int) -> str:
    """List the faults that have all ``words`` in their row, grouped by family.

    Args:
        words: each must be in the name, the meaning, the draw, the scope or the slot.
        width: columns.
    """
    from pytest_llmfaults._faults import CATALOGUE, CORE, DEFAULT_EDITION

    rows = [
        row
        for row in CATALOGUE.values()
        if all(
            word.lower() in f"{row.name} {row.meaning} {row.draw} {row.scope} {row.slot or ''}".lower()
            for word in words
        )
    ]
    lines: list[str] = []
    for row in rows:
        core = ", core" if row.name in CORE else ""
        newer = f", edition {row.since}" if row.since > DEFAULT_EDITION else ""
        stream = {"only": ", streams only", "never": ", no streams"}.get(row.streamed or "", "")
        lines.append(f"{row.name}  [draw {row.draw}, {row.scope}{core}{newer}{stream}]")
        lines += textwrap.wrap(row.meaning, width - 4, initial_indent="    ", subsequent_indent="    ")
        for parameter in row.parameters:
            lines.append(f"    {parameter.name}={parameter.default!r}: {parameter.allowed}")
    total = f"{len(rows)} of {len(CATALOGUE)} faults." if words else f"{len(rows)} faults."
    return "\n".join([*lines, total])
