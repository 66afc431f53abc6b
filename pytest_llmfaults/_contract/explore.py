"""Look at variants one after the other: which behave like nothing that is known, and which behave alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterable

from pytest_llmfaults._contract.alike import Alike, lines_of, pieces
from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.due import Due
from pytest_llmfaults._contract.named import row_named
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.study import Baseline, Case, Steps, Study, observing_case
from pytest_llmfaults._faults import Fault
from pytest_llmfaults._strategies.variant import Variant
from pytest_llmfaults.errors import ContractError

__all__ = ["Explorer", "Fuzzed", "Known", "Looking", "Sighting", "fuzzing", "knowing"]

Looking = Generator[Variant, bool, Variant | None]
"""Yields variants to look at, takes whether each is what is looked for, and returns the smallest that is."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """A variant and what the subject did under it.

    Attributes:
        variant: the variant.
        case: what was observed; its fault is the variant as a row.
    """

    variant: Variant
    case: Case

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
        self.learns = True
        self.seen: dict[str, Sighting] = {}
        self._steady: set[tuple[float, ...]] = set()
        self._lines: dict[int, tuple[int, Behaviour | None, Case]] = {}

    def looking_at(self, variant: Variant) -> Steps[Sighting]:
        """Look at a variant, or remember what was seen."""
        row = self.due.row(variant)
        if row.name not in self.seen:
            self.seen[row.name] = Sighting(variant, (yield from self.observing(row)))
        return self.seen[row.name]

    def observing(self, row: Fault) -> Steps[Case]:
        """Observe a row, whether it was seen or not."""
        case = yield from observing_case(self.subject, row, self.baseline.ok.called, self._steady)
        if self.learns:
            self.alike.learn(case)
        return case

    def lines(self, case: Case) -> Behaviour | None:
        """Return what a case has in common with its like, so far as is known; None where it does not apply."""
        version, lines, _ = self._lines.get(id(case), (-1, None, case))
        if version != self.alike.version:
            lines = self.alike.of(case)
            self._lines[id(case)] = self.alike.version, lines, case
        return lines

    def groups(self) -> dict[Behaviour, list[Sighting]]:
        """Return what was seen, what is alike together."""
        found: dict[Behaviour, list[Sighting]] = {}
        for sighting in self.seen.values():
            lines = self.lines(sighting.case)
            if lines is not None:
                found.setdefault(lines, []).append(sighting)
        return found

    def repeating(self, sighting: Sighting) -> Steps[None]:
        """Look at a variant once more.

        Raises:
            ContractError: the subject does something else now.
        """
        again = yield from self.observing(sighting.case.fault)
        before, now = sighting.case.behaviour, again.behaviour
        if before != now:
            name, lines = sighting.name, (before.persists, now.persists)
            if before.persists == now.persists:
                name, lines = f"{name}, once", (before.once, now.once)
            msg = (
                f"The subject keeps state: under {name} it did {lines[0]!r} and, asked again, {lines[1]!r}. "
                "Make what it keeps anew in setup= (a client, a cache, a "
                "circuit breaker), or give describe= a text that is the same for the same answer."
            )
            raise ContractError(msg)


class Known:
    """Behaviours that are no news: the healthy call's, and those that were added."""

    def __init__(self, explorer: Explorer) -> None:
        """Know the healthy call."""
        self._explorer = explorer
        self._cases: list[Case] = []
        self._signed: set[Behaviour] = set()
        self._sentences: set[Behaviour] = set()
        self._made: tuple[int, int] = (-1, -1)
        self._lines: set[Behaviour] = set()
        self._pieces: dict[str, set[str]] = {}

    def add(self, case: Case) -> None:
        """Get to know what was observed."""
        self._cases.append(case)
        self._sentences.add(case.behaviour)

    def sign(self, what: Behaviour) -> None:
        """Get to know what was signed."""
        lines = lines_of(what)
        self._signed |= set() if lines is None else {lines}
        self._sentences.add(what)

    def knows(self, sighting: Sighting) -> bool:
        """Tell whether a variant behaves like something known, or does not apply.

        Two changes of which each adds what is known are no news where both are seen side by side.
        """
        self._refresh()
        lines = self._explorer.lines(sighting.case)
        if lines is None or lines in self._lines or sighting.case.behaviour in self._sentences:
            return True
        return len(sighting.variant.changes) > 1 and self._is_sum(lines.persists) and self._is_sum(lines.once)

    def _refresh(self) -> None:
        """Make the lines anew where more is known."""
        state = self._explorer.alike.version, len(self._cases) + len(self._signed)
        if state == self._made:
            return
        self._made = state
        of_cases = {lines for case in self._cases if (lines := self._explorer.lines(case)) is not None}
        self._lines = {self._explorer.alike.healthy, *self._signed, *of_cases}
        self._pieces = {"": set()}
        for line in (line for lines in self._lines for line in (lines.persists, lines.once)):
            rest, added = pieces(line)
            self._pieces.setdefault(rest, set()).update(added)
            self._pieces[""].update(added)

    def _is_sum(self, line: str) -> bool:
        rest, added = pieces(line)
        return rest in self._pieces and added <= self._pieces[""]


def knowing(explorer: Explorer, signed: Contract | None, study: Study | None) -> Steps[Known]:
    """Get to know what is signed. Where a value was signed, one fault is played again to see which kind it is.

    Args:
        explorer: looks, and learns from this which words are the client's own.
        signed: what is signed; None is nothing.
        study: what was observed already.
    """
    known = Known(explorer)
    cases = study.cases if study is not None else ()
    for case in cases:
        explorer.alike.learn(case)
        known.add(case)
    names: dict[Behaviour, str] = {}
    for name, what in sorted(signed.behaviours.items()) if signed is not None else ():
        names.setdefault(what, name)
    observed = {case.behaviour for case in cases}
    for what, name in names.items():
        known.sign(what)
        if what not in observed and lines_of(what) is None:
            case = yield from explorer.observing(row_named(name))
            if case.behaviour == what:
                known.add(case)
    return known


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
    explorer.learns = False  # or what counts as alike would change while Hypothesis shrinks
    for looking in looks:
        smallest = yield from _found(explorer, looking, known)
        if smallest is None:
            break
        sighting = explorer.seen[explorer.due.row(smallest).name]
        yield from explorer.repeating(sighting)
        findings.append(sighting)
        known.add(sighting.case)
    groups = explorer.groups()
    unknown = [lines for lines, group in groups.items() if not all(map(known.knows, group))]
    return Fuzzed(len(explorer.seen), len(groups), tuple(findings), len(unknown))


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
