"""`time.sleep` and its clocks, and which threads see them."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
import queue
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor
from time import monotonic as early_monotonic
from time import sleep as early_sleep
from typing import TYPE_CHECKING, Any

import pytest
import time_machine

from pytest_llmfaults._clock import Clock
from pytest_llmfaults.errors import SpinsForever, WaitsForever

from .conftest import running

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = 100_000.0  # nobody waits that long in truth
TRUE = {name: getattr(time, name) for name in ("sleep", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")}


def in_thread(function: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_a_sleep_moves_time_by_exactly_its_length(clock: Clock) -> None:
    for length in (1.0, 0.1, 0.2, 30, LONG):
        before = clock.nanoseconds
        time.sleep(length)
        assert clock.nanoseconds - before == round(length * 1e9)
    assert clock.seconds == 1.0 + 0.3 + 30 + LONG
    assert clock.elapsed_seconds == clock.seconds


def test_ten_short_sleeps_are_one_second(clock: Clock) -> None:
    for _ in range(10):
        time.sleep(0.1)
    assert clock.seconds == 1.0


def test_computing_is_not_virtual_time(clock: Clock) -> None:
    end = TRUE["monotonic"]() + 0.01
    while TRUE["monotonic"]() < end:
        pass
    assert clock.seconds == 0


def test_all_clocks_agree(clock: Clock) -> None:
    def read() -> list[float]:
        return [
            time.monotonic(),
            time.monotonic_ns() / 1e9,
            time.perf_counter(),
            time.perf_counter_ns() / 1e9,
            time.time(),
            time.time_ns() / 1e9,
            dt.datetime.now().timestamp(),  # noqa: DTZ005
            dt.datetime.now(dt.timezone.utc).timestamp(),
            time.mktime(time.localtime()),
        ]

    before = read()
    time.sleep(LONG)
    moved = [after - start for after, start in zip(read(), before, strict=True)]
    assert all(LONG - 1 <= step <= LONG + 60 for step in moved), moved
    assert clock.seconds == LONG


def test_after_stop_everything_is_the_true_thing_again() -> None:
    wall = time.time()
    with running() as clock:
        assert time.sleep is not TRUE["sleep"]
        clock.join()
        time.sleep(LONG)
        early_sleep(LONG)
        assert time.time() - wall > LONG
    assert {name: getattr(time, name) for name in TRUE} == TRUE
    assert early_sleep is TRUE["sleep"]
    assert early_monotonic is TRUE["monotonic"]
    assert time.time() - wall < LONG


def test_stop_is_idempotent_and_works_from_any_state() -> None:
    clock = Clock()
    clock.stop()
    clock.start()
    clock.start()
    clock.stop()
    clock.stop()
    assert time.sleep is TRUE["sleep"]
    clock.start()
    time.sleep(LONG)
    clock.stop()
    assert time.sleep is TRUE["sleep"]
    clock.start()  # begins anew
    assert clock.seconds == 0
    clock.stop()


def test_a_wait_that_ends_after_stop_moves_no_wall_clock() -> None:
    with running() as clock:
        timeline = clock._timeline()
    assert timeline is not None
    timeline.sleep(10**12)
    assert not time_machine.escape_hatch.is_travelling()


def test_names_bound_at_import_are_virtual_from_the_first_request_on(clock: Clock) -> None:
    clock.join()
    before = early_monotonic()
    early_sleep(LONG)
    assert early_monotonic() - before >= LONG
    assert clock.seconds == LONG


def test_a_module_imported_meanwhile_is_found_too(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    clock.join()
    late = types.ModuleType("late_module")
    late.__dict__["nap"] = TRUE["sleep"]
    monkeypatch.setitem(sys.modules, "late_module", late)
    clock.join()
    late.nap(LONG)
    assert clock.seconds == LONG
    clock.stop()
    assert late.nap is TRUE["sleep"]


def test_a_module_that_binds_ours_during_a_test_gets_the_true_one_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with running() as clock:
        clock.join()
        late = types.ModuleType("later_module")
        exec("from time import sleep, perf_counter", late.__dict__)  # noqa: S102
        monkeypatch.setitem(sys.modules, "later_module", late)
        late.sleep(LONG)
        assert clock.seconds == LONG
    assert late.sleep is TRUE["sleep"]
    assert late.perf_counter is TRUE["perf_counter"]


def poll(code: types.CodeType, names: dict[str, object]) -> None:
    while True:
        eval(code, names)  # noqa: S307


HAND_WRITTEN = """
import time
from dataclasses import dataclass

def retry(sleep=time.sleep):
    sleep(1000)

def retry_keyword(*, pause=time.sleep):
    pause(1000)

class Retry:
    pause = time.sleep
    static = staticmethod(time.sleep)

    def __init__(self, sleep=time.sleep):
        self.sleep = sleep

@dataclass
class Policy:
    sleep: object = time.sleep
"""


def test_functions_taken_as_defaults_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("hand_written")
    monkeypatch.setitem(sys.modules, "hand_written", module)
    exec(HAND_WRITTEN, module.__dict__)  # noqa: S102
    calls: list[Callable[[], object]] = [
        module.retry,
        module.retry_keyword,
        lambda: module.Retry().pause(1000),
        lambda: module.Retry().static(1000),
        lambda: module.Retry().sleep(1000),
        lambda: module.Policy().sleep(1000),
    ]
    for _ in range(2):
        with running() as clock:
            clock.join()
            for number, call in enumerate(calls, 1):
                call()
                assert clock.seconds == 1000 * number
    assert module.retry.__defaults__ == (TRUE["sleep"],)
    assert module.retry_keyword.__kwdefaults__ == {"pause": TRUE["sleep"]}
    assert module.Retry.__dict__["pause"] is TRUE["sleep"]
    assert module.Retry.__dict__["static"].__func__ is TRUE["sleep"]
    assert module.Policy().sleep is TRUE["sleep"]


def test_a_class_made_meanwhile_does_not_bind_a_method(clock: Clock) -> None:
    class Client:
        pause: Any = time.sleep
        clock: Any = time.monotonic

    before = Client().clock()
    Client().pause(1000)
    assert Client().clock() - before >= 1000
    assert clock.seconds == 1000


def test_the_replacements_can_be_pickled_and_copied(clock: Clock) -> None:
    assert pickle.loads(pickle.dumps(time.sleep)) is time.sleep  # noqa: S301
    assert copy.deepcopy(time.monotonic) is time.monotonic
    assert time.sleep.__name__ == "sleep"
    assert clock.seconds == 0


class _CffiLibrary:
    """What cffi puts among the modules: it says that it is one, and takes no weak reference."""

    __slots__ = ()
    __class__ = property(lambda _self: types.ModuleType)


def test_what_only_says_that_it_is_a_module_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    library: Any = _CffiLibrary()
    assert isinstance(library, types.ModuleType)
    monkeypatch.setitem(sys.modules, "lib_of_cffi", library)
    with running() as clock:
        clock.join()
        time.sleep(LONG)
    assert clock.seconds == LONG


def test_a_module_that_was_taken_out_meanwhile_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("fleeting")
    exec("from time import sleep", module.__dict__)  # noqa: S102
    monkeypatch.setitem(sys.modules, "fleeting", module)
    with running() as clock:
        clock.join()
        assert module.sleep is not TRUE["sleep"]
        monkeypatch.delitem(sys.modules, "fleeting")
    assert module.sleep is TRUE["sleep"]


def test_a_function_kept_after_the_test_is_harmless() -> None:
    with running():
        kept_sleep, kept_monotonic = time.sleep, time.monotonic
        time.sleep(LONG)
    kept_sleep(0.001)
    assert abs(kept_monotonic() - TRUE["monotonic"]()) < LONG / 2


@pytest.mark.parametrize(
    ("length", "error"),
    [
        (-1, ValueError),
        (-0.5, ValueError),
        (float("nan"), ValueError),
        ("1", TypeError),
        (None, TypeError),
        (1e12, OverflowError),
    ],
)
def test_a_wrong_length_raises_the_true_error(clock: Clock, length: float, error: type[Exception]) -> None:
    with pytest.raises(error) as seen:
        time.sleep(length)
    with pytest.raises(error) as expected:
        TRUE["sleep"](length)
    assert str(seen.value) == str(expected.value)
    assert clock.seconds == 0


@pytest.mark.usefixtures("clock")
def test_the_standard_library_and_tools_keep_true_time() -> None:
    time.sleep(LONG)
    for name in ("queue", "hypothesis.core", "_pytest.runner", "pytest_timeout", "coverage", "xdist.remote"):
        module = types.ModuleType(name)
        exec("import time\ndef read(): return time.monotonic()", module.__dict__)  # noqa: S102
        assert abs(module.read() - TRUE["monotonic"]()) < LONG / 2, name
    module = types.ModuleType("test_of_a_user")
    exec("import time\ndef read(): return time.monotonic()", module.__dict__)  # noqa: S102
    assert module.read() - TRUE["monotonic"]() > LONG / 2
    with pytest.raises(queue.Empty):
        queue.Queue[int]().get(timeout=0.001)


def test_other_threads_keep_the_true_pace(clock: Clock) -> None:
    fired, stop = threading.Event(), threading.Event()
    beats = 0

    def heartbeat() -> None:
        nonlocal beats
        while not stop.is_set():
            time.sleep(0.05)
            beats += 1

    timer = threading.Timer(30, fired.set)
    thread = threading.Thread(target=heartbeat)
    timer.start()
    thread.start()
    for _ in range(1000):
        time.sleep(100)
    assert not fired.is_set()
    assert beats < 100  # the naive way: two million
    timer.cancel()
    stop.set()
    thread.join()
    assert clock.seconds == LONG


def test_a_thread_that_joins_has_an_offset_of_its_own(clock: Clock) -> None:
    time.sleep(10)

    def work() -> tuple[float, float, float]:
        outside = time.monotonic()
        clock.join()
        joined = time.monotonic()  # a budget that was begun before must not shrink
        time.sleep(LONG)
        return joined - outside, time.monotonic() - joined, clock.seconds

    jump, slept, seconds = in_thread(work)
    assert jump < 1
    assert slept >= LONG
    assert seconds == 10 + LONG
    assert clock.seconds == 10
    assert clock.elapsed_seconds == 10 + LONG


def test_threads_that_wait_at_once_do_not_add_up(clock: Clock) -> None:
    wall = time.time()

    def work(_: int) -> None:
        clock.wait(LONG)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))
    assert clock.elapsed_seconds <= 8 * LONG
    assert clock.elapsed_seconds == max(timeline.seconds_ns for timeline in clock._timelines) / 1e9
    assert abs(time.time() - wall - clock.elapsed_seconds) < LONG / 2


def test_the_wall_clock_follows_whoever_is_furthest_ahead(clock: Clock) -> None:
    wall = time.time()
    time.sleep(LONG)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(clock.wait, 10).result()
        assert abs(time.time() - wall - LONG) < LONG / 2
        pool.submit(clock.wait, 2 * LONG).result()
    assert abs(time.time() - wall - 2 * LONG) < LONG / 2


def test_event_wait_is_left_alone(clock: Clock) -> None:
    assert threading.Event().wait(0.001) is False
    assert clock.seconds == 0


def test_reading_a_clock_in_a_loop_ends_by_true_time(clock: Clock) -> None:
    end = time.monotonic() + 0.01
    while time.monotonic() < end:
        pass
    assert clock.seconds == 0


def test_frozen_clocks_stand_still_between_waits(frozen: Clock) -> None:
    assert len({time.monotonic() for _ in range(50)}) == 1
    assert len({time.perf_counter_ns() for _ in range(50)}) == 1
    assert len({time.time() for _ in range(50)}) == 1
    start, wall = time.monotonic_ns(), time.time_ns()
    time.sleep(2.5)
    assert time.monotonic_ns() - start == 2_500_000_000
    assert time.time_ns() - wall == 2_500_000_000
    assert frozen.seconds == 2.5


@pytest.mark.parametrize("read", ["time.monotonic()", "time.perf_counter_ns()", "time.time()", "datetime.now()"])
def test_polling_a_frozen_clock_is_an_error(frozen: Clock, read: str) -> None:
    code = compile(read, "polling", "eval")
    names = {"time": time, "datetime": dt.datetime, "__name__": "user"}
    for _ in range(3):  # a wait begins the count anew
        for _ in range(5_000):
            eval(code, names)  # noqa: S307
        time.sleep(1)
    with pytest.raises(SpinsForever, match="10000 times in a row"):
        poll(code, names)
    assert frozen.seconds == 3


def test_a_request_begins_the_count_of_readings_anew(frozen: Clock) -> None:
    for _ in range(3):
        for _ in range(6_000):
            time.monotonic()
        frozen.join()
    assert frozen.seconds == 0


def test_advance(clock: Clock) -> None:
    clock.advance(1.5)
    clock.advance(seconds=0)
    assert clock.seconds == 1.5
    for wrong in (-1, float("nan"), float("inf"), "1", None, True):
        with pytest.raises(ValueError, match=r"a finite number of seconds, 0 or more") as error:
            clock.advance(wrong)  # type: ignore[arg-type]
        assert repr(wrong) in str(error.value)
    assert clock.seconds == 1.5


def test_wait_for_ever_cannot_be_swallowed(clock: Clock) -> None:
    clock.wait(600.0)
    assert clock.seconds == 600
    for length in (None, float("inf")):
        with pytest.raises(WaitsForever, match="no timeout is set"):
            clock.wait(length)
    assert not issubclass(WaitsForever, Exception)
    assert not issubclass(SpinsForever, Exception)


def test_two_clocks_at_once_are_refused(clock: Clock) -> None:
    with pytest.raises(RuntimeError, match="another virtual clock is active"):
        Clock().start()
    clock.stop()
    with running():
        pass


def test_a_sleep_that_the_test_replaced_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    with running() as clock:
        time.sleep(5)
        assert slept == [5]
        assert clock.seconds == 0
        assert "time.sleep" in clock.notes[0]
    assert time.sleep == slept.append


def test_importing_the_room_imports_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules); import pytest_llmfaults._clock; "
        "heavy = {'asyncio', 'trio', 'uvloop', 'anyio', 'time_machine', 'dataclasses', 'inspect'}; "
        "print(sorted(heavy & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
