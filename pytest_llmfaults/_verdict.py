"""Did every injected fault fire, and if not, why?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_llmfaults._injection import Injection, label
from pytest_llmfaults._ledger import Sighting
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run

__all__ = ["PASSED", "verdict"]

PASSED: Final = frozenset({"responses", "respx", "vcr"})
"""Packages above the wire that an injection goes past; what their routes and cassettes answered is noted for itself."""

_NO_REQUEST: Final = (
    "  No request was made. Is the code called at all? "
    "Is it mocked above HTTP (a MagicMock)? Then no fault can reach it."
)


def verdict(run: Run, injections: Iterable[Injection]) -> str | None:
    """Say which faults never fired and what the requests did instead; None when all fired.

    Args:
        run: the run they were injected in.
        injections: those to judge.
    """
    silent = [(injection, injection.unfired()) for injection in injections]
    lines = [line for injection, faults in silent if faults for line in _explained(run, injection)]
    return "\n".join(lines) or None


def _explained(run: Run, injection: Injection) -> list[str]:
    names = ", ".join(map(label, injection.unfired()))
    met = len(injection.attempts)
    head = f"{names} never fired: {injection} at {injection.where}"
    if met:
        return [f"{head} met {_count(met, 'request')} and has {_count(len(injection.steps), 'step')}."]
    return [f"{head} met no request.", *_causes(run, injection)]


def _causes(run: Run, injection: Injection) -> list[str]:
    lines = []
    for sighting in run.ledger.sightings:
        if sighting.answered is not None:
            reason = _missed(injection, sighting.answered) or "it was used up"
            lines.append(f"  {sighting.answered.short} ({sighting.library}): {sighting.above} answered it; {reason}")
        elif sighting.above is not None and sighting.above not in PASSED:
            lines.append(_swallowed(sighting))
    for attempt in run.ledger.attempts:
        by_rule = run.strictness.answered(attempt)
        other = f"it broke {attempt.step}" if by_rule else f"{attempt.step} of another injection answered it"
        reason = _missed(injection, attempt.request) or other
        lines.append(f"  {attempt.request.short} ({attempt.request.library}): {reason}")
    lines += [f"  refused: {refusal.reason}" for refusal in run.ledger.refusals if refusal.fatal]
    return lines or [_NO_REQUEST]


def _missed(injection: Injection, request: Request) -> str | None:
    """Say why an injection does not cover a request, or return None."""
    reason = injection.covers.misses(request)
    return reason and f"{reason}{injection.covers.meant(request)}"


def _swallowed(sighting: Sighting) -> str:
    return (
        f"  {sighting.library} was asked for {sighting.url}, and {sighting.above} answered it above the wire. "
        "Take it away in this test, or let it pass this URL through."
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
