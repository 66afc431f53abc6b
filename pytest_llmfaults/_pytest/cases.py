"""Markers become cases, and bad markers one clear line at collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from pytest_llmfaults._pytest import marks
from pytest_llmfaults._pytest.using import looks_marked
from pytest_llmfaults.errors import InvalidUse

if TYPE_CHECKING:
    from pytest_llmfaults._faults import Fault

__all__ = ["CASE", "check_collected", "fault_of", "generate"]

CASE: Final = "_llmfaults_case"


def generate(metafunc: pytest.Metafunc) -> None:
    """Make one test of each fault that the nearest marker names."""
    problem = ""
    try:
        mark = marks.nearest(metafunc.definition)
        wanted = marks.read(mark) if mark is not None else None
    except InvalidUse as error:
        problem = str(error)
    if problem:  # outside of the handler, or pytest tells it twice
        pytest.fail(problem, pytrace=False)
    if wanted is not None and wanted.parametrised:
        metafunc.fixturenames.append(CASE)
        metafunc.parametrize(CASE, wanted.faults, indirect=True, ids=[row.name for row in wanted.faults])


def fault_of(item: pytest.Item, wanted: marks.Wanted) -> Fault:
    """Return the fault of this test's case."""
    callspec = getattr(item, "callspec", None)
    if callspec is not None and CASE in callspec.params:
        fault: Fault = callspec.params[CASE]
        return fault
    return wanted.faults[0]


def check_collected(report: pytest.CollectReport) -> None:
    """Turn a collection that found a bad marker into one clear line."""
    for item in report.result:
        if not isinstance(item, pytest.Item) or not looks_marked(item):
            continue
        try:
            marks.check_spelling(item)
            _check_case(item)
        except InvalidUse as error:
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid}: {error}"
            report.result = []
            return


def _check_case(item: pytest.Item) -> None:
    mark = marks.nearest(item)
    if mark is None:
        return
    wanted = marks.read(mark)
    callspec = getattr(item, "callspec", None)
    if not wanted.parametrised or (callspec is not None and CASE in callspec.params):
        return
    where = "a unittest.TestCase method" if getattr(item.parent, "name", None) else "this test"
    if isinstance(item, pytest.Function) and callspec is not None:
        where = "one parameter set"
    msg = (
        f"{len(wanted.faults)} faults on {where}, which cannot become one test each. Name one fault here, or write a "
        "plain pytest function for the family."
    )
    raise InvalidUse(msg)
