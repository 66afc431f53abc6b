"""Find out whether what would be signed holds the time of day: then it would be broken by the next run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.observation import Observation
from pytest_llmfaults._contract.observe import Seen, bodies, observing
from pytest_llmfaults._contract.sentence import sentence
from pytest_llmfaults._contract.study import Steps, Study
from pytest_llmfaults._faults import Fault
from pytest_llmfaults.errors import ContractError

__all__ = ["checking_time"]

_MAYBE_A_TIME: Final = re.compile(r"\d|… #")
"""What a text shows, or hides where it was cut, that holds a time: a digit. A lone name of a weekday is missed."""

_ADVICE: Final = (
    "What is signed now would be broken by the next run: give describe= (or after=) a text without the time, or let "
    "the test freeze it (time-machine, freezegun)."
)


def checking_time(subject: Subject, study: Study, *, healthy: bool = True) -> Steps[bool]:
    """Repeat calls on another date: the healthy one, and one for each value that was returned under a fault.

    It comes after all that is observed, so that nothing which a subject keeps has seen a time that goes back. A call
    that only fails on another date is none of its business: something has expired.

    Args:
        subject: what to call.
        study: what was observed.
        healthy: whether the healthy call is repeated, too.

    Returns:
        Whether the requests of the healthy call hold the time.

    Raises:
        ContractError: what would be signed holds the time.
    """
    ok = study.baseline.ok
    dated = False
    if healthy:
        later = yield from observing(subject, None, once=False, ok=None, later=True)
        _compare("The healthy call", sentence(ok.observation), sentence(later.observation), later)
        dated = bodies(later.called) != bodies(ok.called)
    for fault, once, seen in _doubtful(study):
        later = yield from observing(subject, fault, once=once, ok=ok.called, later=True)
        _compare(f"Under {fault.name} the call", _said(seen.observation), _said(later.observation), later)
    return dated


def _doubtful(study: Study) -> Iterator[tuple[Fault, bool, Seen]]:
    """Yield one observation of each text that was said under faults and may hold a time."""
    known = {_said(study.baseline.ok.observation)}
    for case in study.cases:
        for once, seen in ((False, case.persists), (True, case.once)):
            if seen is None or (once and seen is case.persists):
                continue
            said = _said(seen.observation)
            if said not in known and _MAYBE_A_TIME.search(said):
                known.add(said)
                yield case.fault, once, seen


def _said(observation: Observation) -> str:
    """Return what the code under test said in its own words."""
    value = observation.outcome if observation.outcome.startswith("returns ") else ""
    return "; then ".join(text for text in (value, observation.after) if text)


def _compare(what: str, before: str, after: str, later: Seen) -> None:
    if before != after and later.called.error is None:
        msg = f"{what} holds the time: it said {before!r}, and {after!r} on another date. {_ADVICE}"
        raise ContractError(msg)
