"""The watchdog by itself: in any thread, around the very moment of the limit, and a debugger."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from pytest_llmfaults._contract.watchdog import Watchdog
from pytest_llmfaults.errors import ContractError


def spin() -> None:
    while True:
        pass


def stop() -> None:
    message = "me"
    raise StopIteration(message)


def test_in_another_thread_a_busy_loop_is_ended() -> None:
    caught: list[BaseException] = []

    def work() -> None:
        watchdog = Watchdog(0.2)
        with watchdog.watching():
            try:
                watchdog.run("body.empty", spin)
            except ContractError as error:
                caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    (error,) = caught
    assert "Under body.empty the call had not ended after 0.2 s of true time" in str(error)
    assert "in spin()" in str(error)


def test_what_ends_at_the_very_moment_ends_one_way_or_the_other() -> None:
    watchdog = Watchdog(0.01)
    pause = threading.Event().wait
    handler = signal.getsignal(signal.SIGVTALRM)
    results = []
    with watchdog.watching():
        for number in range(60):
            try:
                results.append(watchdog.run("body.empty", lambda: pause(0.008 + number % 5 / 1000)))  # noqa: B023 - now
            except ContractError as error:
                results.append(str(error).startswith("Under body.empty"))
    assert len(results) == 60
    assert signal.getsignal(signal.SIGVTALRM) is handler
    assert sys.gettrace() is None or "coverage" in repr(sys.gettrace())


def test_what_is_raised_and_returned_is_handed_on() -> None:
    watchdog = Watchdog(30)
    with watchdog.watching():
        assert watchdog.run("x", lambda: 5) == 5
        with pytest.raises(StopIteration, match="me"):
            watchdog.run("x", stop)


def test_a_debugger_has_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def trace(_frame: FrameType, _event: str, _argument: Any) -> None:
        return None

    trace.__module__ = "pdb"
    monkeypatch.setattr("pytest_llmfaults._contract.watchdog.sys", SimpleNamespace(gettrace=lambda: trace))
    watchdog = Watchdog(0.01)
    with watchdog.watching():
        assert watchdog.run("x", lambda: threading.Event().wait(0.1)) is False


TRACED = """
import sys, threading, time
from pytest_llmfaults._contract.watchdog import Watchdog
from pytest_llmfaults.errors import ContractError

def spin():
    while True:
        pass

def work():
    watchdog = Watchdog(0.1)
    with watchdog.watching():
        try:
            watchdog.run("x", spin)
        except ContractError:
            print("ended", flush=True)

thread = threading.Thread(target=work)
thread.start()
thread.join()
lines = []

def trace(frame, event, argument):
    lines.append(event)
    return trace

def traced():
    return sum(range(3))

sys.settrace(trace)
traced()
sys.settrace(None)
print(lines)
"""


def test_after_a_call_that_hung_in_a_thread_code_can_be_traced() -> None:
    done = subprocess.run([sys.executable, "-c", TRACED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["ended", "['call', 'line', 'return']"]
