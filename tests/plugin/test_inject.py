"""``inject`` as a user writes it."""

from __future__ import annotations

from tests.suite import Suite


def test_first_attempt_meets_the_fault_and_the_last_step_repeats(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            seen = llmfaults.inject("body.truncated_json", "ok")
            assert ask() == "Hello from a healthy model."
            assert ask() == "Hello from a healthy model."
            assert llmfaults.attempts == seen.attempts == 3
            assert llmfaults.waits[0] == 1.0
            assert llmfaults.elapsed_seconds == 1.0
    """)
    result.assert_outcomes(passed=1)


def test_without_a_further_step_the_fault_persists(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("status.503")
            assert ask() == "gave up"
            assert llmfaults.attempts == 3
            assert llmfaults.waits == [1.0, 2.0]
            assert llmfaults.elapsed_seconds == 7.0
    """)
    result.assert_outcomes(passed=1)


def test_times_is_used_up_and_then_the_healthy_reply_answers(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("status.503", times=2)
            assert ask() == "Hello from a healthy model."
            assert llmfaults.attempts == 3
    """)
    result.assert_outcomes(passed=1)


def test_answers_replies_and_functions_are_steps(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject(
                Answer("one"),
                Reply.json({"choices": [{"message": {"content": "two"}}]}),
                lambda request: Answer(request.model),
                lambda request: "content.empty",
            )
            assert [ask() for _ in range(4)] == ["one", "two", "gpt-5", ""]
    """)
    result.assert_outcomes(passed=1)


def test_the_body_of_last_nights_incident(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject(Reply.text("upstream connect error", status=200), "ok")
            assert ask() == "Hello from a healthy model."
            assert llmfaults.replies[0].body == b"upstream connect error"
    """)
    result.assert_outcomes(passed=1)


def test_filters_choose_requests_and_views_choose_attempts(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            small = llmfaults.inject(Answer("small"), model="gpt-5-mini")
            other = llmfaults.inject(Answer("other"), host="*.example.org")
            asked = llmfaults.inject(Answer("temperature"), when=lambda request: request.field("temperature") == 0)
            llmfaults.inject("ok")
            assert ask(model="gpt-5-mini") == "small"
            assert ask(url="https://eu.example.org/v1/chat/completions") == "other"
            assert ask(temperature=0) == "temperature"
            assert ask() == "Hello from a healthy model."
            assert (small.attempts, other.attempts, asked.attempts) == (1, 1, 1)
            assert llmfaults.on(host="gateway.example.com").attempts == 3
            assert llmfaults.on(model="gpt-5-mini").requests[0].model == "gpt-5-mini"
    """)
    result.assert_outcomes(passed=1)


def test_each_distinct_request_has_its_own_sequence(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("status.503", "ok", per_request=True)
            assert [ask(chunk=number) for number in range(3)] == ["Hello from a healthy model."] * 3
            assert llmfaults.attempts == 6
    """)
    result.assert_outcomes(passed=1)


def test_a_with_block_ends_the_injection_and_the_next_takes_over(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            with llmfaults.inject("content.empty") as first:
                assert ask() == ""
            with llmfaults.inject(Answer("second")) as second:
                assert ask() == "second"
            assert (first.attempts, second.attempts) == (1, 1)
    """)
    result.assert_outcomes(passed=1)


def test_async_with(suite: Suite) -> None:
    result = suite.run("""
        import asyncio, httpx2

        async def call():
            async with httpx2.AsyncClient() as client:
                return (await client.post(URL, json={"messages": []})).json()["choices"][0]["message"]["content"]

        def test_it(llmfaults):
            async def body():
                async with llmfaults.inject("content.empty") as seen:
                    assert await call() == ""
                assert seen.attempts == 1
            asyncio.run(body())
    """)
    result.assert_outcomes(passed=1)


def test_outside_a_test_with_begins_a_run_of_its_own(suite: Suite) -> None:
    result = suite.run("""
        def test_it():
            with inject("status.503") as seen:
                assert ask() == "gave up"
            assert seen.attempts == 3
            assert seen.waits == [1.0, 2.0]
    """)
    result.assert_outcomes(passed=1)


def test_outside_a_test_a_bare_statement_says_that_it_did_nothing(suite: Suite) -> None:
    result = suite.run("""
        import gc
        def test_it():
            with pytest.warns(RuntimeWarning, match="injected nothing: outside a test write with inject"):
                inject("status.503")
                gc.collect()
    """)
    result.assert_outcomes(passed=1)


def test_the_suite_says_what_the_healthy_model_says(suite: Suite) -> None:
    result = suite.run(
        """
        def test_it(llmfaults):
            llmfaults.inject("ok")
            assert ask() == "from the suite"

        def test_other(llmfaults):
            llmfaults.inject("ok", answer=Answer("from the call"))
            assert ask() == "from the call"

        @pytest.mark.llmfaults("status.503", then="ok", answer=Answer("from the marker"))
        def test_marker():
            assert ask() == "from the marker"
        """,
        conftest="""
        import pytest
        from pytest_llmfaults import Answer

        @pytest.fixture(scope="session")
        def llmfaults_answer():
            return Answer("from the suite")
        """,
    )
    result.assert_outcomes(passed=3)


def test_a_fixture_of_any_scope_may_take_the_handle(suite: Suite) -> None:
    result = suite.run("""
        @pytest.fixture(scope="session")
        def broken(llmfaults):
            return lambda: llmfaults.inject("content.empty")

        @pytest.fixture
        def healthy_at_set_up(llmfaults):
            with llmfaults.inject(Answer("list of models")):
                assert ask() == "list of models"

        def test_one(broken):
            broken()
            assert ask() == ""

        def test_two(broken, healthy_at_set_up, llmfaults):
            llmfaults.inject(Answer("again"))
            assert ask() == "again"
            assert llmfaults.attempts == 2
    """)
    result.assert_outcomes(passed=2)


def test_a_company_path_is_named_by_wire_or_by_ini(suite: Suite) -> None:
    suite.pytester.makeini(
        "[pytest]\nasyncio_default_fixture_loop_scope = function\nllmfaults_routes = openai.chat = /llm/ask\n"
    )
    result = suite.run("""
        def test_ini(llmfaults):
            llmfaults.inject("content.empty")
            assert ask(url="https://llm.example.com/llm/ask") == ""

        def test_wire(llmfaults):
            llmfaults.inject("content.empty", wire="openai.chat")
            assert ask(url="https://llm.example.com/other") == ""
    """)
    result.assert_outcomes(passed=2)
