"""What every kind of asyncio loop needs."""

from __future__ import annotations

import abc
import asyncio
import math
import sys
import threading
from asyncio import futures
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._clock import _limits
from pytest_llmfaults._clock._running import asyncio_loop
from pytest_llmfaults._clock._timeline import NANO, to_ns
from pytest_llmfaults._clock._users import polls
from pytest_llmfaults.errors import WaitsForever

if TYPE_CHECKING:
    import contextvars
    from collections.abc import Callable, Coroutine

    from pytest_llmfaults._clock._timeline import Timeline

# `asyncio.sleep` is a timer with this callback. The name is private; sleeps are also known by their caller.
_SLEEP = getattr(futures, "_set_result_unless_cancelled", None)


def is_sleep(callback: object) -> bool:
    """Whether a timer with this callback is somebody's `asyncio.sleep`."""
    return callback is not None and callback is _SLEEP


class WaitTimer:
    """The callback of a timer, together with the discrete time at which it is due."""

    __slots__ = ("_callback", "seconds_ns", "timeline", "wait", "when_ns")

    def __init__(
        self,
        callback: Callable[..., object],
        timeline: Timeline,
        *,
        seconds_ns: int,
        when_ns: int | None,
        wait: bool,
    ) -> None:
        """`when_ns` is on the loop's own scale, and `None` for a timer that never comes."""
        self._callback = callback
        self.timeline = timeline
        self.seconds_ns = seconds_ns
        self.when_ns = when_ns
        self.wait = wait

    def __call__(self, *args: object) -> None:
        """The timer fires."""
        if self.wait:
            self.timeline.reach(self.seconds_ns)
        self._callback(*args)

    def __repr__(self) -> str:
        """Show what the loop's own messages would show without us."""
        return repr(self._callback)


class LoopTime(abc.ABC):
    """The time of one loop: it goes on from the loop's own clock, and counts waits only."""

    def __init__(self, loop: Any, timeline: Timeline) -> None:
        """Begin at the loop's own time, or less than a second later."""
        self._loop = loop
        self.timeline = timeline
        self.active = True
        # A whole number: aiohttp rounds long deadlines up to one, and would wait differently each time.
        self.base = float(math.ceil(loop.time()))
        self._joined_ns = timeline.now_ns
        self.busy = 0
        self.forever: dict[asyncio.Future[None], int] = {}
        self._jumps = 0
        self._true_run_in_executor = loop.run_in_executor

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop."""
        found: asyncio.AbstractEventLoop = self._loop
        return found

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the loop joined."""
        return self.timeline.now_ns - self._joined_ns

    def time(self) -> float:
        """`loop.time`."""
        if self.timeline.frozen and polls(sys._getframe(1)):  # noqa: SLF001 - who asks decides
            self.timeline.read()
        return self.base + self.now_ns / NANO

    def due_after(self, delay: float, callback: Callable[..., object], *, wait: bool) -> WaitTimer:
        """Wrap the callback of a timer."""
        ns = to_ns(delay) if math.isfinite(delay) else None
        return WaitTimer(
            callback,
            self.timeline,
            seconds_ns=self.timeline.seconds_ns + (ns or 0),
            when_ns=None if ns is None else self.now_ns + ns,
            wait=wait,
        )

    @abc.abstractmethod
    def schedule(
        self,
        delay: float,
        callback: Callable[..., object],
        args: tuple[object, ...],
        *,
        context: contextvars.Context | None = None,
        wait: bool,
    ) -> asyncio.TimerHandle:
        """Set a timer; `wait` says that it is somebody's sleep, not a guard."""

    def release(self) -> None:
        """Give the loop back, in its own thread if it is running in another."""
        if self.loop.is_running() and asyncio_loop() is not self.loop:
            self.loop.call_soon_threadsafe(self.uninstall)
        else:
            self.uninstall()

    @abc.abstractmethod
    def uninstall(self) -> None:
        """Give the loop back as it was."""

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        """`loop.run_in_executor`, counted: time must not jump over work."""
        future: asyncio.Future[Any] = self._true_run_in_executor(executor, func, *args)
        if self.active:
            self.busy += 1
            future.add_done_callback(self._less_busy)
        return future

    def _less_busy(self, _future: asyncio.Future[Any]) -> None:
        self.busy -= 1

    async def wait(self, seconds: float | None) -> None:
        """Wait as a reply that comes late does; `None` is for ever."""
        future: asyncio.Future[None] = self.loop.create_future()
        if seconds is not None:
            timer = self.schedule(seconds, _finish, (future,), wait=True)
            try:
                await future
            finally:
                timer.cancel()
            return
        self.forever[future] = self.timeline.seconds_ns
        self._jumps = 0
        try:
            await future
        finally:
            self.forever.pop(future, None)

    def check_patience(self) -> None:
        """After each jump: end waits without end that have watched for long enough."""
        if not self.forever:
            return
        self._jumps += 1
        since = min(self.forever.values())
        if self._jumps > _limits.MOST_JUMPS or self.timeline.seconds_ns - since > _limits.PATIENCE_NS:
            self.give_up()

    def give_up(self) -> None:
        """Tell all who wait for ever that nothing will come."""
        for future in self.forever:
            if not future.done():
                future.set_exception(WaitsForever())
        self.forever.clear()


def _finish(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def workers_of_anyio_are_busy(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether `anyio.to_thread.run_sync` is at work: it has threads of its own, that no executor knows."""
    if "anyio" not in sys.modules:
        return False
    if not any(type(thread).__module__.startswith("anyio.") for thread in threading.enumerate()):
        return False
    return any(_awaits_worker(task.get_coro()) for task in asyncio.all_tasks(loop))


def _awaits_worker(coroutine: Coroutine[Any, Any, Any] | Any | None) -> bool:
    while coroutine is not None:
        code = getattr(coroutine, "cr_code", None)
        if code is not None and code.co_name == "run_sync_in_worker_thread":
            return True
        coroutine = getattr(coroutine, "cr_await", None)
    return False
