"""The virtual time of one thread, and of the event loop that runs in it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pytest_llmfaults.errors import SpinsForever

if TYPE_CHECKING:
    from collections.abc import Callable

NANO = 1_000_000_000
MOST_READS = 10_000

# Bound here once, before anything is replaced.
true_monotonic_ns = time.monotonic_ns
true_perf_counter_ns = time.perf_counter_ns


def to_ns(seconds: float) -> int:
    """Whole nanoseconds; whatever is more than zero stays more than zero."""
    return max(1, round(seconds * NANO)) if seconds > 0 else 0


class Timeline:
    """How far one thread is ahead of the true time.

    Three sums, all in whole nanoseconds so that differences are exact:

    - `ahead_ns`: what the clocks were moved by; - `seconds_ns`: the discrete time that waits added up to.
    It differs from `ahead_ns` only where true work (a worker thread, a real socket) filled a part of a
    wait, and in a thread that joined late; - `waited_ns`: true time that an event loop really spent
    waiting.
    """

    __slots__ = (
        "_moved",
        "_turn_ns",
        "_turns",
        "ahead_ns",
        "frozen",
        "monotonic_ns",
        "perf_counter_ns",
        "reads",
        "seconds_ns",
        "waited_ns",
    )

    def __init__(self, *, since_ns: int, frozen: bool, moved: Callable[[int], None]) -> None:
        """Begin at `since_ns`; `moved` hears how far ahead the clocks are whenever they move."""
        self.ahead_ns = 0
        self.seconds_ns = since_ns
        self.waited_ns = 0
        self.frozen = frozen
        self.reads = 0
        self.monotonic_ns = true_monotonic_ns()
        self.perf_counter_ns = true_perf_counter_ns()
        self._turns = 0
        self._turn_ns = 0
        self._moved = moved

    @property
    def now_ns(self) -> int:
        """The time that an event loop counts: waits only, no computing."""
        return self.ahead_ns + self.waited_ns

    def sleep(self, ns: int) -> None:
        """A wait of this length ends: the only thing that a blocking wait has to do."""
        self.jump(ns)
        self.seconds_ns += ns

    def jump(self, ns: int) -> None:
        """Move the clocks."""
        self.reads = self._turns = 0
        self.ahead_ns += ns
        self._moved(self.ahead_ns)

    def reach(self, seconds_ns: int) -> None:
        """A wait that was to end at this discrete time has ended."""
        self.reads = 0
        self.seconds_ns = max(self.seconds_ns, seconds_ns)

    def waited(self, ns: int) -> None:
        """An event loop really waited: a socket, a thread, or a guard around them."""
        self._turns = 0
        self.waited_ns += ns

    def turn(self) -> None:
        """An event loop turned without a wait; after many of them true time passes, or polling never ends."""
        self._turns += 1
        if self._turns <= MOST_READS:
            return
        now = true_perf_counter_ns()
        if self._turns > MOST_READS + 1:
            self.waited_ns += now - self._turn_ns
        self._turn_ns = now

    def read(self) -> None:
        """Somebody looked at a clock that stands still.

        Raises:
            SpinsForever: they did so too often without a wait.
        """
        self.reads += 1
        if self.reads > MOST_READS:
            self.reads = 0
            raise SpinsForever(MOST_READS)
