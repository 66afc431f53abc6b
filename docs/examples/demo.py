"""Run the trading client under every core fault and print what it did. No key, no network, no waiting."""

from __future__ import annotations

import json

from conftest import ACTIONS
from trader import decide

from pytest_llmfaults import Answer, Refused, faults, inject

HEADER = ("fault", "attempts", "waits in seconds", "outcome")
WIDTHS = (30, 8, 16, 60)


def observe(name: str) -> tuple[str, str, str, str]:
    """Let the client decide while the fault persists, and say what it did."""
    with inject(name, answer=Answer(data={"actions": ACTIONS})) as seen:
        try:
            decision = decide()
            outcome = json.dumps(decision.actions) if decision.actions else f"holds everything: {decision.error}"
        except RuntimeError as error:
            outcome = f"{type(error).__name__}: {error}"
    waits = " ".join(f"{seconds:g}" for seconds in seen.waits)
    return name, str(seen.attempts), waits, outcome


def main() -> None:
    """Print the table."""
    print(row(HEADER))
    print(row(tuple("-" * width for width in WIDTHS)))
    for fault in faults("core"):
        try:
            print(row(observe(fault.name)))
        except Refused:
            print(row((fault.name, "-", "", "does not apply: the client offers no tools")))


def row(cells: tuple[str, ...]) -> str:
    """Lay one line out."""
    return "  ".join(cell[:width].ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()


if __name__ == "__main__":
    main()
