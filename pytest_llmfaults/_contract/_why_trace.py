"""Watch one call: the stack below each request, and each exception that is handled between two of them.

Nothing is looked up while the code under test runs. What was seen keeps its frames and exceptions alive until the next
request, so an object that lets go of a connection only when it is collected does so later than in a plain call.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
import sysconfig
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, Literal, Protocol, TypeAlias

from pytest_llmfaults._current import own
from pytest_llmfaults._request import Request

__all__ = ["TRACER_IS_ACTIVE", "Asked", "Catch", "Tracer", "Unavailable", "Watch", "place", "top", "tracer"]

TRACER_IS_ACTIVE: Final = "unknown: a tracer is active"
NO_TOOL_ID: Final = "unknown: no tool id of sys.monitoring is free"

_TOOL: Final = "pytest-llmfaults why"
_TOOL_IDS: Final = (3, 4)
_TRAIL_LIMIT: Final = 2000
_CATCH_LIMIT: Final = 2000
_OUR_FILES: Final = str(Path(__file__).parent.parent)
_STDLIB: Final = tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})
_INSTALLED: Final = ("site-packages", "dist-packages")
_LOOPS: Final = frozenset({"trio", "anyio", "uvloop", "gevent", "eventlet"})
_NOT_ERRORS: Final = (StopIteration, StopAsyncIteration, GeneratorExit)

Place: TypeAlias = Literal["code", "library", "none"]


@functools.cache
def place(filename: str) -> Place:
    """Tell what a file is: code, an installed library, or what never decides about a retry.

    The standard library, event loops and this package are the last.
    """
    parts = filename.replace("\\", "/").split("/")
    installed = max((at for at, part in enumerate(parts) if part in _INSTALLED), default=None)
    if installed is not None:
        return "none" if parts[installed + 1] in _LOOPS else "library"
    if filename.startswith(("<frozen ", _OUR_FILES, *_STDLIB)):
        return "none"
    return "code"


def top(frame: FrameType) -> str:
    """Return the name of the top-level package that a frame's code is in."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One request.

    Attributes:
        number: how many attempts there were before it.
        request: what was asked.
        stack: the frames that led to it with the line each was at, outermost first.
        seen: how many exceptions had been seen by then.
        task: the asyncio task that asked, or None.
    """

    number: int
    request: Request
    stack: tuple[tuple[FrameType, int], ...]
    seen: int
    task: Any

    @property
    def is_over(self) -> bool:
        """Whether the task that asked has ended."""
        return self.task is None or bool(self.task.done())


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Catch:
    """An exception that came to a frame which may have handled it.

    Attributes:
        frame: the frame.
        error: the exception.
        line: where in the frame it appeared.
        path: the ids of the frame and of those that called it, the frame's own first.
        start: how many lines were in the frame's trail by then.
        number: how many exceptions had been seen before it.
    """

    frame: FrameType
    error: BaseException
    line: int
    path: tuple[int, ...]
    start: int
    number: int


class Watch:
    """What was seen so far.

    Attributes:
        catches: exceptions, in order.
        trails: by the id of a frame, the lines it ran since it first met an exception.
        looks_away: whether exceptions are passed over, while what was seen is looked at: the garbage collector may run
            anybody's code meanwhile.
    """

    def __init__(self) -> None:
        """Start with nothing; threads that run already are foreign, but for the calling one."""
        self.catches: list[Catch] = []
        self.trails: dict[int, list[int]] = {}
        self.looks_away = False
        self._last: dict[int, Catch] = {}
        self._seen = 0
        self._begun = False
        self._foreign = {thread.ident for thread in threading.enumerate()} - {threading.get_ident()}

    def asked(self, number: int, request: Request) -> Asked:
        """Note the stack below a request; its thread belongs to the call."""
        self._foreign.discard(threading.get_ident())
        self._begun = True
        stack = []
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - inspect.stack reads every source file on the way
        while frame is not None:
            stack.append((frame, frame.f_lineno))
            frame = frame.f_back
        return Asked(number, request, tuple(reversed(stack)), self._seen, _task())

    def caught(self, frame: FrameType, error: BaseException, line: int) -> bool:
        """Note an exception, and tell whether the frame's next lines are of interest."""
        if self.looks_away or not self._begun or isinstance(error, _NOT_ERRORS) or not self._belongs():
            return False
        if place(frame.f_code.co_filename) == "none":
            return False
        trail = self.trails.setdefault(id(frame), [])
        last = self._last.get(id(frame))
        if last is None or last.error is not error or last.line != line:
            catch = Catch(frame, error, line, _path(frame), len(trail), self._seen)
            self._seen += 1
            self.catches.append(catch)
            self._last[id(frame)] = catch
            if len(self.catches) > _CATCH_LIMIT:
                self._keep(self.catches[_CATCH_LIMIT // 2 :])
        return True

    def passed(self, frame: FrameType, line: int) -> None:
        """Note that a frame came to a line."""
        trail = self.trails.get(id(frame))
        if trail is not None and len(trail) < _TRAIL_LIMIT:
            trail.append(line)

    def forget(self, within: int | None) -> None:
        """Drop what was seen within the frame of this id; None drops everything."""
        self._keep([] if within is None else [one for one in self.catches if within not in one.path])

    def _keep(self, catches: list[Catch]) -> None:
        self.catches = catches
        self._last = {id(one.frame): one for one in catches}
        self.trails = {key: trail for key, trail in self.trails.items() if key in self._last}

    def _belongs(self) -> bool:
        return threading.get_ident() not in self._foreign or own() is not None


def _task() -> Any:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or asyncio._get_running_loop() is None:  # noqa: SLF001 - documented for who writes event loops
        return None
    return asyncio.current_task()


def _path(frame: FrameType | None) -> tuple[int, ...]:
    ids = []
    while frame is not None:
        ids.append(id(frame))
        frame = frame.f_back
    return tuple(ids)


class Unavailable(Exception):
    """This process cannot be traced now; the text says why."""


class Tracer(Protocol):
    """Feeds a watch while it is started."""

    def start(self) -> None:
        """Begin to trace."""

    def stop(self) -> None:
        """Leave nothing behind."""


def tracer(watch: Watch) -> Tracer:
    """Return what traces on this version of Python.

    Raises:
        Unavailable: somebody else traces.
    """
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None:
        free = next((tool for tool in _TOOL_IDS if monitoring.get_tool(tool) is None), None)
        if free is None:
            raise Unavailable(NO_TOOL_ID)
        return _Monitoring(watch, monitoring, free)
    if sys.gettrace() is not None or threading.gettrace() is not None:
        raise Unavailable(TRACER_IS_ACTIVE)
    return _SetTrace(watch)


class _Monitoring:
    """``sys.monitoring``: Python 3.12 and later."""

    def __init__(self, watch: Watch, monitoring: Any, tool: int) -> None:
        self._watch = watch
        self._monitoring = monitoring
        self._tool = tool
        self._codes: set[CodeType] = set()

    def start(self) -> None:
        monitoring, events = self._monitoring, self._monitoring.events
        monitoring.use_tool_id(self._tool, _TOOL)
        monitoring.register_callback(self._tool, events.EXCEPTION_HANDLED, self._handled)
        monitoring.register_callback(self._tool, events.LINE, self._line)
        monitoring.set_events(self._tool, events.EXCEPTION_HANDLED)

    def stop(self) -> None:
        monitoring, events = self._monitoring, self._monitoring.events
        monitoring.set_events(self._tool, events.NO_EVENTS)
        for code in self._codes:
            monitoring.set_local_events(self._tool, code, events.NO_EVENTS)
        monitoring.register_callback(self._tool, events.EXCEPTION_HANDLED, None)
        monitoring.register_callback(self._tool, events.LINE, None)
        monitoring.free_tool_id(self._tool)

    def _handled(self, code: CodeType, _: int, error: BaseException) -> None:
        frame = sys._getframe(1)  # noqa: SLF001 - the frame that the event is about
        trace = error.__traceback__
        while trace is not None and trace.tb_frame is not frame:
            trace = trace.tb_next
        line = frame.f_lineno if trace is None else trace.tb_lineno
        if self._watch.caught(frame, error, line) and code not in self._codes:
            self._codes.add(code)
            self._monitoring.set_local_events(self._tool, code, self._monitoring.events.LINE)

    def _line(self, _: CodeType, line: int) -> None:
        self._watch.passed(sys._getframe(1), line)  # noqa: SLF001 - see above


class _SetTrace:
    """``sys.settrace``: Python 3.10 and 3.11."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._stopped = False

    def start(self) -> None:
        threading.settrace(self._called)
        sys.settrace(self._called)

    def stop(self) -> None:
        self._stopped = True
        if sys.gettrace() == self._called:
            sys.settrace(None)
        if threading.gettrace() == self._called:
            threading.settrace(None)

    def _called(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        if self._stopped:  # a thread that outlives the call
            sys.settrace(None)
            return None
        if place(frame.f_code.co_filename) == "none":
            return None
        frame.f_trace_lines = id(frame) in self._watch.trails
        return self._happened

    def _happened(self, frame: FrameType, event: str, argument: Any) -> Any:
        if self._stopped:
            return None
        if event == "line":
            self._watch.passed(frame, frame.f_lineno)
        elif event == "exception" and isinstance(argument[1], BaseException):
            frame.f_trace_lines = self._watch.caught(frame, argument[1], frame.f_lineno) or frame.f_trace_lines
        return self._happened
