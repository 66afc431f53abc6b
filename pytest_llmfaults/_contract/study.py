"""Observe a subject under many faults: healthy, interrupted, each fault in both ways, and healthy once more."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Iterable
from typing import Final, TypeVar

from pytest_llmfaults._contract.call import Called, Interrupt, Job, Subject, perform, perform_async
from pytest_llmfaults._contract.conforms import is_unfit
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.describe import innermost
from pytest_llmfaults._contract.idle import is_idle
from pytest_llmfaults._contract.observation import DOES_NOT_APPLY, Behaviour
from pytest_llmfaults._contract.observe import Seen, observing
from pytest_llmfaults._contract.rank import Observed
from pytest_llmfaults._contract.sentence import behaviour, sentence
from pytest_llmfaults._contract.versions import versions_of
from pytest_llmfaults._contract.watchdog import Watchdog
from pytest_llmfaults._faults import Fault
from pytest_llmfaults.errors import ContractError

__all__ = [
    "Baseline",
    "Case",
    "Steps",
    "Study",
    "check_state",
    "checking_state",
    "drive",
    "drive_async",
    "observing_baseline",
    "observing_case",
    "studying",
]

_T = TypeVar("_T")
Steps = Generator[Job, Called, _T]


@dataclasses.dataclass(frozen=True, slots=True)
class Baseline:
    """What a subject does when nothing goes wrong, and when it is interrupted.

    Attributes:
        ok: the healthy call.
        interrupt: the sentence of an interrupt inside the transport.
    """

    ok: Seen
    interrupt: str

    @property
    def wires(self) -> tuple[str, ...]:
        """The wires that the healthy call asked on."""
        return tuple(sorted({request.wire for request in self.ok.called.view.requests if request.wire}))


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """One fault, observed in both ways.

    Attributes:
        fault: the row.
        persists: while it persists; None where it does not apply to the requests of the subject.
        once: when it happens once; the same as ``persists`` where nothing follows.
    """

    fault: Fault
    persists: Seen | None
    once: Seen | None

    @property
    def behaviour(self) -> Behaviour:
        """The sentences that a contract holds."""
        if self.persists is None or self.once is None:
            return Behaviour(DOES_NOT_APPLY, DOES_NOT_APPLY)
        return behaviour(self.persists.observation, self.once.observation)


@dataclasses.dataclass(frozen=True, slots=True)
class Study:
    """All that was observed of a subject.

    Attributes:
        baseline: without a fault.
        cases: one for each fault, in the order of the catalogue.
    """

    baseline: Baseline
    cases: tuple[Case, ...]

    def contract(self, edition: int) -> Contract:
        """Reduce it to what can be signed."""
        return Contract(
            catalogue=edition,
            ok=sentence(self.baseline.ok.observation),
            interrupt=self.baseline.interrupt,
            behaviours={case.fault.name: case.behaviour for case in self.cases},
            wires=self.baseline.wires,
            versions=versions_of(self.baseline.ok.called.view.requests),
        )

    def ranked_input(self) -> Iterable[Observed]:
        """Yield the cases that apply, for ranking."""
        for case in self.cases:
            if case.persists is not None and case.once is not None:
                unfit = case.fault.family == "structured" and is_unfit(self.baseline.ok.called, case.persists.called)
                yield Observed(case.fault, case.persists.observation, case.once.observation, unfit)


def observing_baseline(subject: Subject) -> Steps[Baseline]:
    """Observe the healthy call and an interrupt.

    Raises:
        ContractError: the healthy call made no request, or failed: nothing could be learned from faults then.
    """
    ok = yield from observing(subject, None, once=False, ok=None)
    if ok.called.view.attempts == 0:
        msg = f"The subject made no request: it {_ended(ok)}. {_NO_REQUEST[ok.called.error is None]}"
        raise ContractError(msg) from ok.called.error
    if ok.called.error is not None:
        msg = (
            f"The healthy call {_ended(ok)}. Faults teach nothing while the healthy reply fails: let answer= or the "
            f"fixture llmfaults_answer say what the code expects. What it met:\n{ok.called.view}"
        )
        raise ContractError(msg) from ok.called.error
    interrupted = yield from observing(subject, Interrupt(), once=True, ok=ok.called)
    return Baseline(ok, sentence(interrupted.observation))


_NO_REQUEST: Final = {
    True: "A contract needs a call that asks a model over HTTP; is the client mocked, or is the answer cached?",
    False: "A contract needs a call that asks a model over HTTP. Give it what it needs before it asks; of keys in the "
    "environment, only those of the SDKs have placeholders.",
}
"""What to do, by whether the call came to an end without an error."""


def _ended(seen: Seen) -> str:
    """Say how a call ended, with the text of its error and of what that goes back to."""
    error = seen.called.error
    if error is None:
        return seen.observation.outcome
    text = f"{seen.observation.outcome}: {error}".rstrip(". ")
    first = innermost(error)
    return text if first is error else f"{text}, from {type(first).__name__}: {first}".rstrip(". ")


def observing_case(subject: Subject, fault: Fault, ok: Called, steady: set[tuple[float, ...]]) -> Steps[Case]:
    """Observe one fault in both ways; waits that were seen twice are put into ``steady``."""
    if is_idle(subject, fault, ok):
        return Case(fault, None, None)
    persists = yield from observing(subject, fault, once=False, ok=ok)
    if persists.called.inapplicable is not None:
        return Case(fault, None, None)
    if persists.called.view.attempts <= 1:
        return Case(fault, persists, persists)
    yield from _check_repeatable(subject, fault, persists, steady)
    once = yield from observing(subject, fault, once=True, ok=ok)
    return Case(fault, persists, once)


def _check_repeatable(subject: Subject, fault: Fault, seen: Seen, steady: set[tuple[float, ...]]) -> Steps[None]:
    """Find a generator of its own behind the waits: the same draws must give the same waits.

    Waits that another fault has already given are repeated, and cost no further call.

    Raises:
        ContractError: they do not.
    """
    first = _waits(seen)
    if not any(first) or first in steady:
        return
    again = yield from observing(subject, fault, once=False, ok=None)
    second = _waits(again)
    if first != second:
        msg = (
            f"Under {fault.name} the waits were {[*first]} s, and {[*second]} s when it was done again, although "
            "random draws were the same. Either the code waits by a generator of its own (random.Random(), numpy): "
            "let it use the functions of the module random, or hand the generator in and seed it in setup=. Or it asks "
            "from several threads, whose order varies: give them one thread here."
        )
        raise ContractError(msg)
    steady.add(first)


def _waits(seen: Seen) -> tuple[float, ...]:
    """Return the waits to the microsecond: a difference of two times of the day is not more exact."""
    return tuple(round(seconds, 6) for seconds in seen.called.view.waits)


def studying(
    subject: Subject, rows: Iterable[Fault], baseline: Baseline, *, tell: Callable[[Fault], object] | None = None
) -> Steps[Study]:
    """Observe each fault, and at the end the healthy call once more.

    Args:
        subject: what to call.
        rows: the faults.
        baseline: what it does without one.
        tell: called with each fault before it is observed.

    Raises:
        ContractError: the subject keeps state: the healthy call at the end is not the one at the start.
    """
    cases: list[Case] = []
    steady: set[tuple[float, ...]] = set()
    for fault in rows:
        if tell is not None:
            tell(fault)
        cases.append((yield from observing_case(subject, fault, baseline.ok.called, steady)))
    yield from checking_state(subject, baseline)
    return Study(baseline, tuple(cases))


def checking_state(subject: Subject, baseline: Baseline) -> Steps[None]:
    """Make the healthy call once more.

    Raises:
        ContractError: it is not what it was at the start.
    """
    check_state(baseline, (yield from observing(subject, None, once=False, ok=None)))


def check_state(baseline: Baseline, again: Seen) -> None:
    """Refuse a subject whose healthy call is another one now.

    Raises:
        ContractError: it is not what it was at the start.
    """
    before, after = sentence(baseline.ok.observation), sentence(again.observation)
    if before != after:
        msg = (
            f"The subject keeps state: the healthy call said {before!r} at first and {after!r} later. "
            "Make what it keeps anew in setup= (a client, a cache, a circuit breaker), or give describe= a text "
            "that is the same for the same answer."
        )
        raise ContractError(msg)


def drive(steps: Steps[_T]) -> _T:
    """Make the calls of a synchronous subject."""
    try:
        job = next(steps)
        watchdog = Watchdog(job.subject.settings.call_seconds)
        with watchdog.watching():
            while True:
                job = steps.send(perform(job, watchdog))
    except StopIteration as stop:
        result: _T = stop.value
        return result


async def drive_async(steps: Steps[_T]) -> _T:
    """Make the calls of an asynchronous subject."""
    try:
        job = next(steps)
        watchdog = Watchdog(job.subject.settings.call_seconds)
        with watchdog.watching():
            while True:
                job = steps.send(await perform_async(job, watchdog))
    except StopIteration as stop:
        result: _T = stop.value
        return result
