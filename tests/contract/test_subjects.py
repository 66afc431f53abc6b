"""Subjects that misbehave: a clear error that names the fault, and no file."""

from __future__ import annotations

import pytest

from .conftest import SigningSuite

SUBJECT = """
import asyncio, itertools, random, threading

def test_it(llmfaults_contract):
    llmfaults_contract.check(subject, faults=FEW)
"""
STUBBORN = """
def subject():
    said = ask()
    while said == "":
        try:
            threading.Event().wait()
        except BaseException:
            pass
    return said
"""
SHORT = ("-o", "llmfaults_call_seconds=1")


def refused(suite: SigningSuite, code: str, *lines: str, arguments: tuple[str, ...] = ()) -> pytest.RunResult:
    """Sign a subject, and find that it fails with these lines and that no file was written."""
    result = suite.sign(SUBJECT + code, *arguments)
    assert result.parseoutcomes()["failed"] == 1  # what is ended by force may leave a socket open, and pytest says so
    result.stdout.fnmatch_lines([f"*{line}*" for line in lines])
    assert not (suite.pytester.path / "llmfaults").exists()
    return result


def held(suite: SigningSuite, code: str, *arguments: str) -> str:
    """Sign a subject, find that it holds when it is run again, and return the file."""
    suite.sign(SUBJECT + code, *arguments).assert_outcomes(passed=1)
    suite.run(SUBJECT + code, *arguments).assert_outcomes(passed=1)
    return suite.signed


def test_a_value_that_prints_differently_each_time(suite: SigningSuite) -> None:
    refused(suite, "subject = lambda: (ask(), object())[1]", "InvalidUse: object prints as*address*Give describe=")


def test_a_value_that_prints_differently_under_one_fault(suite: SigningSuite) -> None:
    code = "subject = lambda: ask() or object()"
    refused(suite, code, "InvalidUse: object prints as*Give describe=", "This was repr() under content.empty.")


def test_a_value_that_counts(suite: SigningSuite) -> None:
    refused(
        suite,
        "count = itertools.count()\nsubject = lambda: (ask(), next(count))",
        "keeps state*at first*later",
    )


def test_no_request(suite: SigningSuite) -> None:
    refused(
        suite,
        "subject = lambda: 'from a cache'",
        "ContractError: The subject made no request: it returns 'from a cache'",
    )


def test_an_error_before_any_request(suite: SigningSuite) -> None:
    refused(
        suite, "subject = lambda: open('/no/such/file')", "made no request: it raises FileNotFoundError:*such/file*"
    )


def test_an_error_at_the_healthy_reply(suite: SigningSuite) -> None:
    refused(
        suite,
        "import json\nsubject = lambda: json.loads(ask())",
        "ContractError: The healthy call raises JSONDecodeError: Expecting*(char 0). Faults teach*llmfaults_answer*",
        "#1 POST gateway.example.com/v1/chat/completions -> ok [[]read]",
    )


def test_a_generator_of_its_own(suite: SigningSuite) -> None:
    code = "own = random.Random()\nsubject = lambda: ask(seconds=own.random())"
    refused(suite, code, "ContractError: Under * the waits were *its own (random.Random(), numpy)*")


@pytest.mark.parametrize("release", ["raise", "while True: pass"])
def test_a_hanging_call_is_ended(suite: SigningSuite, release: str) -> None:
    code = f"""
def subject():
    said = ask()
    if said == "":
        try:
            threading.Event().wait()
        except BaseException:
            {release}
    return said
"""
    result = refused(
        suite,
        code,
        "ContractError: Under content.empty the call had not ended after 1 s of true time*:* in subject()*",
        arguments=SHORT,
    )
    result.stdout.no_fnmatch_line("E *KeyboardInterrupt*")


def test_a_hanging_call_that_catches_everything_is_ended(suite: SigningSuite) -> None:
    refused(suite, STUBBORN, "ContractError: Under content.empty the call had not ended*", arguments=SHORT)


def test_a_busy_loop_is_ended(suite: SigningSuite) -> None:
    code = """
def subject():
    while ask() == "":
        while True:
            pass
"""
    refused(suite, code, "ContractError: Under content.empty the call had not ended*in subject()*", arguments=SHORT)


def test_a_healthy_call_that_hangs_is_named(suite: SigningSuite) -> None:
    code = "def subject():\n    ask()\n    threading.Lock().acquire() and threading.Event().wait()\n"
    refused(suite, code, "ContractError: Under no fault (the healthy call) the call had not ended*", arguments=SHORT)


def test_a_fault_that_hangs_once_is_named(suite: SigningSuite) -> None:
    code = """
calls = []
def subject():
    calls.append(1)
    try:
        return ask(attempts=1)
    except requests.RequestException:
        said = ask(attempts=1)
        threading.Event().wait()
"""
    refused(suite, code, "ContractError: Under body.html_page, once the call had not ended*", arguments=SHORT)


@pytest.mark.parametrize("text", ["0", "-1", "soon", "nan", "inf"])
def test_a_limit_that_is_none(suite: SigningSuite, text: str) -> None:
    result = suite.run("def test_it():\n    pass", "-o", f"llmfaults_call_seconds={text}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*llmfaults_call_seconds: '{text}' is not a number of seconds above 0*"])


def test_after_a_hanging_call_the_session_goes_on(suite: SigningSuite) -> None:
    result = suite.run(
        SUBJECT
        + STUBBORN
        + """
import signal, sys

def test_then(llmfaults):
    assert sys.exc_info() == (None, None, None)
    assert sys.gettrace() is None or "coverage" in type(sys.gettrace()).__module__ + repr(sys.gettrace())
    llmfaults.inject("status.503", "ok")
    assert ask() == "Hello from a healthy model."
    assert llmfaults.waits == [1.0]
    assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL
    assert not [one for one in threading.enumerate() if one.name.startswith("llmfaults")]
""",
        *SHORT,
    )
    result.assert_outcomes(passed=1, failed=1)


def test_a_circuit_breaker_is_found_out(suite: SigningSuite) -> None:
    code = """
failures = []
def subject():
    if len(failures) > 1:
        raise RuntimeError("the circuit is open")
    try:
        return ask(attempts=1)
    except Exception:
        failures.append(1)
        raise
"""
    refused(suite, code, "ContractError: The subject keeps state*raises RuntimeError*setup=*")


def test_what_asks_for_ever_is_stopped_and_can_be_signed(suite: SigningSuite) -> None:
    code = """
def subject():
    while not (said := ask(attempts=1)):
        time.sleep(1)
    return said
"""
    assert '[["200 attempts, waits 1 (199 times) s, waited 200 s, asks more than 200 times"]]' in held(suite, code)


def test_what_asks_for_ever_and_catches_everything_is_ended(suite: SigningSuite) -> None:
    code = """
def subject():
    while True:
        try:
            if said := ask(attempts=1):
                return said
        except BaseException:
            pass
"""
    refused(suite, code, "ContractError: Under * had not ended*", arguments=SHORT)


def test_what_spins_on_the_clock_can_be_signed(suite: SigningSuite) -> None:
    code = """
def subject():
    said, until = ask(attempts=1), time.monotonic() + 5
    while not said and time.monotonic() < until:
        pass
    return said
"""
    assert '[["1 attempt, spins for ever"]]\nfaults = ["content.empty"]' in held(suite, code)


def test_no_timeout_can_be_signed(suite: SigningSuite) -> None:
    code = """
def test_it(llmfaults_contract):
    call = lambda: requests.post(URL, json={}).json()["id"] and "said"
    llmfaults_contract.check(call, faults="transport.timeout")
"""
    suite.sign(code).assert_outcomes(passed=1)
    assert '[["1 attempt, waits for ever"]]' in suite.signed


def test_timers_of_others_do_not_change_what_waits_for_ever(suite: SigningSuite) -> None:
    code = """
import aiohttp, asyncio

async def aask():
    asyncio.get_running_loop().call_later(6, print)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session:
        async with session.post(URL, json={}) as reply:
            return (await reply.json())["id"] and "said"

def test_it(llmfaults_contract):
    llmfaults_contract.check(lambda: asyncio.run(aask()), faults="transport.timeout")
"""
    suite.sign(code).assert_outcomes(passed=1)
    assert '[["1 attempt, waits for ever"]]' in suite.signed


def test_an_interrupt_that_is_swallowed_is_in_the_contract(suite: SigningSuite) -> None:
    code = """
def subject():
    for _ in range(2):
        try:
            return ask(attempts=1)
        except BaseException as error:
            last = error
    raise RuntimeError from last
"""
    assert 'interrupt = "2 attempts, waits 0 s, same as ok"' in held(suite, code)


def test_an_interrupt_by_a_person_ends_the_run(suite: SigningSuite) -> None:
    code = """
def subject():
    if ask() == "":
        raise KeyboardInterrupt
"""
    with pytest.raises(KeyboardInterrupt):
        suite.sign(SUBJECT + code)
    assert not (suite.pytester.path / "llmfaults").exists()


@pytest.mark.parametrize(
    ("what", "outcome"),
    [("pytest.skip", "skipped"), ("pytest.fail", "failed"), ("case.skipTest", "skipped"), ("pytest.xfail", "xfailed")],
)
def test_outcomes_of_the_test_tool_are_the_test_s(suite: SigningSuite, what: str, outcome: str) -> None:
    code = f"""
import unittest
case = unittest.TestCase()
def subject():
    return ask() or {what}('it was empty')
"""
    suite.sign(SUBJECT + code).assert_outcomes(**{outcome: 1})
    assert not (suite.pytester.path / "llmfaults").exists()


def test_threads_left_behind_disturb_nobody(suite: SigningSuite) -> None:
    code = """
release = threading.Event()
def subject():
    threading.Thread(target=release.wait).start()
    return ask(attempts=1)

@pytest.fixture(scope="module", autouse=True)
def released():
    yield
    release.set()
"""
    assert "[[\"1 attempt, returns ''\"]]" in held(suite, code)


def test_a_call_in_a_worker_thread(suite: SigningSuite) -> None:
    code = """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
def subject():
    return pool.submit(ask).result()
"""
    text = held(suite, code)
    assert '[["3 attempts, waits 1 2 s, raises requests.JSONDecodeError"]]' in text


def test_calls_in_several_threads_wait_in_an_order_that_varies(suite: SigningSuite) -> None:
    code = """
barrier = threading.Barrier(2)
turns = itertools.cycle(["left", "right", "right"])
def subject():
    said = {}
    def wait(name):
        try:
            said[name] = ask(seconds=1 if next(turns) == "left" else 2)
        except BaseException:
            pass
    threads = [threading.Thread(target=wait, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
        thread.join()
    return sorted(said)
"""
    refused(suite, code, "ContractError: Under * the waits were * Or it asks from several threads, whose order varies*")
