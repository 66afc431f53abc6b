"""What a person sees of a failing test, and the list of faults and rules."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

import pytest

from pytest_llmfaults._pytest import frames

if TYPE_CHECKING:
    from pytest_llmfaults._faults import Fault
    from pytest_llmfaults._pytest.state import State
    from pytest_llmfaults._rules import Rule

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

    ledger, before = state.run.ledger, state.run.first_shown
    last = ledger.attempts[before:]
    shown = "Of the last one" if last else "The last one made none"
    lines = [f"Requests of earlier examples, left out here: {before}. {shown}{':' if last else '.'}"] if before else []
    lines += [story(last)] if last else []
    lines += [str(violation) for violation in state.run.strictness.violations]
    lines += [f"refused: {refusal.reason}" for refusal in ledger.refusals]
    lines += [f"note: {note}" for note in state.run.clock.notes]
    if lines:
        report.sections.append(("llmfaults", "\n".join(lines)))


def listing(words: list[str], width: int) -> str:
    """List the faults and rules that have all ``words`` in their row, grouped by family.

    Args:
        words: each must be in the name, the meaning, the draw, the scope or the slot.
        width: columns.
    """
    from pytest_llmfaults._faults import CATALOGUE, CORE, DEFAULT_EDITION
    from pytest_llmfaults._rules import RULES

    faults = [
        row
        for row in CATALOGUE.values()
        if _has(words, f"{row.name} {row.meaning} {row.draw} {row.scope} {row.slot or ''}")
    ]
    rules = [row for row in RULES.values() if _has(words, f"{row.name} {row.meaning} {row.slot} rule")]
    lines: list[str] = []
    for row in faults:
        core = ", core" if row.name in CORE else ""
        newer = f", edition {row.since}" if row.since > DEFAULT_EDITION else ""
        lent = f", from {CATALOGUE.origin(row.name)}" if row.name in CATALOGUE.lent else ""
        stream = {"only": ", streams only", "never": ", no streams"}.get(row.streamed or "", "")
        lines += _entry(row, f"[draw {row.draw}, {row.scope}{core}{newer}{stream}{lent}]", width)
    for rule in rules:
        alone = ", only by its full name" if rule.by_name else ""
        newer = f", edition {rule.since}" if rule.since > DEFAULT_EDITION else ""
        lines += _entry(rule, f"[rule{alone}{newer}]", width)
    of = (f" of {len(CATALOGUE)}", f" of {len(RULES)}") if words else ("", "")
    return "\n".join([*lines, f"{len(faults)}{of[0]} faults, {len(rules)}{of[1]} rules."])


def _has(words: list[str], text: str) -> bool:
    return all(word.lower() in text.lower() for word in words)


def _entry(row: Fault | Rule, marks: str, width: int) -> list[str]:
    said = [row.meaning, *(f"{one.name}={one.default!r}: {one.allowed}" for one in row.parameters)]
    lines = (textwrap.wrap(text, width - 4, initial_indent="    ", subsequent_indent="    ") for text in said)
    return [f"{row.name}  {marks}", *(line for wrapped in lines for line in wrapped)]
