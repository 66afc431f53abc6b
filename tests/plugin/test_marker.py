"""The marker, and what it makes of tests."""

from __future__ import annotations

import pytest

from tests.suite import Suite


def test_one_name_stays_one_test(suite: Suite) -> None:
    result = suite.run(
        """
        @pytest.mark.llmfaults("content.empty")
        def test_it(llmfaults):
            assert ask() == ""
            assert llmfaults.fault.name == "content.empty"
        """,
        "-v",
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*::test_it PASSED*"])


def test_several_names_a_glob_and_a_family_are_cases_whose_ids_are_row_names(suite: Suite) -> None:
    result = suite.run(
        """
        @pytest.mark.llmfaults("content.empty", "envelope.choices_[an]*")
        def test_it(llmfaults):
            try:
                assert ask() == ""
            except (KeyError, TypeError):
                assert llmfaults.fault.family == "envelope"
        """,
        "-v",
    )
    result.stdout.fnmatch_lines_random(
        [
            "*::test_it[[]content.empty] PASSED*",
            "*::test_it[[]envelope.choices_absent] PASSED*",
            "*::test_it[[]envelope.choices_null] PASSED*",
        ]
    )


def test_choosing_by_draw_slot_and_scope(suite: Suite) -> None:
    result = suite.run(
        """
        @pytest.mark.llmfaults(draw="same", slot="choices", scope="total")
        def test_it(llmfaults):
            assert (llmfaults.fault.draw, llmfaults.fault.slot) == ("same", "choices")
            with pytest.raises((KeyError, TypeError, IndexError)):
                ask()
            assert llmfaults.attempts == 1
        """
    )
    outcomes = result.parseoutcomes()
    assert outcomes["passed"] >= 3
    assert "failed" not in outcomes


def test_then_times_and_parameters(suite: Suite) -> None:
    result = suite.run("""
        @pytest.mark.llmfaults("status.503", then=("content.empty", Answer("late")))
        def test_then(llmfaults):
            assert [ask(), ask()] == ["", "late"]

        @pytest.mark.llmfaults("status.503", times=2)
        def test_times(llmfaults):
            assert ask() == "Hello from a healthy model."
            assert llmfaults.attempts == 3

        @pytest.mark.llmfaults("transport.latency", seconds=7)
        def test_parameters(llmfaults):
            assert ask() == "Hello from a healthy model."
            assert llmfaults.elapsed_seconds == 7.0
            assert llmfaults.waits == []
    """)
    result.assert_outcomes(passed=3)


def test_the_nearest_marker_wins_whole(suite: Suite) -> None:
    result = suite.run("""
        pytestmark = pytest.mark.llmfaults("status.503")

        def test_module(llmfaults):
            assert llmfaults.fault.name == "status.503"
            ask()

        @pytest.mark.llmfaults("content.empty")
        class TestClass:
            def test_class(self, llmfaults):
                assert llmfaults.fault.name == "content.empty"
                ask()

            @pytest.mark.llmfaults("content.null")
            def test_function(self, llmfaults):
                assert llmfaults.fault.name == "content.null"
                ask()

        class TestDerived(TestClass):
            pytestmark = pytest.mark.llmfaults("body.html_page", then="ok")

            def test_class(self, llmfaults):
                assert llmfaults.fault.name == "body.html_page"
                ask()

        @pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.llmfaults("content.null"))])
        def test_parameter_set(n, llmfaults):
            assert llmfaults.fault.name == {1: "status.503", 2: "content.null"}[n]
            ask()
    """)
    result.assert_outcomes(passed=7)


def test_a_marker_multiplies_with_parametrize(suite: Suite) -> None:
    result = suite.run("""
        @pytest.mark.parametrize("n", [1, 2])
        @pytest.mark.llmfaults("content.empty", "content.null")
        def test_it(n, llmfaults):
            assert not ask()
    """)
    result.assert_outcomes(passed=4)


def test_set_up_does_not_eat_the_first_attempt_and_is_told_what_to_do(suite: Suite) -> None:
    result = suite.run("""
        @pytest.fixture
        def models():
            return ask()

        @pytest.mark.llmfaults("content.empty")
        def test_it(models):
            pass
    """)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*Nothing is injected*llmfaults.inject('ok')*"])


def test_a_testcase_takes_one_fault(suite: Suite) -> None:
    result = suite.run("""
        import unittest

        class Case(unittest.TestCase):
            @pytest.mark.llmfaults("content.empty")
            def test_it(self):
                self.assertEqual(ask(), "")

            @pytest.mark.llmfaults("content.null")
            def test_never_fires(self):
                pass
    """)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*content.null never fired*"])


def test_async_tests(suite: Suite) -> None:
    result = suite.run(
        """
        import httpx2

        async def call():
            async with httpx2.AsyncClient() as client:
                return (await client.post(URL, json={"messages": []})).json()["choices"][0]["message"]["content"]

        @pytest.mark.asyncio
        @pytest.mark.llmfaults("content.empty", "content.null")
        async def test_asyncio(llmfaults):
            assert not await call()

        @pytest.mark.anyio
        @pytest.mark.llmfaults("content.empty", "content.null")
        async def test_anyio(llmfaults, anyio_backend_name):
            assert not await call()
        """,
        "-p",
        "pytest_asyncio",
    )
    result.assert_outcomes(passed=6)


def test_hypothesis_takes_marker_and_fixture(suite: Suite) -> None:
    result = suite.run("""
        from hypothesis import given, strategies as st

        @pytest.mark.llmfaults("content.empty", "content.null")
        @given(st.integers())
        def test_marker(llmfaults, number):
            assert not ask(number=number)

        @given(number=st.integers())
        def test_with(llmfaults, number):
            with llmfaults.inject("status.503", "ok") as seen:
                ask(number=number, seconds=30.0)
                assert seen.attempts == 2
                assert seen.waits == [30.0]
    """)
    result.assert_outcomes(passed=3)


def test_a_marker_for_code_that_streams(suite: Suite) -> None:
    code = """
        @pytest.mark.llmfaults("finish", "body.json_*")
        def test_plain(llmfaults):
            ask()

        @pytest.mark.llmfaults("finish", "control.http_*", stream=True)
        def test_stream(llmfaults):
            ask(stream=True)
    """
    text = suite.run(code, "--collect-only", "-q").stdout.str()
    assert "test_plain[finish.twice]" not in text
    assert "test_plain[body.json_as_text]" in text
    assert "test_stream[finish.twice]" in text


def test_a_marker_that_says_neither(suite: Suite) -> None:
    result = suite.run("""
        @pytest.mark.llmfaults("finish", stream="yes")
        def test_bad(llmfaults): ...
    """)
    result.stdout.fnmatch_lines(
        ["*stream='yes' is not allowed: it is True for code that asks for streams, else False."]
    )


FILTERED = """
    @pytest.mark.llmfaults({marker})
    def test_it(llmfaults):
        {body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "assert ask() == 'Hello'",
        """
        try:
            ask()
        except BaseException:
            pass
        """.strip(),
        """
        try:
            ask()
        finally:
            raise RuntimeError("another error on its heels")
        """.strip(),
    ],
    ids=["raised", "swallowed", "replaced"],
)
def test_a_case_that_only_a_filter_chose_is_skipped_where_it_does_not_apply(suite: Suite, body: str) -> None:
    result = suite.run(FILTERED.format(marker='slot="function_name", draw="depends"', body=body), "-rs")
    assert set(result.parseoutcomes()) == {"skipped"}
    result.stdout.fnmatch_lines(["SKIPPED*tools.name_* does not apply to POST gateway.example.com*offers no tools*"])


CLAUDE = """
    import anthropic

    def say():
        made = anthropic.Anthropic(max_retries=0).messages.create(
            model="claude-sonnet-5-5", max_tokens=9, messages=[{{"role": "user", "content": "x"}}]
        )
        return made.content

    @pytest.mark.llmfaults({marker})
    def test_it(llmfaults):
        say()
"""


def test_a_case_of_a_glob_is_skipped_on_a_wire_that_does_not_have_it(suite: Suite) -> None:
    result = suite.run(CLAUDE.format(marker='"content.refusal*"'), "-rs")
    result.assert_outcomes(skipped=2, passed=1)
    result.stdout.fnmatch_lines(
        ["SKIPPED*content.refusal does not apply to the wire anthropic.messages, which has no refusal."]
    )


def test_a_name_beside_a_glob_leaves_the_cases_of_the_glob_as_they_are(suite: Suite) -> None:
    result = suite.run(CLAUDE.format(marker='"content.refusal*", "content.empty"'), "-rs")
    result.assert_outcomes(skipped=2, passed=2)
    result = suite.run(CLAUDE.format(marker='"content.refusal*", "content.refusal"'))
    result.assert_outcomes(failed=1, skipped=1, passed=1)


def test_a_fault_that_is_named_fails_on_a_wire_that_does_not_have_it(suite: Suite) -> None:
    result = suite.run(CLAUDE.format(marker='"content.refusal"'))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*content.refusal does not apply to the wire anthropic.messages*"])


def test_a_wire_leaves_out_what_it_cannot_carry(suite: Suite) -> None:
    suite.run(CLAUDE.format(marker='"content.refusal*", wire="anthropic.messages"')).assert_outcomes(passed=1)


def test_a_case_that_a_glob_chose_fails_where_it_does_not_apply(suite: Suite) -> None:
    result = suite.run(FILTERED.format(marker='"tools.name_*"', body="ask()"))
    assert set(result.parseoutcomes()) == {"failed"}


def test_a_filtered_case_with_a_request_that_is_not_covered_fails(suite: Suite) -> None:
    body = """
        for url in (URL, "https://elsewhere.example.com/other"):
            try:
                ask(url)
            except BaseException:
                pass
    """.strip()
    result = suite.run(FILTERED.format(marker='slot="function_name", draw="depends"', body=body))
    assert set(result.parseoutcomes()) == {"failed"}


def test_a_case_that_never_fired_is_told_by_the_place_of_its_test(suite: Suite) -> None:
    result = suite.run("""
        @pytest.mark.llmfaults("content.empty")
        def test_it(llmfaults):
            pass
    """)
    lines = (suite.pytester.path / "test_suite.py").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "@pytest.mark" in text)
    result.stdout.fnmatch_lines([f"*content.empty never fired: inject('content.empty') at test_suite.py:{line}*"])


def test_a_case_that_is_skipped_leaves_the_event_loop_of_a_fixture_alive(suite: Suite) -> None:
    result = suite.run(
        """
        from fastapi import FastAPI
        from fastapi.testclient import TestClient

        app = FastAPI()

        @app.get("/")
        async def read():
            return ask(attempts=2)

        @pytest.fixture
        def browser():
            with TestClient(app, raise_server_exceptions=False) as client:
                yield client

        @pytest.mark.llmfaults("stream.block_*", stream=True)
        def test_it(browser):
            browser.get("/")
        """
    )
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"skipped"}, outcomes
