"""Virtual time of a loop whose inside is out of reach: uvloop, and what else is not built as asyncio's are.

Weaker than `_asyncio`: what is ready to run cannot be seen, so the loop counts as idle when nothing was put
into its queue for a few true milliseconds. Deadlines keep their order.
"""

# ruff: noqa: SLF001 - `Handle._run` is how every loop runs a handle

from __future__ import annotations

import asyncio
import heapq
import math
import sys
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._clock._loop import LoopTime, WaitTimer, is_sleep, workers_of_anyio_are_busy
from pytest_llmfaults._clock._timeline import true_perf_counter_ns

if TYPE_CHECKING:
    import contextvars
    from collections.abc import Callable

    from pytest_llmfaults._clock._timeline import Timeline
    from pytest_llmfaults._clock._uvloop_early import EarlyTimer

_BEAT = 0.001  # the finest that uvloop's own timers do
_QUIET_BEATS = 2  # without anything put into the queue: idle
_NOISY_BEATS = 200  # in a row: it may be polling, and true time has to pass
_LAST_BEATS = 200  # without anything at all, before a wait without end is called one
_OVERRIDES = ("time", "call_at", "call_later", "call_soon", "call_soon_threadsafe", "run_in_executor")


class _Timer(asyncio.TimerHandle):
    """A timer in our own queue."""

    def cancel(self) -> None:
        """Cancel it; the loop need not know."""
        asyncio.Handle.cancel(self)


class PollingLoop(LoopTime):
    """One loop that takes part."""

    def __init__(self, loop: Any, timeline: Timeline, early: list[EarlyTimer]) -> None:
        """Take over the loop, which runs in the calling thread, and the timers that it has set before."""
        super().__init__(loop, timeline)
        self._true_call_later = loop.call_later
        self._true_call_soon = loop.call_soon
        self._true_call_soon_threadsafe = loop.call_soon_threadsafe
        self._queue: list[tuple[int, int, _Timer | EarlyTimer, WaitTimer]] = []
        self._numbers = 0
        self._activity = 0
        self._seen = -1
        self._quiet = 0
        self._noisy = 0
        self._beating = False
        self._beat_ns = 0
        for timer in early:
            due = self.due_after(timer.when - loop.time(), timer.fire, wait=timer.wait)
            self._push(timer, due)
        for name in _OVERRIDES:
            setattr(loop, name, getattr(self, name))

    def uninstall(self) -> None:
        """Give the loop back its own methods, and true timers to those who still wait."""
        if not self.active:
            return
        self.active = False
        for name in _OVERRIDES:
            self._loop.__dict__.pop(name, None)
        if self._loop.is_closed():
            return
        for when_ns, _, timer, _ in self._queue:
            if isinstance(timer, _Timer) and not timer.cancelled():
                self._true_call_later(max(0, when_ns - self.now_ns) / 1e9, _run, timer)
        self._queue.clear()

    # What the loop is given.

    def time(self) -> float:
        """`loop.time`. Reading it is all that can be seen of a loop that polls it."""
        self.timeline.turn()
        return super().time()

    def call_soon(
        self, callback: Callable[..., object], *args: object, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """`loop.call_soon`, counted."""
        self._activity += 1
        handle: asyncio.Handle = self._true_call_soon(callback, *args, context=context)
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: object, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """`loop.call_soon_threadsafe`, counted."""
        self._activity += 1
        handle: asyncio.Handle = self._true_call_soon_threadsafe(callback, *args, context=context)
        return handle

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: object,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """`loop.call_at`."""
        delay = when - self.time()
        delay = round(delay, 8) if math.isfinite(delay) else delay
        return self.schedule(delay, callback, args, context=context, wait=is_sleep(callback))

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: object,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """`loop.call_later`."""
        wait = is_sleep(callback) or sys._getframe(1).f_code is asyncio.sleep.__code__
        return self.schedule(delay, callback, args, context=context, wait=wait)

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
        due = self.due_after(delay, callback, wait=wait)
        timer = _Timer(self.time() + delay, due, args, self.loop, context)
        self._push(timer, due)
        return timer

    def _push(self, timer: _Timer | EarlyTimer, due: WaitTimer) -> None:
        if due.when_ns is not None:
            self._numbers += 1
            heapq.heappush(self._queue, (due.when_ns, self._numbers, timer, due))
        self._activity += 1
        self._start_beating()

    async def wait(self, seconds: float | None) -> None:
        """Wait as a reply that comes late does; `None` is for ever."""
        self._start_beating()
        await super().wait(seconds)

    # What decides about time.

    def _start_beating(self) -> None:
        if not self._beating and self.active:
            self._beating = True
            self._beat_ns = true_perf_counter_ns()
            self._true_call_later(_BEAT, self._beat)

    def _beat(self) -> None:
        """Look whether the loop is idle, and if so, move time."""
        self._beating = False
        if not self.active:
            return
        while self._queue and self._queue[0][2].cancelled():
            heapq.heappop(self._queue)
        quiet = self._activity == self._seen
        self._quiet = self._quiet + 1 if quiet else 0
        self._noisy = 0 if quiet else self._noisy + 1
        now = true_perf_counter_ns()
        if not self._may_jump() or self._noisy > _NOISY_BEATS:
            self._quiet = 0
            self.timeline.waited(now - self._beat_ns)
        elif self._quiet >= _QUIET_BEATS:
            self._move()
        self._fire()
        self._seen = self._activity
        if self._queue or self.forever:
            self._start_beating()

    def _may_jump(self) -> bool:
        if self.busy or workers_of_anyio_are_busy(self.loop):
            return False
        return bool(self.forever) or any(due.wait and not timer.cancelled() for _, _, timer, due in self._queue)

    def _move(self) -> None:
        if self._queue:
            self._quiet = 0
            when_ns, _, _, due = self._queue[0]
            self.timeline.jump(max(0, when_ns - self.now_ns))
            self.timeline.reach(due.seconds_ns)
            self.check_patience()
        elif self._quiet >= _LAST_BEATS:
            self.give_up()

    def _fire(self) -> None:
        while self._queue and self._queue[0][0] <= self.now_ns:
            _, _, timer, _ = heapq.heappop(self._queue)
            self.call_soon(_run, timer)


def _run(timer: Any) -> None:
    if not timer.cancelled():
        timer._run()
