"""Why the faults that changed are retried now: a line each, for a failure's text. Never signed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Final

from pytest_llmfaults._contract.call import Job, Subject
from pytest_llmfaults._contract.compare import Changes
from pytest_llmfaults._contract.observe import job_of
from pytest_llmfaults._contract.study import Study
from pytest_llmfaults._contract.why import explain, explain_async
from pytest_llmfaults._faults import Fault

__all__ = ["line", "reasons", "reasons_async", "to_explain", "why", "why_async"]

_MOST: Final = 3
"""Each explanation is one more call; more than a few lines nobody reads."""


def to_explain(changes: Changes, study: Study) -> list[Fault]:
    """Return a few of the changed faults that are retried, one of each behaviour."""
    usual = study.baseline.ok.observation.attempts
    changed = {change.fault for change in changes.of("changed")}
    found: dict[object, Fault] = {}
    for case in study.cases:
        retried = case.persists is not None and case.persists.observation.attempts > usual
        if retried and case.fault.name in changed:
            found.setdefault(case.behaviour, case.fault)
    return list(found.values())[:_MOST]


def reasons(subject: Subject, rows: Iterable[Fault]) -> list[str]:
    """Replay each fault with a trace, and say what caught it."""
    return [line(row.name, why(subject, row)) for row in rows]


async def reasons_async(subject: Subject, rows: Iterable[Fault]) -> list[str]:
    """Do what ``reasons`` does for an asynchronous subject."""
    return [line(row.name, await why_async(subject, row)) for row in rows]


def why(subject: Subject, row: Fault) -> str:
    """Replay one fault with a trace, and say what made the subject ask again."""
    return explain(_job(subject, row)).text


async def why_async(subject: Subject, row: Fault) -> str:
    """Do what ``why`` does for an asynchronous subject."""
    return (await explain_async(_job(subject, row))).text


def line(name: str, text: str) -> str:
    """Say it with the name of the fault."""
    return f"why {name} is retried: {text}"


def _job(subject: Subject, row: Fault) -> Callable[[], Job]:
    return functools.partial(job_of, subject, row, once=False, end="low")
