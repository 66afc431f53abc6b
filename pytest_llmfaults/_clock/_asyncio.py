"""Virtual time of an asyncio loop that runs on a selector.

`asyncio.sleep` is not replaced, nor anyio. The loop object itself gets its own `time`, `call_at`,
`call_later`, `run_in_executor` and selector while the clock is active; every sleep, however it was
imported, ends up there.

The loop counts waits, not computing: deadlines keep their order on a slow machine. Its time jumps to the
next deadline when nothing is ready, no worker thread is busy, and somebody is known to sleep or to wait for
a reply of ours. A timeout alone is no reason: it may guard real work.
"""

# ruff: noqa: SLF001 - a loop's queue and selector are private; they are used here and nowhere else

from __future__ import annotations

import asyncio
import math
import sys
import threading
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._clock._limits import LAST_GRACE, grace
from pytest_llmfaults._clock._loop import LoopTime, WaitTimer, is_sleep, workers_of_anyio_are_busy
from pytest_llmfaults._clock._timeline import NANO, true_perf_counter_ns

if TYPE_CHECKING:
    import contextvars
    from collections.abc import Callable

    from pytest_llmfaults._clock._timeline import Timeline

_OVERRIDES = ("time", "call_at", "call_later", "run_in_executor")


class _Selector:
    """The loop's selector, except that waiting is decided elsewhere."""

    def __init__(self, selector: Any, select: Callable[[float | None], Any]) -> None:
        self._selector = selector
        self.select = select

    def __getattr__(self, name: str) -> Any:
        return getattr(self._selector, name)


class SelectorLoop(LoopTime):
    """One loop that takes part."""

    def __init__(self, loop: Any, timeline: Timeline) -> None:
        """Take over the loop, which runs in the calling thread."""
        super().__init__(loop, timeline)
        self._true_call_at = loop.call_at
        self._true_select = loop._selector.select
        self._silences = 0
        self._proxy = _Selector(loop._selector, self._select)
        self._shift(self.base - loop.time())
        for name in _OVERRIDES:
            setattr(loop, name, getattr(self, name))
        loop._selector = self._proxy

    @staticmethod
    def suits(loop: Any) -> bool:
        """Whether the loop is built as the ones of the standard library are."""
        return all(hasattr(loop, name) for name in ("_selector", "_scheduled", "_ready"))

    def uninstall(self) -> None:
        """Give the loop back its own methods, and true deadlines to the timers that are left."""
        loop = self._loop
        if not self.active:
            return
        self.active = False
        virtual = self.time()
        for name in _OVERRIDES:
            loop.__dict__.pop(name, None)
        if loop._selector is self._proxy:
            loop._selector = self._proxy._selector
        self._shift(loop.time() - virtual)

    def _shift(self, seconds: float) -> None:
        """Move all timers by the same amount, as the clock is; their order stays."""
        for timer in self._loop._scheduled:
            timer._when += seconds

    # What the loop is given.

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: object,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """`loop.call_at`."""
        delay = when - self.time()
        # Floats this large are good to a few nanoseconds; equal delays must stay equal.
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
        when = self.time() + delay if due.when_ns is None else self.base + due.when_ns / NANO
        timer: asyncio.TimerHandle = self._true_call_at(when, due, *args, context=context)
        return timer

    # What decides about time.

    def _select(self, timeout: float | None) -> Any:
        if not self.active:
            return self._true_select(timeout)
        if timeout is not None and timeout <= 0:
            self.timeline.turn()
            return self._true_select(timeout)
        if not self._may_jump():
            return self._wait_truly(timeout)
        events = self._true_select(self._grace())
        if events or self._loop._ready:
            self._silences = 0
            return events
        self._silences += 1
        timer = self._next_timer()
        if timer is not None:
            self._jump_to(timer)
        elif self.forever:
            events = self._true_select(LAST_GRACE if self._others_may_act() else 0)
            if not events:
                self.give_up()
        else:
            return self._wait_truly(timeout)
        return events

    def _may_jump(self) -> bool:
        if self.busy or workers_of_anyio_are_busy(self._loop):
            return False
        return bool(self.forever) or any(_is_wait(timer) for timer in self._loop._scheduled)

    def _wait_truly(self, timeout: float | None) -> Any:
        before = true_perf_counter_ns()
        events = self._true_select(timeout)
        self.timeline.waited(true_perf_counter_ns() - before)
        return events

    def _next_timer(self) -> asyncio.TimerHandle | None:
        for timer in self._loop._scheduled[:1]:  # the loop has just removed the cancelled ones in front
            if math.isfinite(timer._when):
                found: asyncio.TimerHandle = timer
                return found
        return None

    def _jump_to(self, timer: Any) -> None:
        due = timer._callback
        # What an earlier clock left behind was moved with the loop's other timers, and counts on another scale.
        ours = isinstance(due, WaitTimer) and due.when_ns is not None and due.timeline is self.timeline
        when_ns = due.when_ns if ours else math.ceil((timer._when - self.base) * NANO)
        step = max(1, when_ns - self.now_ns)
        reached = due.seconds_ns if ours else self.timeline.seconds_ns + step
        self.timeline.jump(step)
        self.timeline.reach(reached)
        self.check_patience()

    def _grace(self) -> float:
        return grace(self._silences) if self._has_sockets() else 0

    def _has_sockets(self) -> bool:
        get_map = getattr(self._proxy._selector, "get_map", None)
        return get_map is None or len(get_map()) > 1  # one is the loop's own

    def _others_may_act(self) -> bool:
        return self._has_sockets() or threading.active_count() > 1


def _is_wait(timer: Any) -> bool:
    callback = timer._callback  # None once it is cancelled
    return callback.wait if isinstance(callback, WaitTimer) else is_sleep(callback)
