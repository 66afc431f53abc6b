"""What one looks at first: five kinds of behaviour that are seldom wanted, a line each instead of 300 rows.

Nothing here fails a test: what is wanted is the user's to declare.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable
from typing import Final

from pytest_llmfaults._contract.observation import DOES_NOT_APPLY, FOREVER, Observation
from pytest_llmfaults._contract.sentence import number
from pytest_llmfaults._contract.words import AS_OK, clip, is_success
from pytest_llmfaults._faults import Fault

__all__ = ["LONG_SECONDS", "Finding", "Observed", "ranked"]

LONG_SECONDS: Final = 60.0
"""A call that takes longer than this is worth a look."""

_GARBAGE: Final = ("body", "envelope", "transport", "status")


@dataclasses.dataclass(frozen=True, slots=True)
class Observed:
    """A fault with what was observed under it.

    Attributes:
        fault: the row.
        persists: while it persists.
        once: when it happens once; None where that was not asked.
        unfit: whether a value that is known to break the schema of the request was returned while it persisted.
    """

    fault: Fault
    persists: Observation
    once: Observation | None = None
    unfit: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One of the five lines.

    Attributes:
        kind: ``garbage``, ``escapes``, ``waits``, ``retried`` or ``not retried``.
        faults: names of the faults it is about, the strongest case first.
        text: the line.
    """

    kind: str
    faults: tuple[str, ...]
    text: str

    @property
    def count(self) -> int:
        """How many faults it is about."""
        return len(self.faults)

    @property
    def names(self) -> str:
        """All the faults it is about, on one line."""
        return ", ".join(self.faults)


def ranked(observed: Iterable[Observed], *, own: Collection[str], usual: int = 1) -> tuple[Finding, ...]:
    """Return what one looks at first, in a fixed order of kinds; kinds without a case are left out.

    Args:
        observed: the faults with what was observed.
        own: modules (with all below them) whose exceptions a caller may expect: the client's own and its SDK's.
        usual: attempts of the healthy call.
    """
    cases = [case for case in observed if case.persists.outcome != DOES_NOT_APPLY]
    findings = (
        _garbage(cases, usual),
        _escapes(cases, own),
        _waits(cases),
        _retried(cases, usual),
        _not_retried(cases, usual),
    )
    return tuple(finding for finding in findings if finding is not None)


def _garbage(cases: Iterable[Observed], usual: int) -> Finding | None:
    """Total faults that end like a success, but for a retry that met the healthy reply; and data unlike its schema.

    Of other rows in ``structured`` nobody knows whether what was returned is good enough.
    """
    found = {}
    for case in cases:
        ends = _unexplained(case, usual)
        total = case.fault.scope == "total" and case.fault.family in _GARBAGE
        if ends and (total or case.unfit):
            found[case.fault.name] = (case, ends)
    as_ok = sum(ends == AS_OK for _, ends in found.values())
    return _finding(
        "garbage",
        [case for case, _ in found.values()],
        strongest=lambda case: (found[case.fault.name][1] != AS_OK,),
        head="garbage in, success out" + (f" ({as_ok} the same as ok)" if as_ok else ""),
        say=lambda case: f"{clip(found[case.fault.name][1])}: {case.fault.meaning}",
        advice="Check status, type and schema of a reply before its content is used.",
    )


def _unexplained(case: Observed, usual: int) -> str | None:
    """Return the outcome that looks like a success without a healthy reply behind it.

    Where another request was made, ``same as ok`` says that this one met the healthy reply.
    """
    lasting, once = case.persists, case.once
    if is_success(lasting.outcome) and not (lasting.attempts > usual and lasting.outcome == AS_OK):
        return lasting.outcome
    if once is not None and once.attempts <= usual and is_success(once.outcome):
        return once.outcome
    return None


def _escapes(cases: Iterable[Observed], own: Collection[str]) -> Finding | None:
    found: dict[str, tuple[Observed, Observation]] = {}
    for case in cases:
        for seen in (case.persists, case.once):
            if seen is not None and seen.module is not None and not _is_own(seen.module, own):
                found.setdefault(case.fault.name, (case, seen))
    return _finding(
        "escapes",
        [case for case, _ in found.values()],
        head="an exception that is neither the client's nor the SDK's",
        say=lambda case: clip(found[case.fault.name][1].outcome),
        advice="Catch it where the reply is read, and raise one of your own.",
    )


def _is_own(module: str, own: Collection[str]) -> bool:
    return any(module == prefix or module.startswith(f"{prefix}.") for prefix in own)


def _waits(cases: Iterable[Observed]) -> Finding | None:
    found = [case for case in cases if _seconds(case) > LONG_SECONDS]
    endless = sum(case.persists.outcome.startswith(FOREVER) for case in found)
    return _finding(
        "waits",
        found,
        strongest=lambda case: (-_seconds(case),),
        head=f"longer than {number(LONG_SECONDS)} s" + (f" ({endless} for ever)" if endless else ""),
        say=lambda case: (
            case.persists.outcome
            if case.persists.outcome.startswith(FOREVER)
            else f"{number(_seconds(case))} s in {_attempts(case.persists.attempts)}"
        ),
        advice="Set a timeout for each attempt and a deadline for the whole call.",
    )


def _seconds(case: Observed) -> float:
    if case.persists.outcome.startswith(FOREVER):
        return float("inf")
    return max(case.persists.elapsed.low, case.persists.elapsed.high)


def _retried(cases: Iterable[Observed], usual: int) -> Finding | None:
    return _finding(
        "retried",
        [case for case in cases if case.fault.draw == "same" and case.persists.attempts > usual],
        strongest=lambda case: (-case.persists.attempts, -_seconds(case)),
        head="retried although the next draw is the same",
        say=lambda case: f"{_attempts(case.persists.attempts)}: {case.fault.meaning}",
        advice="Fail at once: asking again costs time and money.",
    )


def _not_retried(cases: Iterable[Observed], usual: int) -> Finding | None:
    def gave_up(seen: Observation) -> bool:
        return seen.attempts <= usual and seen.outcome != AS_OK and not seen.outcome.startswith(FOREVER)

    return _finding(
        "not retried",
        [case for case in cases if case.fault.draw == "fresh" and gave_up(case.persists)],
        head="not retried although the next draw is fresh",
        say=lambda case: f"{clip(case.persists.outcome)}: {case.fault.meaning}",
        advice="Ask again, a few times, with growing waits.",
    )


def _attempts(number: int) -> str:
    return f"{number} attempt{'' if number == 1 else 's'}"


def _finding(
    kind: str,
    found: Iterable[Observed],
    *,
    head: str,
    say: Callable[[Observed], str],
    advice: str,
    strongest: Callable[[Observed], tuple[float, ...]] = lambda _: (),
) -> Finding | None:
    """Build a line; among equally strong cases the one that was reported most often comes first."""
    cases = sorted(found, key=lambda case: (strongest(case), -len(case.fault.sources), case.fault.name))
    if not cases:
        return None
    count = f"{len(cases)} fault{'' if len(cases) == 1 else 's'}"
    first = cases[0]
    text = f"{count} {head}. {first.fault.name}: {say(first).removesuffix('.')}. {advice}"
    return Finding(kind, tuple(case.fault.name for case in cases), text)
