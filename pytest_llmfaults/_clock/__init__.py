"""Virtual time: a queue of waits, and one small adapter per place that sleeps or tells time.

Whoever takes part (a thread, with the event loop that runs in it) has clocks of its own, which are ahead of
the true ones by what was waited. A wait costs no true time; deadlines keep their order. Everybody else
keeps the true time.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._clock import _sync
from pytest_llmfaults._clock._early import modules_mark
from pytest_llmfaults._clock._loops import AsyncioLoops
from pytest_llmfaults._clock._running import asyncio_loop, in_trio
from pytest_llmfaults._clock._tenacity import TenacityEvent
from pytest_llmfaults._clock._timeline import NANO, Timeline, to_ns
from pytest_llmfaults._clock._wall import Wall, next_whole_second
from pytest_llmfaults.errors import WaitsForever

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from pytest_llmfaults._clock._trio import TrioClock

__all__ = ["Clock", "next_whole_second"]

_active: Clock | None = None


class Clock:
    """Virtual time of one run: one test, or one `with inject(...)`.

    At most one clock is active in a process.

    Attributes:
        notes: what could not be virtual in this run and why, in sentences for people.
    """

    def __init__(self, *, frozen: bool = False, begin: float | None = None) -> None:
        """Make a clock that does nothing yet.

        Args:
            frozen: clocks stand still between waits for those who take part, so that a run gives the same
                readings each time; a loop that polls one is an error (`SpinsForever`) instead of hanging.
            begin: the Unix time in seconds at which frozen wall clocks begin; `None` is the next whole second.
        """
        self.notes: list[str] = []
        self._frozen = frozen
        self._begin = begin
        self._running = False
        self._local = threading.local()
        self._timelines: list[Timeline] = []
        self._wall = self._new_wall()
        self._loops = AsyncioLoops()
        self._trio: dict[int, tuple[object, TrioClock | None]] = {}
        self._tenacity = TenacityEvent(self._timeline)
        self._modules: object = None

    # From when to when.

    def start(self) -> None:
        """Begin; the calling thread, and a loop that runs in it, take part.

        Raises:
            RuntimeError: another clock is active.
        """
        global _active  # noqa: PLW0603 - the process has one `time` module
        if self._running:
            return
        if _active is not None:
            msg = (
                "another virtual clock is active in this process, and two of them would count the same "
                "waits: stop the first one, or use it in both places"
            )
            raise RuntimeError(msg)
        _active = self
        self._running = True
        self._local = threading.local()
        self._timelines = []
        self._modules = None
        self._wall = self._new_wall()
        taken = _sync.install(self._timeline, self._find_all)
        if taken:
            names = ", ".join(f"time.{name}" for name in taken)
            self._note(f"left alone, because the test replaced them itself: {names}")
        self._loops.start()
        self._take_part()
        if self._frozen:
            self._wall.start()

    def stop(self) -> None:
        """End: everything that was replaced is put back. More than once does no harm."""
        global _active  # noqa: PLW0603
        if not self._running:
            return
        self._running = False
        _active = None
        _sync.uninstall()
        self._tenacity.uninstall()
        self._wall.stop()
        self._loops.stop()
        for _, clock in self._trio.values():
            if clock is not None:
                clock.leave()
        self._trio.clear()

    def join(self) -> None:
        """Let the calling thread, and the event loop that runs in it, take part from now on."""
        if not self._running:
            return
        self._find_all()
        self._take_part().reads = 0  # a request is progress

    # What time it is.

    @property
    def nanoseconds(self) -> int:
        """Virtual time that has passed for the caller since the start, exactly."""
        timeline = self._of_thread()
        return self._start_of_joiners() if timeline is None else timeline.seconds_ns

    @property
    def seconds(self) -> float:
        """Virtual seconds that have passed for the caller since the start. No true time is in it."""
        return self.nanoseconds / NANO

    @property
    def elapsed_seconds(self) -> float:
        """The most virtual seconds that have passed for anybody: how long a user would have waited."""
        return max((timeline.seconds_ns for timeline in self._timelines), default=0) / NANO

    # How time passes.

    def advance(self, seconds: float) -> None:
        """Move the time of the calling thread, and of the loop that runs in it.

        Args:
            seconds: how far, finite and not negative.

        Raises:
            ValueError: it is not.
        """
        if type(seconds) not in {int, float} or not math.isfinite(seconds) or seconds < 0:
            msg = (
                f"advance(seconds={seconds!r}): a finite number of seconds, 0 or more, is allowed; time never goes back"
            )
            raise ValueError(msg)
        self.wait(seconds)

    def wait(self, seconds: float | None) -> None:
        """Wait as a reply that comes late does.

        Args:
            seconds: how long; `None` is for ever.

        Raises:
            WaitsForever: nothing would ever end the wait.
        """
        if seconds is None or math.isinf(seconds):
            raise WaitsForever
        if self._running:
            self.join()
            timeline = self._timeline()
            if timeline is not None and seconds > 0:
                timeline.sleep(to_ns(seconds))

    async def async_wait(self, seconds: float | None) -> None:
        """Wait as a reply that comes late does, in a running asyncio or trio loop.

        Timers of others that are due earlier fire earlier; the wait can be cancelled.

        Args:
            seconds: how long; `None` is until cancelled.

        Raises:
            WaitsForever: nothing would ever end the wait.
        """
        self.join()
        if seconds is not None:
            seconds = None if math.isinf(seconds) else max(0, seconds)
        if in_trio():
            await self._wait_in_trio(seconds)
            return
        import asyncio

        adapter = self._loops.find(asyncio.get_running_loop())
        if adapter is not None:
            await adapter.wait(seconds)
        elif seconds is None:  # the clock has stopped
            raise WaitsForever
        else:
            await asyncio.sleep(seconds)

    def call_later(
        self,
        loop: asyncio.AbstractEventLoop,
        seconds: float,
        callback: Callable[..., object],
        *args: Any,
    ) -> asyncio.TimerHandle:
        """Set a timer that counts as a wait for a reply: time may jump to it.

        Args:
            loop: the asyncio loop, running in the calling thread.
            seconds: how long from now.
            callback: what to call.
            *args: with what.

        Returns:
            A handle whose `cancel()` ends the wait.
        """
        self.join()
        adapter = self._loops.find(loop)
        if adapter is None:
            return loop.call_later(seconds, callback, *args)
        return adapter.schedule(seconds, callback, args, wait=True)

    # Who takes part.

    def _timeline(self) -> Timeline | None:
        """The timeline of the calling thread, while the clock runs."""
        return self._of_thread() if self._running else None

    def _of_thread(self) -> Timeline | None:
        return getattr(self._local, "timeline", None)

    def _start_of_joiners(self) -> int:
        """Where a thread that joins now begins: where the test's thread is, which started it."""
        return self._timelines[0].seconds_ns if self._timelines else 0

    def _take_part(self) -> Timeline:
        timeline = self._of_thread()
        if timeline is None:
            timeline = Timeline(since_ns=self._start_of_joiners(), frozen=self._frozen, moved=self._wall.follow)
            self._timelines.append(timeline)
            self._local.timeline = timeline
        if in_trio():
            self._join_trio(timeline)
        else:
            loop = asyncio_loop()
            if loop is not None:
                self._loops.join(loop, timeline)
        return timeline

    def _join_trio(self, timeline: Timeline) -> None:
        import trio

        token, thread = trio.lowlevel.current_trio_token(), threading.get_ident()
        if self._trio.get(thread, (None,))[0] is not token:  # a thread has one run at a time
            from pytest_llmfaults._clock import _trio

            self._trio[thread] = (token, _trio.join(timeline, self._note))

    async def _wait_in_trio(self, seconds: float | None) -> None:
        import trio

        _, clock = self._trio.get(threading.get_ident(), (None, None))
        if clock is not None:
            await clock.wait(seconds)
        elif seconds is None:
            await trio.sleep_forever()
        else:
            due = self.nanoseconds + to_ns(seconds)
            await trio.sleep(seconds)
            timeline = self._timeline()
            if timeline is not None:
                timeline.reach(due)

    def _find_all(self) -> None:
        """Find who bound a clock at import; again only when modules were imported meanwhile."""
        mark = modules_mark()
        if mark != self._modules:
            _sync.replace_early_bound()
            self._tenacity.install()
            self._modules = mark

    def _new_wall(self) -> Wall:
        return Wall(frozen=self._frozen, begin=self._begin, note=self._note, read=self._wall_was_read)

    def _wall_was_read(self) -> None:
        timeline = self._timeline()
        if timeline is not None:
            timeline.read()

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
