"""Retry libraries end where they would end in truth."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

import backoff
import pytest
import stamina
import tenacity
import trio
import urllib3.util
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import running

if TYPE_CHECKING:
    from pytest_llmfaults._clock import Clock


@pytest.fixture(autouse=True)
def _stamina() -> None:
    stamina.set_active(True)


class Flaky:
    """Fails always, as a request would that joins the clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.at: list[float] = []

    def __call__(self) -> None:
        self.clock.join()
        self.at.append(self.clock.seconds)
        raise ConnectionError

    async def later(self) -> None:
        self()


def test_tenacity(clock: Clock) -> None:
    flaky = Flaky(clock)
    retry = tenacity.Retrying(wait=tenacity.wait_fixed(2), stop=tenacity.stop_after_delay(7), reraise=True)
    with pytest.raises(ConnectionError):
        retry(flaky)
    assert flaky.at == [0, 2, 4, 6, 8]


def test_tenacity_on_an_event(clock: Clock) -> None:
    flaky = Flaky(clock)
    original = tenacity.sleep_using_event.__call__
    event = threading.Event()
    retry = tenacity.Retrying(
        sleep=tenacity.sleep_using_event(event),
        wait=tenacity.wait_fixed(1000),
        stop=tenacity.stop_after_attempt(3),
    )
    with pytest.raises(tenacity.RetryError):
        retry(flaky)
    assert flaky.at == [0, 1000, 2000]
    event.set()  # a set event ends the wait at once
    with pytest.raises(tenacity.RetryError):
        retry(flaky)
    assert flaky.at[3:] == [2000, 2000, 2000]
    clock.stop()
    assert tenacity.sleep_using_event.__call__ is original


@pytest.mark.parametrize("run", [asyncio.run, trio.run], ids=["asyncio", "trio"])
def test_tenacity_async(clock: Clock, run: object) -> None:
    flaky = Flaky(clock)

    async def main() -> None:
        clock.join()
        retry = tenacity.AsyncRetrying(wait=tenacity.wait_fixed(2), stop=tenacity.stop_after_delay(7), reraise=True)
        with pytest.raises(ConnectionError):
            await retry(flaky.later)

    asyncio.run(main()) if run is asyncio.run else trio.run(main)
    assert flaky.at == pytest.approx([0, 2, 4, 6, 8], abs=1e-9)


def test_stamina(clock: Clock) -> None:
    flaky = Flaky(clock)
    retry = stamina.retry(on=ConnectionError, attempts=None, timeout=10, wait_initial=3, wait_max=3, wait_jitter=0)
    with pytest.raises(ConnectionError):
        retry(flaky.__call__)()
    assert flaky.at == [0, 3, 6, 9, 12]  # tenacity's stop_after_delay underneath


def test_stamina_async(clock: Clock) -> None:
    flaky = Flaky(clock)
    retry = stamina.retry(on=ConnectionError, attempts=None, timeout=10, wait_initial=3, wait_max=3, wait_jitter=0)

    async def main() -> None:
        clock.join()
        with pytest.raises(ConnectionError):
            await retry(flaky.later)()

    asyncio.run(main())
    assert flaky.at == [0, 3, 6, 9, 12]  # tenacity's stop_after_delay underneath


def test_backoff(clock: Clock) -> None:
    flaky = Flaky(clock)
    retry = backoff.on_exception(backoff.constant, ConnectionError, max_time=10, interval=3, jitter=None)
    with pytest.raises(ConnectionError):
        retry(flaky.__call__)()
    assert flaky.at[:4] == [0, 3, 6, 9]
    assert flaky.at[-1] <= 10  # the last wait is cut to what is left of the budget


def test_urllib3(clock: Clock) -> None:
    retry = urllib3.util.Retry(total=5, backoff_factor=1)
    for _ in range(4):
        retry = retry.increment("GET", "/", error=ConnectionError())
        retry.sleep()
    assert clock.seconds == 0 + 2 + 4 + 8


def test_hypothesis_sees_no_slow_example() -> None:
    calls = 0

    @settings(deadline=200, max_examples=30, database=None)
    @given(st.integers())
    def example(_: int) -> None:
        nonlocal calls
        calls += 1
        with running() as clock:
            time.sleep(30)
            assert clock.seconds == 30

    example()
    assert calls == 30


def test_hypothesis_keeps_its_budget_for_shrinking() -> None:
    smallest: list[int] = []

    @settings(deadline=200, max_examples=200, database=None, derandomize=True)
    @given(st.lists(st.integers(0, 10_000)))
    def example(numbers: list[int]) -> None:
        time.sleep(30)
        if sum(numbers) >= 1000:
            smallest[:] = numbers
            raise LookupError

    with running(), pytest.raises(LookupError):
        example()
    assert smallest == [1000]
