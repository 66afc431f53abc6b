"""A failure shows the code under test and its libraries, and no line of this package."""

from __future__ import annotations

import re

import pytest

from tests.suite import Suite

OURS = re.compile(r"pytest_llmfaults[\\/][\w\\/]+\.py")
SHOWN = """
    import asyncio, openai, responses

    async def aask():
        async with openai.AsyncOpenAI(base_url="https://gateway.example.com/v1", api_key="k", timeout=None) as client:
            await client.chat.completions.create(model="m", messages=[])

    def test_a_wait_for_ever(llmfaults):
        llmfaults.inject("transport.timeout")
        requests.post(URL, json={})

    def test_a_wait_for_ever_in_a_loop(llmfaults):
        llmfaults.inject("transport.timeout")
        asyncio.run(aask())

    def test_a_reset(llmfaults):
        llmfaults.inject("transport.reset_peer")
        requests.post(URL, json={})

    def test_a_refusal(llmfaults):
        requests.post(URL, json={})

    def test_a_refusal_past_a_mock(llmfaults):
        with responses.RequestsMock():
            requests.post(URL, json={})

    def test_a_misspelt_name(llmfaults):
        llmfaults.inject("transport.rest_peer")

    def test_a_step_that_raises(llmfaults):
        llmfaults.inject(lambda request: request.nothing)
        requests.post(URL, json={})

    def test_setup_that_raises(llmfaults_contract):
        def setup():
            raise LookupError
        llmfaults_contract.check(ask, setup=setup)

    @pytest.fixture
    def bad(llmfaults):
        llmfaults.inject()

    def test_a_fixture_that_raises(bad):
        pass
"""
AFTER = """
    def test_a_fault_that_never_fired(llmfaults):
        llmfaults.inject("status.503")

    def test_a_refusal_that_was_swallowed(llmfaults):
        try:
            requests.post(URL, json={})
        except BaseException:
            pass

    def test_a_contract_that_was_never_checked(llmfaults_contract):
        pass
"""


@pytest.mark.parametrize("style", ["short", "long", "native"])
def test_no_frame_of_this_package_is_shown(suite: Suite, style: str) -> None:
    result = suite.run(SHOWN, f"--tb={style}")
    result.assert_outcomes(failed=8, errors=1)
    assert [line for line in result.outlines if OURS.search(line)] == []
    result.stdout.fnmatch_lines_random(["*test_suite.py*test_a_wait_for_ever*", "*http*client.py*", "*WaitsForever: *"])
    result.stdout.no_fnmatch_line("*_NoRoute*")


def test_what_is_found_after_the_body_is_only_its_text(suite: Suite) -> None:
    result = suite.run(AFTER)
    result.assert_outcomes(failed=3)
    result.stdout.no_fnmatch_line("*state.py*")
    result.stdout.no_fnmatch_line("*def *")
    result.stdout.fnmatch_lines(
        [
            "_* test_a_fault_that_never_fired _*",
            "status.503 never fired:*",
            "_* test_a_refusal_that_was_swallowed _*",
            "POST gateway.example.com/* was refused before it left the machine:*",
            "_* test_a_contract_that_was_never_checked _*",
            "The test takes llmfaults_contract and never called*",
            "FAILED *::test_a_fault_that_never_fired - status.503 never fired:*",
        ]
    )


def test_the_full_trace_is_full(suite: Suite) -> None:
    suite.run(SHOWN, "--full-trace").stdout.fnmatch_lines(["*pytest_llmfaults*_clock*"])


def test_a_bug_of_this_package_keeps_its_frames(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_llmfaults import _run

    def broken(*_arguments: object) -> None:
        exec(compile("raise KeyError('a bug')", "a_bug.py", "exec"), vars(_run))  # noqa: S102 - in our module

    monkeypatch.setattr(_run.Run, "_injected", broken)
    result = suite.run(SHOWN, "--tb=short", "-k", "test_a_wait_for_ever and not loop")
    result.assert_outcomes(failed=1, deselected=8)
    result.stdout.fnmatch_lines(["*_conversation.py*", "*a_bug.py*", "E*KeyError: 'a bug'"])
