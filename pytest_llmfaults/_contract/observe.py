"""Observe one fault in one way: the calls that it takes, reduced to what a contract can hold.

``observing`` is a generator of calls to make, so that a synchronous and an asynchronous driver share everything else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Final

from pytest_llmfaults._contract.call import ATTEMPT_LIMIT, Called, Job, Subject
from pytest_llmfaults._contract.jitter import Draws
from pytest_llmfaults._contract.observation import Observation, Span
from pytest_llmfaults._contract.plan import Met, Plan
from pytest_llmfaults._faults import Fault
from pytest_llmfaults._injection import Step
from pytest_llmfaults._run import Run

__all__ = ["LATER_SECONDS", "Seen", "bodies", "job_of", "observing"]

LATER_SECONDS: Final = ((400 * 24 + 13) * 60 + 7) * 60.0 + 11
"""To another date: year, month, weekday, hour, minute and second all differ."""


def observing(
    subject: Subject, fault: Step | Met | None, *, once: bool, ok: Called | None, later: bool = False
) -> Generator[Job, Called, Seen]:
    """Yield the calls that it takes to observe one fault in one way, and return what was seen.

    Args:
        subject: what to call.
        fault: what strikes; None is the healthy call.
        once: whether it strikes once or persists.
        ok: the healthy call, to say ``same as ok``; None where this is the healthy call.
        later: whether it begins on another date than all other calls do.
    """
    low = yield job_of(subject, fault, once=once, end="low", later=later)
    high = (yield job_of(subject, fault, once=once, end="high", later=later)) if low.random else low
    return Seen(_observation(low, high, ok), low)


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """An observation and the call it was reduced from.

    Attributes:
        observation: what a contract can hold.
        called: the call, at the low end of randomness.
    """

    observation: Observation
    called: Called


def job_of(subject: Subject, fault: Step | Met | None, *, once: bool, end: Draws, later: bool = False) -> Job:
    """Return one call to make: a fault that strikes once or persists, at one end of randomness.

    All calls begin at the same time of day, so that two of them that differ do so for another reason.
    """
    begin = subject.begin + (LATER_SECONDS if later else 0)
    run = Run(subject.settings, name="the contract", frozen=True, begin=begin, attempt_limit=ATTEMPT_LIMIT)
    run.strictness = subject.strictness
    plan = Plan(fault, at=subject.at, answers=subject.answers, usual=subject.settings.answer, once=once)
    return Job(subject, run, fault, plan, end, _words(fault, once=once), later)


def _words(fault: Step | Met | None, *, once: bool) -> str:
    """Say what strikes."""
    if fault is None or isinstance(fault, Met):
        return "no fault (the healthy call)"
    if not isinstance(fault, Fault):
        return "an interrupt"
    return f"{fault.name}, once" if once else fault.name


def _observation(low: Called, high: Called, ok: Called | None) -> Observation:
    if low.view.attempts != high.view.attempts:
        outcome = f"{_named(low, ok)}, or {_named(high, ok)} after {high.view.attempts} attempts by chance"
    else:
        outcome = _named(low, ok)
    waits = list(high.view.waits)[: len(low.view.waits)]
    waits += low.view.waits[len(waits) :]  # by chance there may be fewer
    spans = [Span(min(pair), max(pair)) for pair in zip(low.view.waits, waits, strict=True)]
    seconds = sorted((round(low.elapsed_seconds, 6), round(high.elapsed_seconds, 6)))
    return Observation(
        attempts=low.view.attempts,
        waits=tuple(spans),
        elapsed=Span(*seconds),
        outcome=outcome,
        changed=ok is not None and bool(bodies(low) - bodies(ok)),
        after_output=low.view.retried_after_output,
        after=low.after,
        module=low.module,
    )


def _named(called: Called, ok: Called | None) -> str:
    same = ok is not None and called.error is None and called.outcome == ok.outcome
    return "same as ok" if same else called.outcome


def bodies(called: Called) -> set[tuple[str, bytes]]:
    """Return what was asked."""
    return {(request.url, request.body) for request in called.view.requests}
