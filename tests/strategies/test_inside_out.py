"""A function that asks, turned inside out: who asks and who answers take turns."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable

import pytest

from pytest_llmfaults._strategies.inside_out import inside_out


def asking(ask: Callable[[int], bool]) -> list[int]:
    """Return the numbers that somebody likes."""
    return [number for number in range(5) if ask(number)]


def names() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def test_what_is_asked_is_yielded_and_the_result_returned() -> None:
    asked = inside_out(asking)
    seen = [next(asked)]
    seen += [asked.send(number % 2 == 0) for number in range(4)]
    assert seen == [0, 1, 2, 3, 4]
    with pytest.raises(StopIteration) as stop:
        asked.send(True)
    assert stop.value.value == [0, 2, 4]
    assert "llmfaults-search" not in names()


def test_what_the_function_raises_is_raised() -> None:
    def failing(ask: Callable[[int], bool]) -> None:
        ask(1)
        raise LookupError

    asked = inside_out(failing)
    assert next(asked) == 1
    with pytest.raises(LookupError):
        asked.send(True)


def test_an_end_by_whoever_answers_ends_the_function() -> None:
    ended: list[str] = []

    def endless(ask: Callable[[int], bool]) -> None:
        try:
            while True:
                ask(1)
        except Exception:  # noqa: BLE001 - such code must not keep it alive
            ended.append("swallowed")
        finally:
            ended.append("ended")

    asked = inside_out(endless)
    next(asked)
    asked.close()
    assert ended == ["ended"]
    assert "llmfaults-search" not in names()


def test_what_the_function_sets_is_not_seen_outside() -> None:
    before = sys.getrecursionlimit()
    inner: list[int] = []

    def setting(ask: Callable[[int], bool]) -> None:
        sys.setrecursionlimit(before + 777)
        random.seed(1)
        try:
            ask(1)
            inner.append(sys.getrecursionlimit())
        finally:
            sys.setrecursionlimit(before)

    random.seed(5)
    expected = [random.random() for _ in range(2)]  # noqa: S311
    random.seed(5)
    asked = inside_out(setting)
    next(asked)
    assert sys.getrecursionlimit() == before
    assert random.random() == expected[0]  # noqa: S311
    with pytest.raises(StopIteration):
        asked.send(False)
    assert inner == [before + 777]
    assert random.random() == expected[1]  # noqa: S311
