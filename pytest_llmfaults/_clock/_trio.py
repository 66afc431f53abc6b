"""Virtual time of a trio run.

trio has an interface for clocks, but takes one only at `trio.run`, which belongs to the code under test. So
the clock of the run is replaced from inside: its state is the one private thing used here, the rest is
public.
"""

from __future__ import annotations

import inspect
import math
import sys
import threading
from typing import TYPE_CHECKING, Any

import trio

from pytest_llmfaults._clock import _limits
from pytest_llmfaults._clock._timeline import NANO, to_ns, true_perf_counter_ns
from pytest_llmfaults._clock._users import polls
from pytest_llmfaults.errors import WaitsForever

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from pytest_llmfaults._clock._timeline import Timeline

_SLEEP = trio.sleep_until.__code__
_WORK = inspect.unwrap(trio.to_thread.run_sync).__code__


def _runner() -> Any:
    """The state of the run in this thread.

    Raises:
        RuntimeError: this trio keeps it elsewhere.
    """
    try:
        from trio._core._run import GLOBAL_RUN_CONTEXT

        runner: Any = GLOBAL_RUN_CONTEXT.runner
        if isinstance(runner.clock, trio.abc.Clock):
            return runner
    except (ImportError, AttributeError) as error:
        raise RuntimeError(_moved()) from error
    raise RuntimeError(_moved())


def _moved() -> str:
    return (
        f"pytest-llmfaults cannot set the clock of trio {trio.__version__}: the run's clock is not where it "
        "was in the versions that this was written for. Please report it, and use an older trio meanwhile."
    )


class TrioClock(trio.abc.Clock):
    """The clock of one run, in place of its own."""

    def __init__(self, runner: Any, note: Callable[[str], None]) -> None:
        """Continue from where the run's clock stands."""
        self._runner = runner
        self._note = note
        self._base: float = runner.clock.current_time()
        self._base_ns = true_perf_counter_ns()
        self._timeline: Timeline | None = None
        self._joined_ns = 0
        self._waiting_ns: int | None = None
        self._quiet = False
        self._silences = 0
        self._forever: dict[trio.Event, int] = {}
        self._jumps = 0

    # The interface of trio's clocks.

    def start_clock(self) -> None:
        """Nothing: the run has started."""

    def current_time(self) -> float:
        """The time of the run."""
        timeline = self._timeline
        if timeline is None:
            return self._base + (true_perf_counter_ns() - self._base_ns) / NANO
        if self._waiting_ns is not None:
            timeline.waited(true_perf_counter_ns() - self._waiting_ns)
            self._waiting_ns = None
        self._count(timeline, sys._getframe(1))  # noqa: SLF001 - who asks decides
        return self._base + (timeline.now_ns - self._joined_ns) / NANO

    def _count(self, timeline: Timeline, asking: FrameType) -> None:
        """Notice who polls. A long stream turns often too; its next sleep keeps its full length."""
        if asking.f_code.co_name != "current_time":
            timeline.turn(patience=10)
        elif polls(asking):
            timeline.turn()
            if timeline.frozen:
                timeline.read()

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """How long the run may wait for I/O. Asked when no task is ready: the moment when time may jump."""
        now = self.current_time()
        if self._timeline is None or deadline <= now:
            return deadline - now
        sleeping, working = self._look_around()
        nothing_to_come = math.isinf(deadline) and not self._forever
        if working or nothing_to_come or not (sleeping or self._forever) or self._runner.waiting_for_idle:
            self._waiting_ns = true_perf_counter_ns()
            return deadline - now
        if not self._quiet:  # first let sockets and other threads have their say
            self._quiet = True
            if math.isinf(deadline) and self._others_may_act():
                return _limits.LAST_GRACE
            return _limits.grace(self._silences) if self._sockets() else 0
        self._quiet = False
        self._silences += 1
        self._jump(deadline, now)
        return 0

    # The instrument: it hears of every step of a task.

    def before_task_step(self, task: trio.lowlevel.Task) -> None:  # noqa: ARG002
        """Something ran, so the run was not quiet."""
        if self._quiet:
            self._quiet = False
            self._silences = 0

    # What the clock of the test does with it.

    def take_part(self, timeline: Timeline) -> None:
        """From now on, virtual."""
        self._base = self.current_time()
        self._timeline = timeline
        self._joined_ns = timeline.now_ns
        trio.lowlevel.add_instrument(self)  # type: ignore[arg-type] # any object with the right methods does

    def leave(self) -> None:
        """From now on, true time again, without a step back: deadlines that are set stay right."""
        if self._timeline is None:
            return
        self._base = self.current_time()
        self._base_ns = true_perf_counter_ns()
        self._timeline = None

    async def wait(self, seconds: float | None) -> None:
        """Wait as a reply that comes late does; `None` is for ever."""
        timeline = self._timeline
        if seconds is not None:
            due = (timeline.seconds_ns if timeline else 0) + to_ns(seconds)
            await trio.sleep(seconds)
            if timeline:
                timeline.reach(due)
            return
        end = trio.Event()
        self._forever[end] = timeline.seconds_ns if timeline else 0
        self._jumps = 0
        try:
            await end.wait()
        finally:
            self._forever.pop(end, None)
        raise WaitsForever

    def _jump(self, deadline: float, now: float) -> None:
        timeline = self._timeline
        if timeline is None or math.isinf(deadline):
            self._give_up()
            return
        timeline.sleep(round((deadline - now) * NANO))
        if self.current_time() < deadline:  # by a rounding error of large floats
            timeline.jump(1)
        if not self._forever:
            return
        self._jumps += 1
        since = min(self._forever.values())
        if self._jumps > _limits.MOST_JUMPS or timeline.seconds_ns - since > _limits.PATIENCE_NS:
            self._give_up()

    def _give_up(self) -> None:
        for end in self._forever:
            end.set()

    def _look_around(self) -> tuple[bool, bool]:
        """Whether a task sleeps, and whether one waits for a worker thread."""
        sleeping = working = False
        for task in _tasks():
            for frame, _ in task.iter_await_frames():
                sleeping = sleeping or frame.f_code is _SLEEP
                working = working or frame.f_code is _WORK
        return sleeping, working

    def _sockets(self) -> bool:
        statistics = trio.lowlevel.current_statistics().io_statistics
        read = getattr(statistics, "tasks_waiting_read", 1)
        write = getattr(statistics, "tasks_waiting_write", 1)
        return bool(read + write > 1)  # one is trio's own

    def _others_may_act(self) -> bool:
        return self._sockets() or threading.active_count() > 1


def _tasks() -> Iterator[trio.lowlevel.Task]:
    root = trio.lowlevel.current_root_task()
    rest = [root] if root is not None else []
    while rest:
        task = rest.pop()
        yield task
        for nursery in task.child_nurseries:
            rest.extend(nursery.child_tasks)


def join(timeline: Timeline, note: Callable[[str], None]) -> TrioClock | None:
    """Make the run of the calling thread take part.

    Returns:
        Its clock, or nothing if the run has a clock of somebody else (a `MockClock`), which is left alone.
    """
    runner = _runner()
    clock = runner.clock
    if not isinstance(clock, TrioClock):
        if type(clock).__name__ != "SystemClock":
            note(f"trio runs on a {type(clock).__name__}: its time was left to it")
            return None
        clock = runner.clock = TrioClock(runner, note)
    clock.take_part(timeline)
    return clock
