"""A function that asks a callback about one value after the other, turned inside out: a generator of these values.

So what is asked can be answered by code that has to wait in an event loop. The function runs in a thread of its own;
it and the generator's user take turns and never run at the same time.
"""

from __future__ import annotations

import dataclasses
import queue
import random
import sys
import threading
from collections.abc import Callable, Generator
from typing import Final, Generic, TypeVar

__all__ = ["Ask", "inside_out"]

_T = TypeVar("_T")
_R = TypeVar("_R")
Ask = Callable[[_T], bool]
"""Asks about a value."""

_STOP: Final = object()


class _Stopped(BaseException):
    """Nobody will answer any more."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Asked(Generic[_T]):
    value: _T


@dataclasses.dataclass(frozen=True, slots=True)
class _Ended(Generic[_R]):
    result: _R | None
    error: BaseException | None


def inside_out(function: Callable[[Ask[_T]], _R]) -> Generator[_T, bool, _R]:
    """Yield each value that ``function`` asks about, take the answer by ``send``, and return what it returns.

    Closing the generator ends the function. While a value is out, the recursion limit and the state of the module
    ``random`` are those of before, whatever the function has set them to.

    Raises:
        BaseException: what the function raises.
    """
    asked: queue.SimpleQueue[_Asked[_T] | _Ended[_R]] = queue.SimpleQueue()
    told: queue.SimpleQueue[object] = queue.SimpleQueue()

    def ask(value: _T) -> bool:
        asked.put(_Asked(value))
        answer = told.get()
        if answer is _STOP:
            raise _Stopped
        return bool(answer)

    def work() -> None:
        try:
            asked.put(_Ended(function(ask), None))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread of whoever asks
            asked.put(_Ended(None, error))

    limit, state = sys.getrecursionlimit(), random.getstate()
    thread = threading.Thread(target=work, name="llmfaults-search", daemon=True)
    thread.start()
    try:
        while True:
            event = asked.get()
            if isinstance(event, _Ended):
                if event.error is not None:
                    raise event.error
                return event.result  # type: ignore[return-value]  # no error: it is there
            inner = sys.getrecursionlimit(), random.getstate()
            sys.setrecursionlimit(limit)
            random.setstate(state)
            try:
                answer = yield event.value
            finally:
                state = random.getstate()
                sys.setrecursionlimit(inner[0])
                random.setstate(inner[1])
            told.put(answer)
    finally:
        told.put(_STOP)
        thread.join()
        random.setstate(state)
