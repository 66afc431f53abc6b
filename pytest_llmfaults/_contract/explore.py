"""Look at variants one after the other: which behave like nothing that is known, and which behave alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterable

from pytest_llmfaults._contract.alike import Alike, pieces
from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.due import Due
from pytest_llmfaults._contract.named import row_named
from pytest_llmfaults._contract.observation import DOES_NOT_APPLY, Behaviour
from pytest_llmfaults._contract.study import Baseline, Case, Steps, Study, observing_case
from pytest_llmfaults._faults import Fault
from pytest_llmfaults._strategies.variant import Variant
from pytest_llmfaults.errors import ContractError

__all__ = ["Explorer", "Fuzzed", "Known", "Looking", "Sighting", "fuzzing", "knowing"]

Looking = Generator[Variant, bool, Variant | None]
"""Yields variants to look at, takes whether each is what is looked for, and returns the smallest that is."""


@dataclasses.dataclass(frozen=True, slots=True)
class Sighting:
    """A variant and what the subject did under it.

    Attributes:
        variant: the variant.
        case: what was observed; its fault is the variant as a row.
        lines: what it has in common with its like, or None where the variant does not apply.
    """

    variant: Variant
    case: Case
    lines: Behaviour | None

    @property
    def name(self) -> str:
        """The line that spells the variant."""
        return self.case.fault.name


class Explorer:
    """Looks at variants of one subject, at each once."""

    def __init__(self, subject: Subject, baseline: Baseline, due: Due) -> None:
        """Have seen nothing yet."""
        self.subject = subject
        self.baseline = baseline
        self.due = due
        self.alike = Alike(baseline.ok, subject.describe)
        self.seen: dict[str, Sighting] = {}
        self.lines: set[Behaviour] = set()
        self._steady: set[tuple[float, ...]] = set()

    @property
    def healthy(self) -> Behaviour:
        """The lines of what behaves as the healthy call does."""
        return Behaviour(self.alike.healthy, self.alike.healthy)

    def looking_at(self, variant: Variant) -> Steps[Sighting]:
        """Look at a variant, or remember what was seen."""
        row = self.due.row(variant)
        if row.name not in self.seen:
            case = yield from self.observing(row)
            sighting = self.seen[row.name] = Sighting(variant, case, self.alike.of(case))
            self.lines |= {sighting.lines} if sighting.lines is not None else set()
        return self.seen[row.name]

    def observing(self, row: Fault) -> Steps[Case]:
        """Observe a row, whether it was seen or not."""
        return (yield from observing_case(self.subject, row, self.baseline.ok.called, self._steady))

    def repeating(self, sighting: Sighting) -> Steps[None]:
        """Look at a variant once more.

        Raises:
            ContractError: the subject does something else now.
        """
        again = yield from self.observing(sighting.case.fault)
        before, now = sighting.case.behaviour, again.behaviour
        if before != now:
            msg = (
                f"The subject keeps state: under {sighting.name} it said {before.persists!r} once and "
                f"{now.persists!r} when it was asked again. Make what it keeps anew in setup= (a client, a cache, a "
                "circuit breaker), or give describe= a text that is the same for the same answer."
            )
            raise ContractError(msg)


class Known:
    """Behaviours that are no news."""

    def __init__(self, healthy: Behaviour) -> None:
        """Know the healthy call."""
        self._lines: set[Behaviour] = set()
        self._sentences: set[Behaviour] = set()
        self._pieces: dict[str, set[str]] = {}
        self.add(healthy, healthy)

    def add(self, lines: Behaviour | None, sentences: Behaviour) -> None:
        """Get to know a behaviour, as what it has in common with its like and as it was worded."""
        self._sentences.add(sentences)
        if lines is not None:
            self._lines.add(lines)
            for line in (lines.persists, lines.once):
                rest, differences = pieces(line)
                self._pieces.setdefault(rest, set()).update(differences)

    def knows(self, sighting: Sighting) -> bool:
        """Tell whether a variant behaves like something known, or does not apply.

        Two changes of which each does what is known are no news where both differences are seen side by side.
        """
        lines = sighting.lines
        if lines is None or lines in self._lines or sighting.case.behaviour in self._sentences:
            return True
        return len(sighting.variant.changes) > 1 and self._is_sum(lines.persists) and self._is_sum(lines.once)

    def _is_sum(self, line: str) -> bool:
        rest, differences = pieces(line)
        return rest in self._pieces and differences <= self._pieces[rest]


def knowing(explorer: Explorer, signed: Contract | None, study: Study | None) -> Steps[Known]:
    """Get to know what is signed. Where a value was signed, one fault is played again to see which kind it is.

    Args:
        explorer: looks.
        signed: what is signed; None is nothing.
        study: what was observed already.
    """
    known = Known(explorer.healthy)
    for case in study.cases if study is not None else ():
        known.add(explorer.alike.of(case), case.behaviour)
    names: dict[Behaviour, str] = {}
    for name, what in sorted(signed.behaviours.items()) if signed is not None else ():
        names.setdefault(what, name)
    observed = {case.behaviour for case in study.cases} if study is not None else set()
    for what, name in names.items():
        if what not in observed and what.persists != DOES_NOT_APPLY:
            known.add((yield from _lines_of(explorer, what, row_named(name))), what)
    return known


def _lines_of(explorer: Explorer, what: Behaviour, row: Fault) -> Steps[Behaviour | None]:
    lines = explorer.alike.of_signed(what)
    if lines is not None:
        return lines
    case = yield from explorer.observing(row)
    return explorer.alike.of(case) if case.behaviour == what else None


@dataclasses.dataclass(frozen=True, slots=True)
class Fuzzed:
    """What came of looking for a variant that behaves like nothing known.

    Attributes:
        variants: how many different ones were looked at.
        behaviours: how many kinds of behaviour they showed.
        findings: the smallest variant of each kind that is not known, so far as it was looked for.
        others: how many kinds beside these were seen that are not known.
    """

    variants: int
    behaviours: int
    findings: tuple[Sighting, ...] = ()
    others: int = 0


def fuzzing(explorer: Explorer, looks: Iterable[Looking], known: Known) -> Steps[Fuzzed]:
    """Look for variants that behave like nothing known: one by each of ``looks``, until one finds nothing."""
    findings: list[Sighting] = []
    for looking in looks:
        smallest = yield from _found(explorer, looking, known)
        if smallest is None:
            break
        sighting = explorer.seen[explorer.due.row(smallest).name]
        yield from explorer.repeating(sighting)
        findings.append(sighting)
        known.add(sighting.lines, sighting.case.behaviour)
    unknown = {one.lines for one in explorer.seen.values() if not known.knows(one)}
    return Fuzzed(len(explorer.seen), len(explorer.lines), tuple(findings), len(unknown))


def _found(explorer: Explorer, looking: Looking, known: Known) -> Steps[Variant | None]:
    try:
        variant = next(looking)
        while True:
            found = False
            if not variant.is_healthy:
                sighting = yield from explorer.looking_at(variant)
                found = not known.knows(sighting)
            variant = looking.send(found)
    except StopIteration as stop:
        smallest: Variant | None = stop.value
        return smallest
    finally:
        looking.close()
