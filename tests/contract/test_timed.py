"""What holds the time of day is not signed; what only measures how long something takes is."""

from __future__ import annotations

import pytest

from .conftest import SigningSuite

TEST = """
    import datetime, time

    def call():
        {before}
        said = ask()
        return {returned}

    def test_it(llmfaults_contract):
        llmfaults_contract.check(call, faults=FEW{more})
"""


def code(returned: str, *, before: str = "pass", more: str = "") -> str:
    return TEST.format(returned=returned, before=before, more=more)


@pytest.mark.parametrize(
    "returned",
    [
        "{'said': said, 'at': time.time()}",
        "[said, datetime.datetime.now()]",
        "[said, datetime.date.today()]",
        "f'{said} at {time.strftime(\"%H:%M\")}'",
        "f'{said} in {datetime.date.today().year}'",
    ],
)
def test_a_healthy_value_that_holds_the_time_is_refused(suite: SigningSuite, returned: str) -> None:
    result = suite.sign(code(returned))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ContractError: The healthy call holds the time: it said ?1 attempt, *"])
    result.stdout.fnmatch_lines(["*give describe= (or after=) a text without the time, or let the test freeze it*"])
    assert not (suite.pytester.path / "llmfaults").exists()


def test_a_value_under_a_fault_that_holds_the_time_is_refused(suite: SigningSuite) -> None:
    result = suite.sign(code("said or f'nothing at {time.time()}'"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ContractError: Under content.empty the call holds the time: it said *"])


def test_side_effects_that_hold_the_time_are_refused(suite: SigningSuite) -> None:
    result = suite.sign(code("said", more=", after=lambda: f'stored at {datetime.datetime.now()}'"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*The healthy call holds the time: *then stored at *"])


@pytest.mark.parametrize(
    ("returned", "before", "more"),
    [
        ("[said, time.time() - began]", "began = time.time()", ""),
        ("[said, round(time.monotonic() - began, 1)]", "began = time.monotonic()", ""),
        ("{'said': said, 'at': time.time()}", "pass", ", describe=lambda value: value['said']"),
        ("said", "time.sleep(2)", ""),
    ],
)
def test_what_holds_no_time_is_signed(suite: SigningSuite, returned: str, before: str, more: str) -> None:
    suite.sign(code(returned, before=before, more=more)).assert_outcomes(passed=1)
    suite.run(code(returned, before=before, more=more)).assert_outcomes(passed=1)


def test_frozen_time_is_signed(suite: SigningSuite) -> None:
    frozen = """
        import time, time_machine

        def test_it(llmfaults_contract):
            with time_machine.travel(1_000_000_000, tick=False):
                llmfaults_contract.check(lambda: [ask(), time.time()], faults=FEW)
    """
    suite.sign(frozen).assert_outcomes(passed=1)
    suite.run(frozen).assert_outcomes(passed=1)


def test_what_expires_is_no_time_in_a_value(suite: SigningSuite) -> None:
    expiring = """
        import time
        until = time.time() + 86400

        def call():
            if time.time() > until:
                requests.get(URL)  # a new token, which no injection answers
            return ask()

        def test_it(llmfaults_contract):
            llmfaults_contract.check(call, faults=FEW)
    """
    suite.sign(expiring).assert_outcomes(passed=1)


def test_a_request_with_the_time_in_it_is_no_changed_request(suite: SigningSuite) -> None:
    dated = """
        import time

        def call():
            body = {"model": "gpt-5", "messages": [{"role": "user", "content": str(time.time())}]}
            reply = requests.post(URL, json=body, timeout=5)
            return reply.json()["choices"][0]["message"]["content"]

        @pytest.mark.llmfaults(*FEW)
        def test_it(llmfaults_contract, request):
            time.sleep(len(request.node.name))  # another time of day in each test
            llmfaults_contract.check(call)
    """
    suite.sign(dated).assert_outcomes(passed=4)
    assert "request changed" not in suite.signed


def test_all_calls_begin_at_the_same_time_of_day(suite: SigningSuite) -> None:
    slow = """
        import threading, time

        def call():
            body = {"model": "gpt-5", "messages": [{"role": "user", "content": str(time.time())}]}
            reply = requests.post(URL, json=body, timeout=5)
            return reply.json()["choices"][0]["message"]["content"]

        def setup():
            threading.Event().wait(0.3)  # true time

        def test_it(llmfaults_contract):
            llmfaults_contract.check(call, faults=["content.empty", "content.null"], setup=setup)
    """
    suite.sign(slow).assert_outcomes(passed=1)
    assert "request changed" not in suite.signed
