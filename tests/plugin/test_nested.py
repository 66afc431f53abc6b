"""Runs inside runs: a fixture of a wider scope injects, and a test uses the plugin itself."""

from __future__ import annotations

from tests.suite import Suite


def test_a_run_that_stands_aside_may_end_first(suite: Suite) -> None:
    result = suite.run("""
        @pytest.fixture(scope="module")
        def wider():
            with inject("content.empty") as seen:
                yield seen

        def test_wider(wider):
            assert ask() == ""

        def test_own(wider, llmfaults):
            llmfaults.inject("content.null")
            assert ask() is None
    """)
    result.assert_outcomes(passed=2)
    after = suite.run("""
        import time

        def test_nothing_stays():
            assert type(time.sleep).__name__ == "builtin_function_or_method"

        def test_a_new_one(llmfaults):
            llmfaults.inject("content.empty")
            assert ask() == ""
    """)
    after.assert_outcomes(passed=2)
