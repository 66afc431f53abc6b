"""What a person sees of a failing test, and the list of faults."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

import pytest

from pytest_llmfaults._pytest import frames

if TYPE_CHECKING:
    from pytest_llmfaults._pytest.state import State

__all__ = ["add_section", "listing", "show"]

_CAPTURED_LINES: Final = 10


def show(report: pytest.TestReport, excinfo: pytest.ExceptionInfo[BaseException] | None, *, verbose: bool) -> None:
    """Show what matters of a failure.

    Of an error that was raised after the test's body only the text: there is no line of it to show. Of a contract's,
    only the beginning of what hundreds of observed calls have printed and logged.
    """
    from pytest_llmfaults.errors import ContractBroken, ContractError

    if excinfo is None:
        return
    if isinstance(excinfo.value, (ContractBroken, ContractError)) and not verbose:
        report.sections[:] = [(name, _beginning(text)) for name, text in report.sections]
    if frames.shows_nothing(excinfo):
        shown = excinfo.getrepr(style="value")
        if shown.reprcrash is not None:
            shown.reprcrash.message = str(excinfo.value)  # the short summary has no room for a module's name
        report.longrepr = shown


def _beginning(text: str) -> str:
    lines = text.splitlines()
    left = len(lines) - _CAPTURED_LINES
    if left <= 1:
        return text
    return "\n".join([*lines[:_CAPTURED_LINES], f"... {left} more lines of the calls that were observed (-v)"])


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
        lines.append(f"{row.name}  [draw {row.draw}, {row.scope}{core}{newer}]")
        lines += textwrap.wrap(row.meaning, width - 4, initial_indent="    ", subsequent_indent="    ")
        for parameter in row.parameters:
            lines.append(f"    {parameter.name}={parameter.default!r}: {parameter.allowed}")
    total = f"{len(rows)} of {len(CATALOGUE)} faults." if words else f"{len(rows)} faults."
    return "\n".join([*lines, total])
