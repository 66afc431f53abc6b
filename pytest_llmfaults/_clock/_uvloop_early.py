"""Timers that were set on a loop of uvloop before it joined.

Its queue cannot be looked into, and a guard such as `asyncio.timeout(30)` around the first request must end
before the client's own read timeout. So the loops remember their timers from the start of the clock on.
"""

from __future__ import annotations

import asyncio
import contextvars
import sys
import weakref
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._clock._loop import is_sleep

if TYPE_CHECKING:
    from collections.abc import Callable

_MANY = 1000


class EarlyTimer:
    """One of them; whoever fires it first, the loop or the clock, does so alone."""

    __slots__ = ("_args", "_callback", "_context", "_done", "handle", "wait", "when")

    def __init__(
        self,
        callback: Callable[..., object],
        args: tuple[object, ...],
        context: contextvars.Context | None,
        *,
        wait: bool,
    ) -> None:
        """Keep what the loop would keep."""
        self._callback = callback
        self._args = args
        self._context: contextvars.Context = context or contextvars.copy_context()
        self._done = False
        self.handle: Any = None
        self.when = 0.0
        self.wait = wait

    def cancelled(self) -> bool:
        """Whether there is nothing left to do."""
        return self._done or bool(self.handle.cancelled())

    def fire(self) -> None:
        """The loop's own timer ran out."""
        if not self._done:
            self._done = True
            self._callback(*self._args)

    def _run(self) -> None:
        """Virtual time reached it: as `asyncio.Handle._run`."""
        self.handle.cancel()
        self._context.run(self.fire)


class EarlyTimers:
    """Lets every loop of uvloop remember its timers."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._timers: weakref.WeakKeyDictionary[Any, list[EarlyTimer]] = weakref.WeakKeyDictionary()
        self._class: Any = None

    def install(self) -> None:
        """Begin, if uvloop has been imported."""
        kind = getattr(sys.modules.get("uvloop"), "Loop", None)
        if kind is None or self._class is not None:
            return
        self._class = kind
        true_later, true_at, remember = kind.call_later, kind.call_at, self._remember

        def call_later(loop: Any, delay: float, callback: Any, *args: object, context: Any = None) -> Any:
            if "call_later" in loop.__dict__:  # it takes part, and this is the clock's own timer
                return true_later(loop, delay, callback, *args, context=context)
            wait = is_sleep(callback) or sys._getframe(1).f_code is asyncio.sleep.__code__  # noqa: SLF001 - who asks
            timer = EarlyTimer(callback, args, context, wait=wait)
            timer.when = loop.time() + delay
            timer.handle = true_later(loop, delay, timer.fire, context=timer._context)  # noqa: SLF001 - ours
            return remember(loop, timer)

        def call_at(loop: Any, when: float, callback: Any, *args: object, context: Any = None) -> Any:
            timer = EarlyTimer(callback, args, context, wait=is_sleep(callback))
            timer.when = when
            timer.handle = true_at(loop, when, timer.fire, context=timer._context)  # noqa: SLF001 - ours
            return remember(loop, timer)

        kind.call_later, kind.call_at = call_later, call_at

    def uninstall(self) -> None:
        """Forget everything."""
        if self._class is not None:
            del self._class.call_later, self._class.call_at
            self._class = None
        self._timers.clear()

    def of(self, loop: asyncio.AbstractEventLoop) -> list[EarlyTimer]:
        """What a loop that joins now has set before and not fired yet."""
        return [timer for timer in self._timers.pop(loop, []) if not timer.cancelled()]

    def _remember(self, loop: Any, timer: EarlyTimer) -> Any:
        timers = self._timers.setdefault(loop, [])
        timers.append(timer)
        if len(timers) > _MANY:
            timers[:] = [each for each in timers if not each.cancelled()]
        return timer.handle
