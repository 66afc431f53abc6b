"""Choose, among the exceptions that were handled between two requests, the one that made the second happen.

The loop is the innermost call that was under way at both requests. What it caught around the request is the reason.
What a helper caught and did not let through is told, but it is the loop that looked at the outcome and asked again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from pytest_llmfaults._contract._why_reason import Reason
from pytest_llmfaults._contract._why_rows import Predicate, Row, manages, predicate_of
from pytest_llmfaults._contract._why_source import Clause, Guard, bases_of, clauses, guards
from pytest_llmfaults._contract._why_trace import Asked, Catch, place, top

__all__ = ["loop_of", "reason_of"]

Trails = Mapping[int, Sequence[int]]


@dataclasses.dataclass(slots=True, eq=False)
class _Caught:
    catch: Catch
    clause: Clause | None
    lines: Sequence[int]
    frame: FrameType
    guard: Guard | None
    source: str | None = None

    @property
    def depth(self) -> int:
        return len(self.catch.path)

    @property
    def went_back(self) -> bool:
        """Whether what ran after the whole statement was what stands before it: the loop began anew."""
        if self.guard is None:
            return False
        whole = self.guard.whole
        after = next((line for line in self.lines if line not in whole), None)
        return after is not None and after < whole.start


def loop_of(before: Asked, after: Asked) -> tuple[FrameType, int] | None:
    """Return the innermost frame under way at both requests and the line it was at, unless it is nobody's loop.

    A coroutine that was resumed stands on other frames of its event loop than before, so those are passed over.
    """
    lines = {id(frame): line for frame, line in before.stack}
    common = next((frame for frame, _ in reversed(after.stack) if id(frame) in lines), None)
    if common is None or place(common.f_code.co_filename) == "none":
        return None
    return common, lines[id(common)]


def reason_of(before: Asked, after: Asked, catches: Sequence[Catch], trails: Trails) -> Reason:
    """Say why ``after`` was asked when ``before`` had been answered."""
    common = loop_of(before, after)
    catches = [one for one in catches if one.number >= before.seen]
    if common is None:
        found = _resolved([one for one in catches if _is_code(one.frame, None)], trails)
        return _without_loop(before, found)
    loop, line = common
    within = [one for one in catches if id(loop) in one.path]
    told = predicate_of(loop)
    if told is not None:
        error = next((one.error for one in within if one.frame is loop), None)
        return _by_library(*told, error)
    found = _resolved([one for one in within if _is_code(one.frame, loop)], trails)
    reason = _in_loop(before, loop, line, found)
    if place(loop.f_code.co_filename) == "library" and reason.library is None:
        return dataclasses.replace(reason, library=top(loop))
    return reason


def _is_code(frame: FrameType, loop: FrameType | None) -> bool:
    """Whether a frame is of the code under test: not of a library, unless the loop is that library's own."""
    return place(frame.f_code.co_filename) == "code" or (loop is not None and top(frame) == top(loop))


def _in_loop(before: Asked, loop: FrameType, line: int, found: list[_Caught]) -> Reason:
    own = [one for one in found if one.frame is loop]
    for one in own:
        if one.guard is None or line in one.guard.body:
            return _by_clause(one)
    for one in own:
        if one.guard is not None and (one.went_back or one.guard.leaves):
            return _by_clause(one)
    at = {id(frame): line for frame, line in before.stack}
    around = [one for one in found if one.guard is not None and at.get(id(one.frame), 0) in one.guard.body]
    if around:
        return _by_clause(min(around, key=lambda one: one.depth))
    managed = _managed(loop, line)
    if managed is not None:
        return _by_library(*managed, None)
    return _looked(found)


def _managed(loop: FrameType, line: int) -> tuple[Row, Predicate] | None:
    """Return what a retry library was told whose context manager was around the request."""
    for guard in guards(loop, line) or ():
        for clause in clauses(guard, Exception(), loop):
            told = manages(clause.manager)
            if told is not None:
                return told
    return None


def _without_loop(before: Asked, found: list[_Caught]) -> Reason:
    """Each request ran in a task or thread of its own: what was caught outside of them comes first."""
    inside = {id(frame) for frame, _ in before.stack}
    outside = [one for one in found if id(one.frame) not in inside]
    for one in reversed(outside or found):
        return _by_clause(one)
    return Reason(kind="unknown")


def _looked(found: list[_Caught]) -> Reason:
    if not found:
        return Reason(kind="reply")
    return dataclasses.replace(_by_clause(found[0]), kind="reply")


def _resolved(catches: Sequence[Catch], trails: Trails) -> list[_Caught]:
    """Return the exceptions that ended where they were caught, each with its clause, in order."""
    found: list[_Caught] = []
    for catch in catches:
        lines = trails.get(id(catch.frame), ())[catch.start :]
        followers = (one.start - catch.start for one in catches if one.frame is catch.frame and one.start > catch.start)
        around = guards(catch.frame, catch.line)
        clause = _taken(around or (), catch, lines[: min(followers, default=None)])
        if clause is not None or around is None:
            found.append(_Caught(catch, clause, lines, catch.frame, None if clause is None else clause.guard))
    return list(_ended(found))


def _taken(around: Sequence[Guard], catch: Catch, lines: Sequence[int]) -> Clause | None:
    """Return the outermost clause that took an exception, or None when it went through."""
    taken = None
    for guard in around:
        for clause in clauses(guard, catch.error, catch.frame):
            if clause.entered(lines) or manages(clause.manager) is not None:
                taken = clause
                break
    return taken


def _ended(found: list[_Caught]) -> Iterator[_Caught]:
    """Leave out what was raised again, what was raised as something else, and what came up while it was handled."""
    dropped: set[int] = set()
    for at, one in enumerate(found):
        if at in dropped:
            continue
        for later_at, later in enumerate(found[at + 1 :], start=at + 1):
            if later.catch.error is one.catch.error:
                dropped.add(at)
                if (
                    id(one.catch.frame) in later.catch.path[1:]
                ):  # a context manager written as a generator: it stands for its `with`
                    later.frame, later.guard = one.frame, one.guard
            elif later_at not in dropped and _chained(later.catch.error, one.catch.error):
                if _came_up_while_handled(one, later):
                    dropped.add(later_at)
                else:
                    dropped.add(at)
                    later.source = type(one.catch.error).__name__
        if at not in dropped:
            yield one


def _came_up_while_handled(one: _Caught, later: _Caught) -> bool:
    if later.catch.frame is not one.catch.frame:
        return id(one.catch.frame) in later.catch.path
    return one.clause is not None and later.clause is not None and later.clause.guard.node.lineno in one.clause.body


def _chained(error: BaseException, earlier: BaseException) -> bool:
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error.__cause__, error.__context__]
    while waiting:
        one = waiting.pop()
        if one is earlier:
            return True
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            waiting += [one.__cause__, one.__context__]
    return False


def _by_clause(one: _Caught) -> Reason:
    clause, frame = one.clause, one.catch.frame
    fields: dict[str, Any] = {"exception": type(one.catch.error).__name__, "source": one.source}
    if clause is None:
        return Reason(kind="clause", file=_file(frame), line=one.catch.line, **fields)
    told = manages(clause.manager)
    if told is not None:
        return dataclasses.replace(_by_library(*told, one.catch.error), source=one.source)
    bases = _named(one.catch.error, clause.bases)
    return Reason(kind="clause", bases=bases, clause=clause.text, file=_file(frame), line=clause.line, **fields)


def _by_library(row: Row, predicate: Predicate, error: BaseException | None) -> Reason:
    bases = _named(error, bases_of(error, predicate.classes) or ()) if error is not None else ()
    exception = type(error).__name__ if error is not None else None
    return Reason(kind="predicate", exception=exception, bases=bases, library=row.name, predicate=predicate.text)


def _named(error: BaseException, bases: Sequence[type[BaseException]]) -> tuple[str, ...]:
    """Name the bases that say something: not the class itself, and not what every exception is."""
    kind = type(error)
    return tuple(
        f"{base.__module__}.{base.__name__}" if base.__name__ == kind.__name__ else base.__name__
        for base in bases
        if base not in {kind, Exception, BaseException}
    )


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
