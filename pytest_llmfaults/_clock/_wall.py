"""The wall clocks (`time.time`, `datetime.now` and their kin), through time-machine."""

from __future__ import annotations

import datetime as dt
import math
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._clock._users import is_user

if TYPE_CHECKING:
    from collections.abc import Callable

    import time_machine

_MICRO = 1_000


def next_whole_second() -> float:
    """Return where wall clocks that stand still do so: an HTTP date then is equally far away in each run."""
    return float(math.ceil(time.time()))


class Wall:
    """Moves the wall clocks of the process, from the first time that somebody's virtual time moves.

    They belong to the whole process, so they follow whoever is furthest ahead.
    """

    def __init__(
        self, *, frozen: bool, begin: float | None, note: Callable[[str], None], read: Callable[[], None]
    ) -> None:
        """Nothing moves yet.

        Args:
            frozen: the wall clocks stand still between waits.
            begin: the Unix time in seconds at which frozen wall clocks begin; None is the next whole second.
            note: told why the wall clocks do not move, when they do not.
            read: called when a frozen wall clock is read.
        """
        self._frozen = frozen
        self._begin = begin
        self._note = note
        self._read = read
        self._ahead_ns = 0
        self._lock = threading.Lock()
        self._travel: time_machine.travel | None = None
        self._traveller: Any = None
        self._left_alone = False

    def start(self) -> None:
        """Take the wall clocks over, unless somebody else has."""
        if self._traveller is not None or self._left_alone:
            return
        other = _other_mover()
        if other is not None:
            self._left_alone = True
            self._note(f"the wall clock was not moved: {other} holds it in this test")
            return
        import time_machine

        begin = time.time()
        if self._frozen:
            begin = next_whole_second() if self._begin is None else self._begin
        self._travel = time_machine.travel(begin, tick=not self._frozen)
        self._traveller = self._travel.start()
        if self._frozen:
            self._count_reads()

    def follow(self, ahead_ns: int) -> None:
        """Be at least this far ahead of the true time."""
        with self._lock:
            self.start()
            if self._traveller is None or ahead_ns <= self._ahead_ns:
                return
            # time-machine takes microseconds at the finest; the rest is made good by the next move.
            step = (ahead_ns - self._ahead_ns) // _MICRO * _MICRO
            self._ahead_ns += step
            self._traveller.shift(dt.timedelta(microseconds=step // _MICRO))

    def stop(self) -> None:
        """Give the wall clocks back."""
        with self._lock:
            self._left_alone = True  # a thread may still be at the end of a wait
            travel, self._travel = self._travel, None
            traveller, self._traveller = self._traveller, None
            if travel is None:
                return
            import time_machine

            stack = getattr(time_machine, "traveller_stack", None)
            if stack and stack[-1] is not traveller and traveller in stack:
                stack.remove(traveller)  # the test has begun a travel of its own, and ends it later
            else:
                travel.stop()

    def _count_reads(self) -> None:
        """Hear of each reading: a loop that polls a clock which stands still must not hang."""
        traveller, read = self._traveller, self._read
        time_ns = traveller.time_ns

        def counted() -> int:
            frame = sys._getframe(1)  # noqa: SLF001 - who asks decides
            while frame.f_back is not None and frame.f_globals.get("__name__") == "time_machine":
                frame = frame.f_back
            if is_user(frame.f_globals.get("__name__")):
                read()
            return int(time_ns())

        traveller.time_ns = counted


def _other_mover() -> str | None:
    """Who moves the wall clocks already."""
    if "freezegun" in sys.modules and dt.datetime.__name__ == "FakeDatetime":
        return "freezegun"
    module = sys.modules.get("time_machine")
    if module is not None and module.escape_hatch.is_travelling():
        return "time-machine"
    return None
