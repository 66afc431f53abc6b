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


def test_a_block_that_is_never_left_ends_with_its_test_and_fails_it(suite: Suite) -> None:
    result = suite.run("""
        import os, time

        kept = []

        def opened():
            with inject("content.empty") as seen:
                yield seen

        def test_it():
            kept.append(opened())
            next(kept[0])
            assert ask() == ""

        def test_nothing_stays():
            assert type(time.sleep).__name__ == "builtin_function_or_method"
            assert "OPENAI_API_KEY" not in os.environ
            kept[0].close()

        def test_a_new_one(llmfaults):
            llmfaults.inject("content.empty")
            assert ask() == ""
    """)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["with inject('content.empty') at test_suite.py:* was entered*never left*"])
