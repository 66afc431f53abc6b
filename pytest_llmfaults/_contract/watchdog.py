"""A bound on the true time of one observed call: what hangs is ended, and the error says under which fault.

Virtual time covers sleeps and the network. What waits for something else (an event that nobody sets, a child process,
a lock) takes true time, and may take it for ever.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import inspect
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from types import FrameType
from typing import Any, Final, TypeVar

from pytest_llmfaults._contract.cancel import Cancellation
from pytest_llmfaults.errors import ContractError

__all__ = ["Hangs", "Watchdog"]

_T = TypeVar("_T")

_AGAIN_SECONDS: Final = 0.2
_STEPS: Final = 4
_STUBBORN: Final = 3
"""After so many attempts to end a call by the gentler way comes the harder one."""

_LAST_RESORT: Final = 50
"""After so many attempts nothing is spared any more."""

_SIGNAL: Final = getattr(signal, "SIGVTALRM", None)
"""Interrupts the main thread, also where it waits for a lock. Not SIGALRM and SIGINT: both have users."""

_DEBUGGERS: Final = frozenset({"pdb", "bdb", "pydevd", "_pydevd_bundle", "IPython", "debugpy"})


class Hangs(BaseException):
    """Ends a call; what the call makes of it does not matter, since it is known that it hung."""


@dataclasses.dataclass(slots=True, eq=False)
class _Call:
    """A call that is watched.

    Attributes:
        deadline: true time by which it must have ended.
        cancel: asks the event loop to cancel it, from any thread; None for a synchronous call.
        fired: how many times it was told to end.
        where: the line of the code under test that it was in when it was first seen to hang.
    """

    deadline: float
    cancel: Callable[[], object] | None
    fired: int = 0
    where: str | None = None


class Watchdog:
    """Watches the calls that are made one after the other in the thread that made it."""

    def __init__(self, seconds: float) -> None:
        """Allow each call so many seconds of true time."""
        self._seconds = seconds
        self._call: _Call | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._watch, name="llmfaults-watchdog", daemon=True)
        self._by_signal = _SIGNAL is not None and threading.current_thread() is threading.main_thread()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what is run in this block; at its end everything is as it was before."""
        handler = signal.signal(_SIGNAL, self._interrupted) if self._by_signal and _SIGNAL is not None else None
        self._thread.start()
        try:
            yield
        finally:
            self._ended.set()
            self._thread.join()
            if self._by_signal and _SIGNAL is not None:
                signal.signal(_SIGNAL, signal.SIG_DFL if handler is None else handler)

    def run(self, what: str, function: Callable[[], _T]) -> _T:
        """Return what ``function`` returns.

        Args:
            what: what strikes the call, for the error.
            function: the call.

        Raises:
            ContractError: it had not ended in time.
        """
        with self._over(what, None):
            return next(_run(function))()

    async def run_async(self, what: str, function: Callable[[], Awaitable[_T]], cancellation: Cancellation) -> _T:
        """Do the same with what has to be awaited."""
        with self._over(what, cancellation.soon):
            return await cancellation.run(function)

    @contextlib.contextmanager
    def _over(self, what: str, cancel: Callable[[], object] | None) -> Iterator[None]:
        tracer = sys.gettrace()
        call = self._call = _Call(time.monotonic() + self._seconds, cancel)
        try:
            try:
                yield
            finally:
                self._let_go()
        except BaseException as error:
            if not call.fired:
                raise
            raise ContractError(self._text(what, call)) from error
        finally:
            self._let_go()
            if call.fired:
                sys.settrace(tracer)
        if call.fired:
            raise ContractError(self._text(what, call))

    def _let_go(self) -> None:
        """Watch no call; what was set and has not struck yet strikes in here, and no later."""
        while True:
            try:
                with self._lock:
                    self._call = None
                for _ in range(_STEPS):  # a jump back is where Python raises what another thread has set
                    pass
            except Hangs:
                continue
            return

    def _text(self, what: str, call: _Call) -> str:
        where = f" It was at {call.where}." if call.where else ""
        return (
            f"Under {what} the call had not ended after {self._seconds:g} s of true time, and was ended by force."
            f"{where} Sleeps and the network take no true time here; what hangs waits for something else. Let it have "
            "a timeout, or raise the limit with the ini value llmfaults_call_seconds."
        )

    # In a thread of its own

    def _watch(self) -> None:
        while not self._ended.wait(self._pause()):
            with self._lock:
                call = self._call
                if call is not None and time.monotonic() >= call.deadline and not _is_debugged():
                    call.fired += 1
                    self._end(call)

    def _pause(self) -> float:
        """Return how long nothing can be late: a call that begins meanwhile has all of its time."""
        call = self._call
        if call is None:
            return self._seconds
        return max(call.deadline - time.monotonic(), _AGAIN_SECONDS if call.fired else 0.0)

    def _end(self, call: _Call) -> None:
        if call.where is None:
            call.where = _line_of(sys._current_frames().get(self._watched))  # noqa: SLF001 - documented
        if call.cancel is not None:
            call.cancel()
        if call.cancel is not None and call.fired < _STUBBORN:
            return
        if self._by_signal and _SIGNAL is not None:
            signal.pthread_kill(self._watched, _SIGNAL)
        elif call.cancel is None:
            _set_asynchronous(self._watched)

    # In the thread that is watched

    def _interrupted(self, _number: int, frame: FrameType | None) -> None:
        """End the call, if it is the call that is interrupted and not what is around it."""
        call = self._call
        if call is None or not call.fired or not _is_inside(frame, asynchronous=call.cancel is not None):
            return
        if call.fired < _LAST_RESORT and _is_ours(frame):
            return  # this package is about to be done, and must not be left half done
        if call.fired >= _STUBBORN:
            self._end_outside_of_handlers(call, frame)
        raise Hangs

    def _end_outside_of_handlers(self, call: _Call, frame: FrameType | None) -> None:
        """Raise again, a line or more after the call caught what was raised before.

        ``except BaseException`` does not catch what its own body raises. Which of the frames has such a handler, and
        how many lines later one is out of it, is not known: each time another frame and another line is tried.
        """
        frames = list(_frames(frame))
        lines, place = divmod(call.fired - _STUBBORN, max(1, len(frames)))

        def trace(_frame: FrameType, _event: str, _argument: object) -> Any:
            nonlocal lines
            if lines <= 0 and self._call is call:
                raise Hangs
            lines -= 1
            return trace

        if frames:
            frames[place].f_trace = trace
            sys.settrace(lambda *_: None)


def _run(function: Callable[[], _T]) -> Iterator[Callable[[], _T]]:
    """Make a synchronous call, and yield what returns or raises what came of it; this frame tells what is inside it.

    A generator has a stack of handled exceptions of its own: what raising in the midst of a handler leaves there goes
    with it.
    """
    try:
        value = function()
    except BaseException as error:  # noqa: BLE001 - raised again by who asks
        yield functools.partial(_raise, error)
    else:
        yield lambda: value


def _set_asynchronous(thread: int) -> None:
    """Raise in a thread that cannot be signalled, as soon as it comes to run Python code.

    It must not be taken back by NULL: Python 3.11 would look for an exception at each check from then on, find none,
    and never get past the first line of a traced function.
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Hangs))


def _raise(error: BaseException) -> Any:
    raise error


def _is_inside(frame: FrameType | None, *, asynchronous: bool) -> bool:
    """Tell whether the call is what runs: not this package between calls, nor a loop that waits for its tasks.

    What is raised where an object is being deleted ends nothing.
    """
    while frame is not None and frame.f_code.co_name != "__del__":
        inside = frame.f_code.co_flags & inspect.CO_COROUTINE if asynchronous else frame.f_code is _run.__code__
        if inside:
            return True
        frame = frame.f_back
    return False


def _is_ours(frame: FrameType | None) -> bool:
    """Tell whether the call is inside this package, which plays a reply to it."""
    while frame is not None and frame.f_code not in {_run.__code__, Cancellation.run.__code__}:
        if str(frame.f_globals.get("__name__")).partition(".")[0] == "pytest_llmfaults":
            return True
        frame = frame.f_back
    return False


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frames of the call that are neither the standard library's nor this package's, the innermost first."""
    while frame is not None and frame.f_code is not _run.__code__:
        top = str(frame.f_globals.get("__name__")).partition(".")[0]
        if top not in sys.stdlib_module_names and top != "pytest_llmfaults":
            yield frame
        frame = frame.f_back


def _line_of(frame: FrameType | None) -> str | None:
    """Return the innermost line that is not an installed package's."""
    for one in _frames(frame):
        if "site-packages" not in one.f_code.co_filename:
            return f"{one.f_code.co_filename}:{one.f_lineno} in {one.f_code.co_name}()"
    return None


def _is_debugged() -> bool:
    """Tell whether a person steps through the code: time then means nothing."""
    return any(
        str(getattr(trace, "__module__", None)).partition(".")[0] in _DEBUGGERS
        for trace in (sys.gettrace(), threading.gettrace())
    )
