"""What a test observed does not outlive it: a long suite must not grow with each test."""

from __future__ import annotations

import pytest

SUITE = """
    import pytest
    import requests
    from pytest_llmfaults import Answer

    URL = "https://gateway.example.com/v1/chat/completions"

    def ask():
        reply = requests.post(URL, json={"model": "m", "messages": []}, timeout=5)
        reply.raise_for_status()
        return reply.json()["choices"][0]["message"]["content"]

    def test_injected(llmfaults):
        llmfaults.inject("status.503")
        with pytest.raises(requests.HTTPError):
            ask()

    def test_skipped(llmfaults):
        pytest.skip("not today")

    def test_signed(llmfaults_contract):
        llmfaults_contract.check(ask, faults="status.50?")

    @pytest.mark.llmfaults("status.502")
    def test_marked():
        with pytest.raises(requests.HTTPError):
            ask()

    def test_of_others():
        pass
"""
COUNTING = """
    import gc

    def pytest_sessionfinish(session):
        from pytest_llmfaults._run import Run

        gc.collect()
        names = sorted(one.name for one in gc.get_objects() if isinstance(one, Run) and "::" in one.name)
        print(f"{len(session.items)} tests, alive: {names}.")
"""


def test_what_a_test_observed_is_let_go(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(SUITE)
    pytester.makeconftest(COUNTING)
    result = pytester.runpytest_subprocess("-s", "--llmfaults-sign")
    result.assert_outcomes(passed=4, skipped=1)
    result.stdout.fnmatch_lines(["*5 tests, alive: [[]]."])
