"""What made the code under test ask again, in words and in fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

__all__ = ["Kind", "Reason", "article", "told"]

Kind: TypeAlias = Literal["clause", "predicate", "reply", "unknown"]

LOOKED: Final = "no exception: the client looked at the reply"
FOLLOWED: Final = "it followed a redirect"
APART: Final = "unknown: each request ran in a task or a thread of its own"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why one retry happened.

    Attributes:
        kind: ``clause`` (an exception was caught by a clause of the source), ``predicate`` (a retry library or an SDK
            decided), ``reply`` (no exception reached the loop) or ``unknown``.
        exception: the class of the exception, or None.
        bases: those of its bases that the clause or the predicate names.
        source: the class of the exception that it was raised for by the code under test, or None.
        clause: the source of the ``except`` or ``with`` clause that caught it, or None.
        file: the name of the file that the clause is in, without directories, or None.
        line: the line of the clause, or None.
        library: the library whose loop it was; None where it is the loop of the code under test.
        predicate: what that library was told, or None.
    """

    kind: Kind
    exception: str | None = None
    bases: tuple[str, ...] = ()
    source: str | None = None
    clause: str | None = None
    file: str | None = None
    line: int | None = None
    library: str | None = None
    predicate: str | None = None

    @property
    def thrown(self) -> str:
        """The exception in words: ``JSONDecodeError (a RequestException)``."""
        bases = " and ".join(article(base) for base in self.bases)
        source = f" from {self.source}" if self.source else ""
        return f"{self.exception}{source}" + (f" ({bases})" if bases else "")

    @property
    def caught(self) -> str:
        """The exception and what caught it."""
        by = f"`{self.clause}`" if self.clause else "a clause whose source cannot be read"
        return f"{self.thrown} caught by {by} {self.file}:{self.line}"

    def __str__(self) -> str:
        """Say it in one line."""
        whose = f"{self.library}: " if self.library else ""
        if self.kind == "predicate":
            after = f", after {self.thrown}" if self.exception else ""
            return f"{whose}{self.predicate}{after}"
        if self.kind == "clause":
            return f"{whose}{self.caught}"
        if self.kind == "reply":
            before = f" (before that, {self.caught})" if self.exception else ""
            return f"{whose}{LOOKED}{before}"
        return APART


def article(name: str) -> str:
    """Put the article before a class name."""
    return f"{'an' if name[:1].upper() in 'AEIOU' else 'a'} {name}"


def told(reasons: Iterable[Reason]) -> str:
    """Tell the reasons of all retries; those that are the same only once."""
    numbers: dict[str, list[int]] = {}
    for number, reason in enumerate(reasons, start=1):
        numbers.setdefault(str(reason), []).append(number)
    if len(numbers) == 1:
        return next(iter(numbers))
    return "; ".join(f"{_which(several)}: {text}" for text, several in numbers.items())


def _which(numbers: list[int]) -> str:
    """Write sorted numbers as a person would: ``retries 1-3, 5``."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    parts = (str(first) if first == last else f"{first}-{last}" for first, last in runs)
    return f"{'retry' if len(numbers) == 1 else 'retries'} {', '.join(parts)}"
