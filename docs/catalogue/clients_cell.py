"""What one client did under one row, as a value and as a few words for a page."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, TypeAlias

from subjects import Subject

__all__ = ["Cell", "Observed", "shown"]

_NOTED_SECONDS: Final = 10
_OUTCOME_LENGTH: Final = 36
_LOST: Final = ("raises ", "waits ")


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

    @property
    def failed(self) -> bool:
        """Whether the call ended in an exception, or never."""
        return self.outcome.startswith(_LOST)

    @property
    def raised(self) -> str:
        """The class that was raised, with its module; nothing where none was."""
        return self.outcome.removeprefix("raises ").partition(",")[0] if self.outcome.startswith("raises ") else ""

    @property
    def for_ever(self) -> bool:
        """Whether the call never ends."""
        return self.outcome.startswith("waits ")


Observed: TypeAlias = "dict[str, dict[str, Cell | None]]"
"""Row, then client."""


def shown(subject: Subject, cell: Cell | None) -> str:
    """Return a cell for a person: short, without digests, and safe inside a table."""
    if cell is None:
        return "-"
    text = re.sub(r" #[0-9a-f]{6}\b", "", cell.outcome)
    text = text.removeprefix("raises ").removeprefix(f"{subject.module}.")
    text = text if len(text) <= _OUTCOME_LENGTH else f"{text[:_OUTCOME_LENGTH].rstrip()}..."
    text = text.replace("`", "'").replace("|", "\\|")
    seconds = 0.0 if cell.for_ever else float(cell.took)
    took = f", {seconds:.0f} s" if seconds >= _NOTED_SECONDS else ""
    return f"{cell.attempts} {text if text == 'ok' else f'`{text}`'}{took}"
