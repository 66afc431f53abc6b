"""asyncio loops: asyncio's own and uvloop."""

from __future__ import annotations

import asyncio
import math
import selectors
import subprocess
import sys
import threading
import time
import urllib.request
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import pytest
import uvloop

from pytest_llmfaults._clock import _limits, _loop, _timeline
from pytest_llmfaults.errors import SpinsForever, WaitsForever

from .conftest import running

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pytest_llmfaults._clock import Clock

    Run = Callable[[Coroutine[Any, Any, Any]], Any]

OVERRIDES = ("time", "call_at", "call_later", "call_soon", "call_soon_threadsafe", "run_in_executor")


def on_selector_loop(main: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(main)


def on_other_selector(main: Coroutine[Any, Any, Any]) -> Any:
    loop = asyncio.SelectorEventLoop(selectors.SelectSelector())
    try:
        return loop.run_until_complete(main)
    finally:
        loop.close()


def on_debug_loop(main: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(main, debug=True)


def on_uvloop(main: Coroutine[Any, Any, Any]) -> Any:
    loop = uvloop.new_event_loop()
    try:
        return loop.run_until_complete(main)
    finally:
        loop.close()


@pytest.fixture(
    params=[on_selector_loop, on_other_selector, on_debug_loop, on_uvloop], ids=lambda run: run.__name__[3:]
)
def run(request: pytest.FixtureRequest) -> Run:
    return request.param  # type: ignore[no-any-return]


async def poll(loop: asyncio.AbstractEventLoop, end: float) -> None:
    while loop.time() < end:  # noqa: ASYNC110 - what is tested
        await asyncio.sleep(0)


async def within(seconds: float, work: Coroutine[Any, Any, Any]) -> Any:
    """`asyncio.timeout` on every Python."""
    return await asyncio.wait_for(work, seconds)


def test_sleeps_at_once_cost_the_longest(clock: Clock, run: Run) -> None:
    order: list[int] = []

    async def nap(length: int) -> None:
        await asyncio.sleep(length)
        order.append(length)

    async def main() -> None:
        clock.join()
        await asyncio.gather(nap(1), nap(3), nap(2))
        assert clock.seconds == 3
        await asyncio.sleep(0.1)
        await anyio.sleep(0.2)
        assert clock.nanoseconds == 3_300_000_000

    run(main())
    assert order == [1, 2, 3]


def test_clocks_agree_with_the_loop(clock: Clock, run: Run) -> None:
    async def main() -> None:
        clock.join()
        loop = asyncio.get_running_loop()
        before = loop.time(), time.monotonic(), time.time()
        await asyncio.sleep(100_000)
        after = loop.time(), time.monotonic(), time.time()
        for start, end in zip(before, after, strict=True):
            assert 100_000 - 1e-3 <= end - start < 100_060

    run(main())


@pytest.mark.parametrize("length", [30.0, None])
def test_a_timeout_fires_at_its_time(clock: Clock, run: Run, length: float | None) -> None:
    async def main() -> None:
        clock.join()
        with pytest.raises(asyncio.TimeoutError):
            await within(5, clock.async_wait(length))
        assert clock.seconds == 5
        with pytest.raises(TimeoutError):
            with anyio.fail_after(5):
                await clock.async_wait(length)
        assert clock.seconds == 10
        with anyio.move_on_after(5) as scope:
            await anyio.sleep(30)
        assert scope.cancelled_caught
        assert clock.seconds == 15

    run(main())


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio.timeout is new in 3.11")
def test_asyncio_timeout(clock: Clock, run: Run) -> None:
    timeout: Any = asyncio.timeout  # type: ignore[attr-defined, unused-ignore] # the oldest Python lacks it

    async def nap() -> None:
        async with timeout(5):
            await asyncio.sleep(2)
            await asyncio.sleep(30)

    async def main() -> None:
        clock.join()
        with pytest.raises(TimeoutError):
            await nap()
        assert clock.seconds == 5
        async with timeout(5):
            await asyncio.sleep(2)
            await asyncio.sleep(2.9)
        assert clock.seconds == 9.9

    run(main())


def test_a_heartbeat_beside_a_stall(clock: Clock, run: Run) -> None:
    beats: list[float] = []

    async def heartbeat() -> None:
        while True:
            await asyncio.sleep(15)
            beats.append(clock.seconds)

    async def main() -> None:
        clock.join()
        task = asyncio.ensure_future(heartbeat())
        await clock.async_wait(100)
        task.cancel()
        assert clock.seconds == 100

    run(main())
    assert beats == [15, 30, 45, 60, 75, 90]


def test_a_hedged_request_wins(clock: Clock, run: Run) -> None:
    async def main() -> None:
        clock.join()
        primary = asyncio.ensure_future(clock.async_wait(600))
        done, _ = await asyncio.wait({primary}, timeout=2)
        assert not done
        second = asyncio.ensure_future(clock.async_wait(1))
        done, _ = await asyncio.wait({primary, second}, return_when=asyncio.FIRST_COMPLETED)
        assert done == {second}
        assert clock.seconds == 3
        primary.cancel()

    run(main())


def test_a_wait_for_ever_that_nothing_can_end(clock: Clock, run: Run) -> None:
    async def main() -> None:
        with pytest.raises(WaitsForever):
            await clock.async_wait(None)
        assert clock.seconds == 0

    run(main())


def test_a_wait_for_ever_beside_a_heartbeat(clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_limits, "PATIENCE_NS", 3600 * 10**9)

    async def heartbeat() -> None:
        while True:  # noqa: ASYNC110 - what is tested
            await asyncio.sleep(60)

    async def main() -> None:
        clock.join()
        task = asyncio.ensure_future(heartbeat())
        with pytest.raises(WaitsForever):
            await clock.async_wait(None)
        assert 3600 <= clock.seconds <= 3660
        task.cancel()

    run(main())


def test_a_wait_for_ever_can_be_cancelled_and_is_forgotten(clock: Clock, run: Run) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(clock.async_wait(None))
        await asyncio.sleep(0)
        clock.join()
        await asyncio.sleep(1000)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(1)
        assert clock.seconds == 1001

    run(main())


@pytest.mark.parametrize("to_thread", [asyncio.to_thread, anyio.to_thread.run_sync], ids=["asyncio", "anyio"])
def test_work_in_a_thread_is_unharmed(clock: Clock, run: Run, to_thread: Any) -> None:
    async def main() -> None:
        clock.join()
        nap = asyncio.ensure_future(asyncio.sleep(60))
        assert await within(30, to_thread(time.sleep, 0.1)) is None
        assert not nap.done()
        await nap
        assert clock.seconds == 60

    run(main())


def test_a_real_server_is_unharmed(clock: Clock) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def ask(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"hello\n")
        line = await reader.readline()
        writer.close()
        await writer.wait_closed()
        return line

    async def main() -> None:
        clock.join()
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        nap = asyncio.ensure_future(asyncio.sleep(60))
        for _ in range(20):
            assert await within(30, ask(port)) == b"hello\n"
        assert not nap.done()
        await nap
        assert clock.seconds == 60
        server.close()

    asyncio.run(main())


def test_a_timeout_around_real_work_alone_takes_true_time(clock: Clock, run: Run, server: int) -> None:
    async def ask() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", server)
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return answer

    async def main() -> None:
        clock.join()
        assert (await within(60, ask())).endswith(b"true")
        assert clock.seconds == 0
        await asyncio.sleep(1)
        with pytest.raises(asyncio.TimeoutError):  # a guard alone fires in true time
            await within(0.02, asyncio.Event().wait())
        assert clock.seconds == 1

    run(main())


def test_a_real_reply_has_its_grace_beside_a_sleep(clock: Clock, server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_limits, "_GRACE", 10.0)  # so that a slow machine makes no difference

    async def main() -> None:
        clock.join()
        nap = asyncio.ensure_future(asyncio.sleep(60))
        reader, writer = await asyncio.open_connection("127.0.0.1", server)
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        assert (await within(30, reader.read())).endswith(b"true")
        writer.close()
        assert not nap.done()
        nap.cancel()
        assert clock.seconds == 0

    asyncio.run(main())


def test_a_task_that_slept_before_the_clock_joined(clock: Clock) -> None:
    beats = 0

    async def heartbeat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(15)
            beats += 1

    async def guarded() -> None:
        await within(40, asyncio.Event().wait())

    async def main() -> None:
        tasks = [asyncio.ensure_future(heartbeat()), asyncio.ensure_future(guarded())]
        await asyncio.sleep(0)
        clock.join()
        await asyncio.sleep(35)
        assert clock.seconds == 35
        assert beats == 2
        assert not tasks[1].done()
        await asyncio.sleep(10)
        assert clock.seconds == 45
        assert isinstance(tasks[1].exception(), asyncio.TimeoutError)
        tasks[0].cancel()

    asyncio.run(main())
    assert beats == 3


def test_a_guard_that_was_set_before_the_first_request(clock: Clock, run: Run) -> None:
    async def request() -> None:
        await asyncio.sleep(0)
        await within(600, clock.async_wait(None))

    async def main() -> None:
        before = asyncio.ensure_future(asyncio.sleep(10))
        cancelled = asyncio.get_running_loop().call_later(5, print)
        fired = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.001, fired.set_result, None)
        await fired
        asyncio.get_running_loop().call_later(1, cancelled.cancel)
        with pytest.raises(asyncio.TimeoutError):
            await within(30, request())
        assert clock.seconds == pytest.approx(30, abs=1)
        assert before.done()

    run(main())


def test_only_a_heartbeat_from_before(clock: Clock, run: Run) -> None:
    async def main() -> None:
        nap = asyncio.ensure_future(asyncio.sleep(1000))
        await asyncio.sleep(0)
        clock.join()
        await nap
        assert clock.seconds == pytest.approx(1000, abs=1)

    run(main())


def test_a_blocking_sleep_moves_the_loop(clock: Clock, run: Run) -> None:
    async def main() -> None:
        clock.join()
        nap = asyncio.ensure_future(asyncio.sleep(10))
        await asyncio.sleep(0)
        time.sleep(20)  # noqa: ASYNC251
        await nap
        assert clock.seconds == 20

    run(main())


def test_sleep_zero_is_a_turn(clock: Clock, run: Run) -> None:
    order: list[str] = []

    async def other() -> None:
        order.append("other")

    async def main() -> None:
        clock.join()
        task = asyncio.ensure_future(other())
        await asyncio.sleep(0)
        order.append("main")
        await task

    run(main())
    assert order == ["other", "main"]
    assert clock.seconds == 0


def test_a_hundred_clients(clock: Clock, run: Run) -> None:
    seen: list[float] = []

    async def client(number: int) -> None:
        for attempt in range(3):
            clock.join()
            start = clock.seconds
            await asyncio.sleep(0.5 * 2**attempt + number / 1000)
            seen.append(clock.seconds - start)

    async def main() -> None:
        await asyncio.gather(*(client(number) for number in range(100)))

    run(main())
    assert len(seen) == 300
    assert clock.seconds == pytest.approx(3.5 + 3 * 0.099, abs=1e-9)


def test_call_later(clock: Clock, run: Run) -> None:
    fired: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        clock.call_later(loop, 600, fired.append, "600")
        clock.call_later(loop, 100, fired.append, "100")
        clock.call_later(loop, 50, fired.append, "cancelled").cancel()
        handle = clock.call_later(loop, 10_000, fired.append, "cancelled")
        end = loop.create_future()
        clock.call_later(loop, 700, end.set_result, None)
        await end
        assert clock.seconds == 700
        handle.cancel()
        assert handle.cancelled()

    run(main())
    assert fired == ["100", "600"]


def test_the_loop_is_given_back(run: Run) -> None:
    async def main() -> None:
        loop: Any = asyncio.get_running_loop()
        before = {key: value for key, value in loop.__dict__.items() if key != "_current_handle"}
        true = loop.time()
        with running() as clock:
            nap = asyncio.ensure_future(asyncio.sleep(100_000.01))
            await asyncio.sleep(100_000)
            assert loop.time() - true >= 99_999
            assert clock.seconds == 100_000
        assert {key: value for key, value in loop.__dict__.items() if key in before} == before
        assert not set(OVERRIDES) & (set(loop.__dict__) - set(before))
        assert loop.time() - true < 50_000
        await asyncio.wait_for(nap, 20)  # what was left of its sleep, in true time

    run(main())


def test_stop_after_the_loop_was_closed(run: Run) -> None:
    loops: list[Any] = []

    async def main(clock: Clock) -> None:
        loops.append(asyncio.get_running_loop())
        clock.join()
        asyncio.get_running_loop().call_later(50, print)
        await asyncio.sleep(1)

    with running() as clock:
        run(main(clock))
        run(main(clock))
        assert clock.seconds == 2
    assert not any(set(OVERRIDES) & set(loop.__dict__) for loop in loops)
    assert not {"call_later", "call_at"} & set(vars(uvloop.Loop))


def test_a_loop_in_another_thread_is_given_back_too() -> None:
    joined, leave = threading.Event(), threading.Event()
    result: list[object] = []

    async def main(clock: Clock) -> None:
        await clock.async_wait(1000)
        joined.set()
        await asyncio.to_thread(leave.wait)
        await asyncio.sleep(0)
        result.append(set(OVERRIDES) & set(asyncio.get_running_loop().__dict__))

    with running() as clock:
        thread = threading.Thread(target=lambda: asyncio.run(main(clock)))
        thread.start()
        joined.wait()
        assert clock.seconds == 0
        assert clock.elapsed_seconds == 1000
    leave.set()
    thread.join()
    assert result == [set()]


def test_polling_the_loop_clock_ends(clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_timeline, "MOST_READS", 100)

    async def main() -> None:
        clock.join()
        loop = asyncio.get_running_loop()
        end = loop.time() + 0.01
        await poll(loop, end)
        assert clock.seconds == 0

    run(main())


def test_a_loop_that_turns_for_ever_still_ends_in_true_time(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_timeline, "MOST_READS", 100)

    async def main(clock: Clock) -> None:
        clock.join()
        nap = asyncio.ensure_future(asyncio.sleep(0.01))
        while not nap.done():  # noqa: ASYNC110 - what is tested
            await asyncio.sleep(0)
        assert clock.nanoseconds == 10_000_000

    with running(frozen=True) as clock:
        run(main(clock))


def test_polling_a_frozen_loop_clock_is_an_error(frozen: Clock, run: Run) -> None:
    async def main() -> None:
        frozen.join()
        loop = asyncio.get_running_loop()
        end = loop.time() + 100
        with pytest.raises(SpinsForever):
            await poll(loop, end)
        await asyncio.sleep(1)
        assert frozen.seconds == 1

    run(main())


def test_computing_does_not_reorder_deadlines(clock: Clock) -> None:
    async def main() -> None:
        clock.join()
        guard = asyncio.ensure_future(within(0.05, asyncio.sleep(0.04)))
        await asyncio.sleep(0)
        end = time.perf_counter() + 0.06
        while time.perf_counter() < end:
            pass
        await guard
        assert clock.seconds == 0.04

    asyncio.run(main())


def test_exactness_survives_true_waiting(clock: Clock) -> None:
    async def main() -> None:
        clock.join()
        await asyncio.to_thread(time.sleep, 0.02)
        nap = asyncio.ensure_future(asyncio.sleep(1))
        await asyncio.to_thread(time.sleep, 0.02)
        await nap
        assert clock.seconds == 1
        await asyncio.sleep(1)
        assert clock.seconds == 2

    asyncio.run(main())


def test_whole_numbers_on_the_loop_clock(frozen: Clock, run: Run) -> None:
    """As aiohttp counts: it rounds a long deadline up on the loop's clock."""

    async def main() -> None:
        frozen.join()
        loop = asyncio.get_running_loop()
        end = loop.create_future()
        loop.call_at(math.ceil(loop.time() + 300), end.set_result, None)
        nap = asyncio.ensure_future(asyncio.sleep(1000))
        await end
        assert frozen.seconds == 300
        nap.cancel()

    run(main())


def test_asyncio_still_sleeps_by_the_callback_we_know() -> None:
    assert _loop._SLEEP is not None

    seen: list[object] = []

    async def main() -> None:
        loop: Any = asyncio.get_running_loop()
        true = loop.call_later

        def spy(delay: float, callback: Callable[..., object], *args: Any, **more: Any) -> asyncio.TimerHandle:
            seen.append(callback)
            handle: asyncio.TimerHandle = true(delay, callback, *args, **more)
            return handle

        loop.call_later = spy
        await asyncio.sleep(0.001)

    asyncio.run(main())
    assert seen == [_loop._SLEEP]


def test_a_subprocess_beside_no_sleep_takes_true_time(clock: Clock) -> None:
    async def main() -> None:
        clock.join()
        process = await asyncio.create_subprocess_exec(sys.executable, "-S", "-c", "print(1)", stdout=subprocess.PIPE)
        out, _ = await within(60, process.communicate())
        assert out.strip() == b"1"
        assert clock.seconds == 0

    asyncio.run(main())


def test_a_request_from_a_thread_pool(clock: Clock, server: int) -> None:
    def fetch() -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{server}/") as reply:
            return bytes(reply.read())

    async def main() -> None:
        clock.join()
        nap = asyncio.ensure_future(asyncio.sleep(60))
        assert await within(10, asyncio.to_thread(fetch)) == b"true"
        await nap
        assert clock.seconds == 60

    asyncio.run(main())
