"""However a replay ends, nothing of it remains, and the subject's own behaviour is no error."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import openai
import pytest
import requests

from pytest_llmfaults._contract.why import explain, explain_async
from tests.contract import why_subjects as subjects
from tests.contract.why_kit import job
from tests.contract.why_libraries import loop_async

HTML = "body.html_page"
MONITORING: Any = getattr(sys, "monitoring", None)
before_312 = pytest.mark.skipif(MONITORING is not None, reason="sys.monitoring is used")
since_312 = pytest.mark.skipif(MONITORING is None, reason="sys.monitoring is new in 3.12")


def left_over() -> list[object]:
    """Return what traces now."""
    found: list[object] = [sys.gettrace(), threading.gettrace()]
    if MONITORING is not None:
        found += [MONITORING.get_tool(tool) for tool in (3, 4)]
        for code in (subjects.sleeps_in_except.__code__, subjects.ask.__code__, requests.Response.json.__code__):
            found += [MONITORING.get_local_events(tool, code) or None for tool in (3, 4) if MONITORING.get_tool(tool)]
    return [one for one in found if one is not None]


@pytest.fixture(autouse=True)
def _nothing_remains(untraced: None) -> Iterator[None]:  # noqa: ARG001 - it has to come first
    before = left_over()
    yield
    assert left_over() == before


def test_a_subject_that_raises() -> None:
    assert explain(job(subjects.sleeps_in_except, HTML)).text.startswith("JSONDecodeError")


@pytest.mark.parametrize("kind", [SystemExit, AssertionError, BaseException])
def test_a_subject_that_raises_what_it_should_not(kind: type[BaseException]) -> None:
    def subject() -> None:
        try:
            subjects.ask()
        except ValueError:
            subjects.post()
        raise kind

    assert explain(job(subject, HTML)).text.startswith("JSONDecodeError (a ValueError) caught by `except ValueError:`")


def test_a_subject_that_waits_for_ever() -> None:
    def subject() -> None:
        for _ in range(2):
            requests.post(subjects.URL, json=subjects.BODY)  # noqa: S113 - that is the point

    assert explain(job(subject, "transport.timeout")).text == "it was not retried"


def test_a_subject_that_asks_without_end() -> None:
    def subject() -> None:
        while True:
            subjects.drops_it()

    why = explain(job(subject, HTML))
    assert len(why.reasons) > 100
    assert why.reasons[0].exception == "JSONDecodeError"


def test_a_person_who_interrupts() -> None:
    def subject() -> None:
        subjects.drops_it()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explain(job(subject, HTML))


def test_a_cancelled_replay() -> None:
    async def subject() -> None:
        await asyncio.sleep(0)
        raise asyncio.CancelledError

    async def main() -> str:
        return (await explain_async(job(subject, HTML))).text

    assert asyncio.run(main()) == "it was not retried"


def test_a_broken_setup() -> None:
    def setup() -> None:
        raise OSError

    assert explain(job(subjects.ask, HTML, setup=setup)).text == "unknown: the replay ended with OSError"


def test_a_refusal() -> None:
    def subject() -> None:
        requests.get("https://elsewhere.example.com/", timeout=1)

    assert explain(job(subject, HTML)).text == "unknown: the replay ended with Refused"


def test_what_a_test_tool_raises_goes_its_way() -> None:
    def subject() -> None:
        subjects.drops_it()
        pytest.exit("enough")

    with pytest.raises(pytest.exit.Exception):
        explain(job(subject, HTML))


@before_312
def test_a_thread_that_outlives_the_call_is_let_go() -> None:
    release, seen = threading.Event(), []

    def linger() -> None:
        release.wait(30)
        seen.append(step())
        seen.append(step())

    def step() -> object:
        return sys.gettrace()

    threads = []

    def subject() -> None:
        threads.append(threading.Thread(target=linger, daemon=True))
        threads[0].start()
        subjects.drops_it()

    assert explain(job(subject, HTML)).text.startswith("JSONDecodeError")
    release.set()
    threads[0].join(30)
    assert seen[-1] is None


def test_other_threads_are_not_looked_at() -> None:
    stop = threading.Event()

    def fails_quietly() -> None:
        try:
            int("x")
        except ValueError:
            return

    def stir() -> None:
        while not stop.is_set():
            fails_quietly()
            time.sleep(0.0001)

    thread = threading.Thread(target=stir)
    thread.start()
    try:
        why = explain(job(subjects.only_looks_at_the_status, "status.503"))
    finally:
        stop.set()
        thread.join()
    assert why.text == "no exception: the client looked at the reply"


def tracer(_frame: FrameType, _event: str, _argument: Any) -> None:
    """Trace nothing."""


@before_312
@pytest.mark.parametrize("place", [sys, threading])
def test_an_active_tracer_is_left_alone_and_said(place: Any) -> None:
    place.settrace(tracer)
    try:
        why = explain(job(subjects.drops_it, HTML))
        assert place.gettrace() is tracer
        later = asyncio.run(explain_async(job(loop_async, "status.503")))
    finally:
        place.settrace(None)
    assert (why.text, why.reasons) == ("unknown: a tracer is active", ())
    assert later == why


@since_312
def test_an_active_tracer_does_not_matter() -> None:
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        why = explain(job(subjects.drops_it, HTML))
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert why.text.startswith("JSONDecodeError")


@since_312
def test_a_tool_id_in_use_is_left_alone() -> None:
    MONITORING.use_tool_id(3, "somebody")
    try:
        assert explain(job(subjects.drops_it, HTML)).text.startswith("JSONDecodeError")
        MONITORING.use_tool_id(4, "somebody else")
        try:
            assert explain(job(subjects.drops_it, HTML)).text == "unknown: no tool id of sys.monitoring is free"
            assert MONITORING.get_tool(3) == "somebody"
        finally:
            MONITORING.free_tool_id(4)
    finally:
        MONITORING.free_tool_id(3)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="except* is new in 3.11")
def test_except_star(tmp_path: Path) -> None:
    source = """
def loop(ask):
    for _ in range(2):
        try:
            ask()
        except* KeyError:
            raise
        except* (ValueError, OSError) as group:
            kept = group
"""
    loop = loaded(tmp_path / "starred.py", source)["loop"]
    why = explain(job(lambda: loop(subjects.ask), HTML))
    assert why.text == (
        "JSONDecodeError (a ValueError and an OSError) caught by `except* (ValueError, OSError) as group:` starred.py:8"
    )


def loaded(path: Path, source: str) -> dict[str, Any]:
    """Write a module and run it."""
    path.write_text(source)
    names: dict[str, Any] = {"__name__": path.stem}
    exec(compile(source, str(path), "exec"), names)  # noqa: S102
    return names


@pytest.mark.parametrize("package", ["agentlib", "openai"])
def test_a_loop_in_an_installed_library_is_told_with_its_clause(tmp_path: Path, package: str) -> None:
    folder = tmp_path / "site-packages" / package
    folder.mkdir(parents=True)
    source = """
def helper(reply):
    try:
        reply.headers["x"]
    except KeyError:
        return reply

def loop(post):
    for _ in range(2):
        try:
            return helper(post()).json()
        except ValueError:
            continue
"""
    names = loaded(folder / "loops.py", source)
    names["__name__"] = f"{package}.loops"
    why = explain(job(lambda: names["loop"](subjects.post), HTML))
    assert why.text == f"{package}: JSONDecodeError (a ValueError) caught by `except ValueError:` loops.py:12"


def test_a_stale_source_is_said_to_be_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "stale.py"
    source = "def loop(ask):\n for _ in range(2):\n  try:\n   ask()\n  except ValueError:\n   pass\n"
    loop: Callable[..., Any] = loaded(path, source)["loop"]
    path.write_text("this is not Python")
    why = explain(job(lambda: loop(subjects.ask), HTML))
    assert why.text == "JSONDecodeError caught by a clause whose source cannot be read stale.py:4"


def test_an_sdk_that_closes_over_nothing() -> None:
    """A client made before, and shared by the calls, is replayed as well."""
    client = openai.OpenAI(api_key="placeholder", base_url=subjects.URL.removesuffix("/chat/completions"))

    def subject() -> object:
        return client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "hello"}])

    with client:
        texts = {explain(job(subject, "status.503")).text for _ in range(2)}
    assert texts == {"openai: its own retry (max_retries=2), after HTTPStatusError"}
