"""Why the audited callable asked again: one traced replay of each behaviour that is retried, made at the end."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.rank import Finding
from pytest_llmfaults._contract.reasons import why, why_async
from pytest_llmfaults._faults import fault

__all__ = ["in_vain", "one_of_each", "quiet", "replayed"]

_MOST: Final = 3
"""Lines for a person; a file for programs has all."""


def one_of_each(seen: Mapping[str, Mapping[str, Any]], findings: Iterable[Finding]) -> list[str]:
    """Return one fault of each behaviour with a retry: of those that cannot help the strongest, else the first.

    Args:
        seen: what was observed under each fault, in the order of the catalogue.
        findings: the ranked lines.
    """
    first: dict[tuple[str, ...], str] = {}
    for name in [*_in_vain(findings), *seen]:
        one = seen[name]
        if one["persists"] is not None and one["persists"]["attempts"] > one["usual"]:
            first.setdefault(tuple(one["behaviour"]), name)
    return list(first.values())


def in_vain(names: Iterable[str], findings: Iterable[Finding]) -> list[str]:
    """Return a few of the faults that are retried although that cannot help, to explain below the ranked line."""
    found = _in_vain(findings)
    return [name for name in names if name in found][:_MOST]


def _in_vain(findings: Iterable[Finding]) -> tuple[str, ...]:
    return next((one.faults for one in findings if one.kind == "retried"), ())


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what is printed from the terminal."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def replayed(subject: Subject, names: Iterable[str], *, asynchronous: bool) -> dict[str, str]:
    """Replay each fault once more with a trace, and say what made the subject ask again.

    What the subject prints meanwhile it has printed before.
    """
    rows = [fault(name) for name in names]
    with quiet():
        if asynchronous:
            return {row.name: asyncio.run(why_async(subject, row)) for row in rows}
        return {row.name: why(subject, row) for row in rows}
