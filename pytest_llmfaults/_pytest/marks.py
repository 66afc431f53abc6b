"""What the marker ``llmfaults`` says, read and checked."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import pytest
from _pytest.nodes import Node

from pytest_llmfaults._pytest.using import MARKER
from pytest_llmfaults.errors import DoesNotApply, InvalidUse, OtherWire

if TYPE_CHECKING:
    from pytest_llmfaults._answer import Answer
    from pytest_llmfaults._faults import Fault
    from pytest_llmfaults._inject import Injected
    from pytest_llmfaults._injection import Filter, Step
    from pytest_llmfaults._request import Request
    from pytest_llmfaults._run import Run

__all__ = ["Wanted", "check_spelling", "nearest", "read"]

_MISSPELT: Final = re.compile(r"(?!llmfaults$)(?i:llm_?s?_?faults?)")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A marker, understood.

    Attributes:
        faults: the cases.
        parametrised: whether each case is a test of its own.
        by_filter: whether no name chose them, only draw=, slot= or scope=: a case that does not apply is skipped.
        named: the faults that are named in full; another case whose fault only other wires have is skipped.
        then: the steps after the fault.
        covers: which requests each case covers.
        options: further keywords for ``inject``.
    """

    faults: tuple[Fault, ...]
    parametrised: bool
    by_filter: bool
    named: frozenset[str]
    then: tuple[Step, ...]
    covers: Filter
    options: dict[str, Any]

    def skips(self, fault: Fault, error: DoesNotApply) -> bool:
        """Tell whether a case is skipped for which this was found out.

        A filter names no fault; a glob or family names none of those that only other wires have.
        """
        return self.by_filter or (fault.name not in self.named and isinstance(error, OtherWire))

    def inject(self, run: Run, fault: Fault, where: str) -> Injected:
        """Put one case in force; ``where`` is where the test stands."""
        from pytest_llmfaults._inject import injected_into

        return injected_into(run, (fault, *self.then), covers=self.covers, where=where, **self.options)


def nearest(node: pytest.Item | pytest.Collector) -> pytest.Mark | None:
    """Return the marker that counts for ``node``: the nearest wins whole.

    Raises:
        InvalidUse: two on the same object contradict, or a marker is misspelt.
    """
    for level in reversed(node.listchain()):
        marks = _own_marks(level)
        if len(marks) > 1:
            texts = " and ".join(map(_written, marks))
            msg = f"{texts} stand on the same object and contradict each other: keep one; it takes several names."
            raise InvalidUse(msg)
        if marks:
            return marks[0]
    return None


def check_spelling(node: pytest.Item | pytest.Collector) -> None:
    """Refuse a marker that looks like ours and is not.

    Raises:
        InvalidUse: there is one.
    """
    for mark in node.iter_markers():
        if _MISSPELT.fullmatch(mark.name):
            msg = f"@pytest.mark.{mark.name} is not a marker of this plugin. Did you mean @pytest.mark.{MARKER}?"
            raise InvalidUse(msg)


def _own_marks(node: Node) -> list[pytest.Mark]:
    if isinstance(node, pytest.Class):
        for cls in node.obj.__mro__:
            marks = cls.__dict__.get("pytestmark", ())
            found = [m.mark if isinstance(m, pytest.MarkDecorator) else m for m in _listed(marks)]
            ours = [mark for mark in found if mark.name == MARKER]
            if ours:
                return ours
        return []
    callspec = getattr(node, "callspec", None)
    if callspec is not None:
        near = [mark for mark in callspec.marks if _name(mark) == MARKER]
        if near:
            return [getattr(mark, "mark", mark) for mark in near]
    return [mark for mark in node.own_markers if mark.name == MARKER]


def _listed(marks: Any) -> Iterable[Any]:
    return marks if isinstance(marks, (list, tuple)) else (marks,)


def _name(mark: Any) -> str:
    return str(getattr(mark, "name", ""))


def _written(mark: pytest.Mark) -> str:
    arguments = [repr(value) for value in mark.args]
    arguments += [f"{key}={value!r}" for key, value in mark.kwargs.items()]
    return f"@pytest.mark.{MARKER}({', '.join(arguments)})"


def read(mark: pytest.Mark) -> Wanted:
    """Understand a marker.

    Raises:
        InvalidUse: it names no fault, an unknown one, or an option that makes no sense.
    """
    try:
        return _wanted(*mark.args, **mark.kwargs)
    except InvalidUse as error:
        msg = f"{_written(mark)}: {error}"
        raise InvalidUse(msg) from None


def _wanted(  # noqa: PLR0913 - the signature is the marker's
    *faults: Any,
    draw: str | None = None,
    slot: str | None = None,
    scope: str | None = None,
    stream: bool = False,
    then: Any = (),
    times: int | None = None,
    per_request: bool = False,
    answer: Answer | None = None,
    wire: str | None = None,
    host: str | None = None,
    model: str | None = None,
    dialect: str | None = None,
    when: Callable[[Request], object] | None = None,
    **parameters: Any,
) -> Wanted:
    from pytest_llmfaults._injection import Filter

    filters = {"draw": draw, "slot": slot, "scope": scope}
    if not isinstance(stream, bool):
        msg = f"stream={stream!r} is not allowed: it is True for code that asks for streams, else False."
        raise InvalidUse(msg)
    covers = Filter(when=when, wire=wire, host=host, model=model, dialect=dialect)
    rows = _rows(faults, filters, stream=stream, wire=wire)
    single = len(faults) == 1 and not any(filters.values()) and _is_exact(faults[0])
    if parameters:
        rows = _with_values(rows, parameters)
    wanted = Wanted(
        faults=rows,
        parametrised=not single,
        by_filter=not faults,
        named=frozenset(one if isinstance(one, str) else one.name for one in faults if _is_exact(one)),
        then=tuple(then) if isinstance(then, (list, tuple)) else (then,),
        covers=covers,
        options={"times": times, "per_request": per_request, "answer": answer},
    )
    _check(wanted)
    return wanted


def _with_values(rows: tuple[Fault, ...], values: dict[str, Any]) -> tuple[Fault, ...]:
    try:
        return tuple(row.with_values(values) for row in rows)
    except InvalidUse as error:
        keywords = ", ".join(
            name for name in inspect.signature(_wanted).parameters if name not in {"faults", "parameters"}
        )
        msg = f"{error} The marker's own keywords are {keywords}."
        raise InvalidUse(msg) from None


def _rows(
    faults: tuple[Any, ...], filters: dict[str, str | None], *, stream: bool, wire: str | None
) -> tuple[Fault, ...]:
    from pytest_llmfaults._faults import Fault
    from pytest_llmfaults._faults import faults as chosen

    if not faults and not any(filters.values()):
        msg = "name a fault, a family or a glob, or choose by draw=, slot= or scope=; '*' is every fault."
        raise InvalidUse(msg)
    for one in faults:
        if not isinstance(one, (str, Fault)):
            msg = f"{one!r} is not a fault's name, a glob or a Fault. Answers and replies go into then= or inject()."
            raise InvalidUse(msg)
    given = {one.name: one for one in faults if isinstance(one, Fault)}
    names = [one.name if isinstance(one, Fault) else one for one in faults]
    if len(set(names)) != len(names):
        msg = "a fault is named twice; a case's id is its fault's name. Use one marker with one set of values."
        raise InvalidUse(msg)
    return tuple(
        given.get(row.name, row)
        for row in chosen(
            *names, draw=filters["draw"], slot=filters["slot"], scope=filters["scope"], stream=stream, wire=wire
        )
    )


def _is_exact(one: Any) -> bool:
    from pytest_llmfaults._faults import CATALOGUE, Fault

    return isinstance(one, Fault) or one in CATALOGUE


def _check(wanted: Wanted) -> None:
    """Refuse at collection what ``inject`` would refuse when the test runs."""
    from pytest_llmfaults._injection import Injection, checked_steps

    for row in wanted.faults:
        steps = checked_steps((row, *wanted.then), of=wanted.covers.on, spoken=wanted.covers.dialect)
        Injection(steps, covers=wanted.covers, where="", **wanted.options)
