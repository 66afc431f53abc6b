"""trio runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import pytest
import trio
import trio.testing

from pytest_llmfaults._clock import _limits, _timeline
from pytest_llmfaults.errors import SpinsForever, WaitsForever

from .conftest import running

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_llmfaults._clock import Clock


def near(seconds: float | list[int]) -> Any:
    return pytest.approx(seconds, abs=1e-9)


def run(virtual: Clock, main: Callable[[], Awaitable[None]], **more: Any) -> None:
    async def joined() -> None:
        virtual.join()
        await main()

    trio.run(joined, **more)


def test_sleeps_at_once_cost_the_longest(clock: Clock) -> None:
    order: list[int] = []

    async def nap(length: int) -> None:
        await trio.sleep(length)
        order.append(length)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for length in (1, 3, 2):
                nursery.start_soon(nap, length)
        assert clock.seconds == near(3)
        await anyio.sleep(0.2)
        assert clock.seconds == near(3.2)

    run(clock, main)
    assert order == [1, 2, 3]


def test_clocks_agree(clock: Clock) -> None:
    async def main() -> None:
        before = trio.current_time(), time.monotonic(), time.time()
        await trio.sleep(80_000)
        for start, end in zip(before, (trio.current_time(), time.monotonic(), time.time()), strict=True):
            assert 80_000 - 1e-3 <= end - start < 80_060

    run(clock, main)


@pytest.mark.parametrize("length", [30.0, None])
def test_a_timeout_fires_at_its_time(clock: Clock, length: float | None) -> None:
    async def main() -> None:
        with trio.move_on_after(5) as scope:
            await clock.async_wait(length)
        assert scope.cancelled_caught
        assert clock.seconds == near(5)
        with pytest.raises(TimeoutError):
            with anyio.fail_after(5):
                await clock.async_wait(length)
        with trio.move_on_after(5):
            await trio.sleep(2)
            await trio.sleep(30)
        assert clock.seconds == near(15)

    run(clock, main)


def test_a_heartbeat_beside_a_stall(clock: Clock) -> None:
    beats: list[float] = []

    async def heartbeat() -> None:
        while True:
            await trio.sleep(15)
            beats.append(clock.seconds)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(heartbeat)
            await clock.async_wait(100)
            nursery.cancel_scope.cancel()
        assert clock.seconds == near(100)

    run(clock, main)
    assert beats == near([15, 30, 45, 60, 75, 90])


def test_a_hedged_request_wins(clock: Clock) -> None:
    winner: list[str] = []

    async def ask(name: str, length: float, cancel: trio.CancelScope) -> None:
        await clock.async_wait(length)
        winner.append(name)
        cancel.cancel()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, "primary", 600, nursery.cancel_scope)
            await trio.sleep(2)
            nursery.start_soon(ask, "second", 1, nursery.cancel_scope)
        assert clock.seconds == near(3)

    run(clock, main)
    assert winner == ["second"]


def test_a_wait_for_ever_that_nothing_can_end(clock: Clock) -> None:
    async def main() -> None:
        with pytest.raises(WaitsForever):
            await clock.async_wait(None)
        assert clock.seconds == 0
        await trio.sleep(1)

    run(clock, main)


def test_a_wait_for_ever_beside_a_heartbeat(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_limits, "PATIENCE_NS", 3600 * 10**9)

    async def heartbeat() -> None:
        while True:  # noqa: ASYNC110 - what is tested
            await trio.sleep(60)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(heartbeat)
            with pytest.raises(WaitsForever):
                await clock.async_wait(None)
            assert 3600 <= clock.seconds <= 3661
            nursery.cancel_scope.cancel()

    run(clock, main)


@pytest.mark.parametrize("own_limiter", [True, False])
def test_work_in_a_thread_is_unharmed(clock: Clock, own_limiter: bool) -> None:
    done: list[str] = []

    async def work() -> None:
        with trio.fail_after(30):
            limiter = trio.CapacityLimiter(1) if own_limiter else None
            await trio.to_thread.run_sync(time.sleep, 0.1, limiter=limiter)
            await anyio.to_thread.run_sync(time.sleep, 0.05)
        done.append("work")

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(work)
            await trio.sleep(60)
            done.append("sleep")
        assert clock.seconds == pytest.approx(60, abs=1)

    run(clock, main)
    assert done == ["work", "sleep"]


def test_a_real_server_is_unharmed(clock: Clock, server: int) -> None:
    async def ask() -> None:
        with trio.fail_after(60):  # a guard alone takes true time
            async with await trio.open_tcp_stream("127.0.0.1", server) as stream:
                await stream.send_all(b"GET / HTTP/1.0\r\n\r\n")
                answer = b"".join([chunk async for chunk in stream])
        assert answer.endswith(b"true")

    async def echo(stream: trio.SocketStream) -> None:
        async for chunk in stream:
            await stream.send_all(chunk)

    async def main() -> None:
        await ask()
        assert clock.seconds == 0
        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(trio.serve_tcp, echo, 0)
            nursery.start_soon(trio.sleep, 60)
            stream = await trio.testing.open_stream_to_socket_listener(listeners[0])
            with trio.fail_after(30):
                for _ in range(20):
                    await stream.send_all(b"hello")
                    assert await stream.receive_some() == b"hello"
            await trio.sleep(60)
            await stream.aclose()
            nursery.cancel_scope.cancel()

    run(clock, main)


def test_a_real_reply_has_its_grace_beside_a_sleep(clock: Clock, server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_limits, "_GRACE", 10.0)  # so that a slow machine makes no difference

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 60)
            with trio.fail_after(30):
                async with await trio.open_tcp_stream("127.0.0.1", server) as stream:
                    await stream.send_all(b"GET / HTTP/1.0\r\n\r\n")
                    assert b"".join([chunk async for chunk in stream]).endswith(b"true")
            nursery.cancel_scope.cancel()
        assert clock.seconds == 0

    run(clock, main)


def test_a_task_that_slept_before_the_clock_joined(clock: Clock) -> None:
    beats = 0

    async def heartbeat() -> None:
        nonlocal beats
        while True:
            await trio.sleep(15)
            beats += 1

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(heartbeat)
            await trio.testing.wait_all_tasks_blocked()
            await clock.async_wait(100)
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert beats == 6


def test_wait_all_tasks_blocked_still_works(clock: Clock) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 100)
            await trio.testing.wait_all_tasks_blocked()
            assert clock.seconds == 0
            await trio.testing.wait_all_tasks_blocked(0.01)
            assert clock.seconds == 0

    run(clock, main)


def test_stop_inside_a_run_goes_on_in_true_time() -> None:
    async def main() -> None:
        before = trio.current_time()
        for _ in range(3):
            with running() as clock:
                with trio.fail_after(1000):
                    await trio.sleep(900)
                assert clock.seconds == near(900)
            now = trio.current_time()
            await trio.sleep(0.01)
            assert trio.current_time() > now
        assert 2700 <= trio.current_time() - before < 2800

    trio.run(main)


def test_a_clock_of_the_user_is_left_alone(clock: Clock) -> None:
    async def main() -> None:
        with trio.move_on_after(5):
            await clock.async_wait(None)
        await clock.async_wait(10)
        assert clock.seconds == 10
        assert trio.current_time() == 15

    run(clock, main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert clock.notes == ["trio runs on a MockClock: its time was left to it"]


def test_a_trio_that_keeps_its_clock_elsewhere(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("trio._core._run.GLOBAL_RUN_CONTEXT")

    def main() -> None:
        from pytest_llmfaults._clock import _trio

        with pytest.raises(RuntimeError, match=f"cannot set the clock of trio {trio.__version__}"):
            _trio._runner()

    main()
    assert clock.seconds == 0


def test_a_blocking_sleep_moves_the_run(clock: Clock) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 10)
            await trio.testing.wait_all_tasks_blocked()
            time.sleep(20)  # noqa: ASYNC251
        assert clock.seconds == 20

    run(clock, main)


def test_a_run_that_turns_for_ever_still_ends_in_true_time(frozen: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_timeline, "MOST_READS", 100)

    async def main() -> None:
        with trio.move_on_after(0.01):
            while True:
                await trio.lowlevel.checkpoint()
        assert frozen.seconds == 0

    run(frozen, main)


async def poll(end: float) -> None:
    while trio.current_time() < end:
        await trio.lowlevel.checkpoint()


def test_polling_the_clock_of_the_run_ends(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_timeline, "MOST_READS", 100)

    async def main() -> None:
        await poll(trio.current_time() + 0.01)
        assert clock.seconds == 0

    run(clock, main)


def test_polling_a_frozen_clock_of_the_run_is_an_error(frozen: Clock) -> None:
    async def main() -> None:
        for _ in range(11_000):  # those who read it by trade do not poll
            with anyio.move_on_after(1):  # noqa: ASYNC100 - what is tested
                pass
        with pytest.raises(SpinsForever):
            await poll(trio.current_time() + 100)
        await trio.sleep(1)
        assert frozen.seconds == near(1)

    run(frozen, main)
