"""How long true things are waited for before time jumps, and how long a wait without end may watch."""

from __future__ import annotations

from pytest_llmfaults._clock._timeline import NANO

# A wait without end is called one when this much virtual time, or this many jumps, went by beside it.
PATIENCE_NS = 30 * 86_400 * NANO
MOST_JUMPS = 100_000

# True time for other threads and sockets, when nothing virtual is left to happen.
LAST_GRACE = 0.25

_GRACE = 0.02
_SHORTEST_GRACE = 0.002


def grace(silences: int) -> float:
    """True time for real sockets before each jump, after so many jumps in a row in which they were silent."""
    return max(_SHORTEST_GRACE, _GRACE / (1 << min(silences, 8)))
