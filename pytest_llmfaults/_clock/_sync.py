"""`time.sleep`, `time.monotonic` and `time.perf_counter`, for the threads that take part.

The replacements are permanent objects that pass everything on to the true ones unless a clock is active, the
calling thread has joined, and the caller is code under test. A module that keeps one keeps a harmless one.
"""

from __future__ import annotations

import operator
import sys
import time
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._clock._early import EarlyBound
from pytest_llmfaults._clock._timeline import NANO, to_ns
from pytest_llmfaults._clock._users import is_user

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_llmfaults._clock._timeline import Timeline

_LONGEST = 2**63 / NANO  # what the true sleep takes; beyond it, its own error is the right answer

_true_sleep = time.sleep
_true_monotonic = time.monotonic
_true_monotonic_ns = time.monotonic_ns
_true_perf_counter = time.perf_counter
_true_perf_counter_ns = time.perf_counter_ns

_find: Callable[[], Timeline | None] | None = None
_before_sleep: Callable[[], None] | None = None


def _timeline() -> Timeline | None:
    """The virtual time that the caller's caller sees, if any."""
    find = _find
    if find is None:
        return None
    timeline = find()
    if timeline is None or not is_user(sys._getframe(2).f_globals.get("__name__")):  # noqa: SLF001 - who asks decides
        return None
    return timeline


class _Replacement:
    """Stands in for a function of `time`.

    Not a Python function: those turn into methods in a class body (`clock = time.monotonic`), the true ones
    do not.
    """

    __slots__ = ("__name__", "__qualname__")

    def __init_subclass__(cls) -> None:
        cls.__module__ = "time"

    def __init__(self, true: Callable[..., Any]) -> None:
        self.__name__ = self.__qualname__ = true.__name__

    def __reduce__(self) -> str:
        """Be pickled and copied as the true one is: by name."""
        return self.__name__


class _Sleep(_Replacement):
    __slots__ = ()

    def __call__(self, seconds: Any, /) -> None:
        timeline = _timeline()
        if timeline is None:
            return _true_sleep(seconds)
        try:
            length = seconds if isinstance(seconds, float) else operator.index(seconds)
        except TypeError:
            return _true_sleep(seconds)
        if not 0 < length < _LONGEST:  # zero is a real yield; the rest has an error of its own
            return _true_sleep(seconds)
        if _before_sleep is not None:
            _before_sleep()
        timeline.sleep(to_ns(length))
        return None


class _Monotonic(_Replacement):
    __slots__ = ()

    def __call__(self) -> float:
        timeline = _timeline()
        return _true_monotonic() if timeline is None else _monotonic_of(timeline) / NANO


class _MonotonicNs(_Replacement):
    __slots__ = ()

    def __call__(self) -> int:
        timeline = _timeline()
        return _true_monotonic_ns() if timeline is None else _monotonic_of(timeline)


class _PerfCounter(_Replacement):
    __slots__ = ()

    def __call__(self) -> float:
        timeline = _timeline()
        return _true_perf_counter() if timeline is None else _perf_counter_of(timeline) / NANO


class _PerfCounterNs(_Replacement):
    __slots__ = ()

    def __call__(self) -> int:
        timeline = _timeline()
        return _true_perf_counter_ns() if timeline is None else _perf_counter_of(timeline)


def _monotonic_of(timeline: Timeline) -> int:
    if not timeline.frozen:
        return _true_monotonic_ns() + timeline.ahead_ns
    timeline.read()
    return timeline.monotonic_ns + timeline.now_ns


def _perf_counter_of(timeline: Timeline) -> int:
    if not timeline.frozen:
        return _true_perf_counter_ns() + timeline.ahead_ns
    timeline.read()
    return timeline.perf_counter_ns + timeline.now_ns


_TRUE: dict[str, Callable[..., Any]] = {
    "sleep": _true_sleep,
    "monotonic": _true_monotonic,
    "monotonic_ns": _true_monotonic_ns,
    "perf_counter": _true_perf_counter,
    "perf_counter_ns": _true_perf_counter_ns,
}
_OURS: dict[str, Callable[..., Any]] = {
    "sleep": _Sleep(_true_sleep),
    "monotonic": _Monotonic(_true_monotonic),
    "monotonic_ns": _MonotonicNs(_true_monotonic_ns),
    "perf_counter": _PerfCounter(_true_perf_counter),
    "perf_counter_ns": _PerfCounterNs(_true_perf_counter_ns),
}
_ours_by_true = {id(_TRUE[name]): ours for name, ours in _OURS.items()}
_true_by_ours = {id(ours): _TRUE[name] for name, ours in _OURS.items()}
_early = EarlyBound(frozenset(_ours_by_true) | frozenset(_true_by_ours), is_user)


def install(find: Callable[[], Timeline | None], before_sleep: Callable[[], None]) -> list[str]:
    """Replace the functions in `time` itself.

    Args:
        find: gives the virtual time of the calling thread.
        before_sleep: called before each virtual sleep.

    Returns:
        The names that somebody else had replaced already, which are left alone.
    """
    global _find, _before_sleep
    _find, _before_sleep = find, before_sleep
    taken = []
    for name, ours in _OURS.items():
        present = getattr(time, name)
        if present is _TRUE[name]:
            setattr(time, name, ours)
        elif present is not ours:
            taken.append(name)
    return taken


def replace_early_bound() -> None:
    """Replace what modules bound at import, as `from time import sleep` does."""
    _early.replace(_ours_by_true)


def uninstall() -> None:
    """Put every true function back."""
    global _find, _before_sleep  # noqa: PLW0603
    _find = _before_sleep = None
    for name, ours in _OURS.items():
        if getattr(time, name) is ours:
            setattr(time, name, _TRUE[name])
    _early.restore(_true_by_ours)  # in modules that were imported meanwhile, too
