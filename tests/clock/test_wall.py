"""Wall clocks, and others who move them."""

from __future__ import annotations

import datetime as dt
import logging
import sys
import time
import types
from typing import TYPE_CHECKING

import time_machine

from pytest_llmfaults._clock import Clock

from .conftest import running

if TYPE_CHECKING:
    import pytest


def test_nothing_travels_before_virtual_time_moves(clock: Clock) -> None:
    clock.join()
    assert not time_machine.escape_hatch.is_travelling()
    time.sleep(1)
    assert time_machine.escape_hatch.is_travelling()
    clock.stop()
    assert not time_machine.escape_hatch.is_travelling()


def test_a_travel_of_the_user_is_left_alone() -> None:
    with time_machine.travel(0, tick=False), running() as clock:
        time.sleep(1000)
        time.sleep(1000)
        assert time.time() == 0
        assert clock.seconds == 2000
        assert clock.notes == ["the wall clock was not moved: time-machine holds it in this test"]
        clock.stop()
        assert time.time() == 0


def test_a_travel_that_the_user_begins_later_and_ends_last() -> None:
    wall = time.time()
    clock = Clock()
    clock.start()
    time.sleep(100_000)
    with time_machine.travel(0, tick=False):
        assert time.time() == 0
        time.sleep(1000)
        clock.stop()
        assert time.time() == 0
    assert not time_machine.escape_hatch.is_travelling()
    assert abs(time.time() - wall) < 50_000


def test_tools_may_read_a_frozen_wall_clock(frozen: Clock) -> None:
    time.sleep(1)
    record = logging.getLogger("x").makeRecord
    for _ in range(10_100):
        record("x", 10, "x", 1, "x", (), None)
    assert frozen.seconds == 1


def test_a_frozen_wall_clock_stands_at_a_whole_second_of_the_true_time() -> None:
    before = time.time()
    with running(frozen=True):
        first = time.time()
        assert first.is_integer()
        assert first >= before
        time.sleep(0.25)
        assert time.time() == first + 0.25


def test_freezegun_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class FakeDatetime(dt.datetime):
        pass

    monkeypatch.setitem(sys.modules, "freezegun", types.ModuleType("freezegun"))
    monkeypatch.setattr(dt, "datetime", FakeDatetime)
    wall = time.time()
    with running() as clock:
        time.sleep(100_000)
        assert time.time() - wall < 50_000
        assert "freezegun" in clock.notes[0]
        assert clock.seconds == 100_000


def test_the_wall_clock_ticks(clock: Clock) -> None:
    time.sleep(1)
    before = time.time_ns()
    while time.time_ns() == before:
        pass
    assert clock.seconds == 1
