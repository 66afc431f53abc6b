"""Faults that never fired, requests that were refused, and what a person sees of them."""

from __future__ import annotations

import pytest

from tests.suite import Suite


def test_no_request_at_all(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("content.empty")
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*content.empty never fired: inject('content.empty') at test_suite.py:*"])
    result.stdout.fnmatch_lines(["*No request was made.*MagicMock*"])


def test_a_step_that_was_not_reached(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("status.503", "content.null")
            ask(attempts=1)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*content.null never fired*met 1 request and has 2 steps*"])


def test_a_request_that_did_not_match_is_named_with_the_reason(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("content.empty", model="gpt-4")
            llmfaults.inject("ok")
            ask()
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*content.empty never fired*", "*its model is 'gpt-5', not model='gpt-4'*"])


def test_a_reply_that_met_no_request_is_named(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject(Reply.text("upstream connect error", status=502), "ok")
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*reply 502 never fired: inject('reply 502', 'ok') at test_suite.py:* met no request*"]
    )


def test_answers_and_ok_need_not_fire(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject(Answer("x"), when=lambda request: False)
            llmfaults.inject("ok")
    """)
    result.assert_outcomes(passed=1)


def test_outcomes_of_the_test_itself_are_left_alone(suite: Suite) -> None:
    result = suite.run("""
        def test_own_failure(llmfaults):
            llmfaults.inject("content.empty")
            raise KeyError("mine")

        def test_skip(llmfaults):
            llmfaults.inject("content.empty")
            pytest.skip("not today")

        @pytest.mark.xfail(strict=True)
        def test_xfail(llmfaults):
            llmfaults.inject("content.empty")
    """)
    result.assert_outcomes(failed=1, skipped=1, xfailed=1)
    result.stdout.no_fnmatch_line("*ERROR*")


def test_a_with_block_is_judged_at_its_end(suite: Suite) -> None:
    result = suite.run("""
        from pytest_llmfaults import NeverFired

        def test_it(llmfaults):
            with pytest.raises(NeverFired, match="content.empty never fired"):
                with llmfaults.inject("content.empty"):
                    pass

        def test_outside():
            with pytest.raises(NeverFired, match="content.empty never fired"):
                with inject("content.empty"):
                    pass

        def test_own_error(llmfaults):
            with pytest.raises(KeyError):
                with llmfaults.inject("content.empty"):
                    raise KeyError
    """)
    result.assert_outcomes(passed=3)


def test_a_request_that_nothing_covers_is_refused_and_cannot_be_swallowed(suite: Suite) -> None:
    result = suite.run("""
        def test_plain(llmfaults):
            ask()

        def test_swallowed(llmfaults):
            try:
                ask()
            except:
                pass

        def test_other_host(llmfaults):
            try:
                requests.get("https://example.com/")
            except BaseException:
                pass

        def test_expected(llmfaults):
            with pytest.raises(Refused):
                ask()

        def test_skipped(llmfaults):
            try:
                ask()
            except BaseException:
                pytest.skip("offline")
    """)
    result.assert_outcomes(failed=5)
    result.stdout.fnmatch_lines(["*POST gateway.example.com/v1/chat/completions (requests) was refused before*"])


def test_a_list_that_a_library_fetches_for_itself_is_as_telemetry_is(suite: Suite) -> None:
    suite.run(
        """
        def test_one(llmfaults):
            url = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
            with pytest.raises(requests.ConnectionError):
                requests.get(url, timeout=5)
            assert len(llmfaults.refusals) == 1
        """
    ).assert_outcomes(passed=1)


def test_telemetry_is_refused_and_listed_and_does_not_fail(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("ok")
            with pytest.raises(requests.ConnectionError):
                requests.post("https://eu.posthog.com/batch", json={})
            assert ask()
            assert llmfaults.refusals == ["telemetry: POST eu.posthog.com/batch"]
            assert llmfaults.attempts == 1
    """)
    result.assert_outcomes(passed=1)


def test_a_wire_that_is_not_there_yet_is_named(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("ok")
            requests.post("https://api.openai.com/v1/completions", json={})
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*is on the wire openai.completions, which this version cannot speak yet*"])


def test_a_fault_of_the_other_kind_of_request_is_named(suite: Suite) -> None:
    result = suite.run("""
        def test_no_stream(llmfaults):
            llmfaults.inject("stream.empty")
            ask()

        def test_stream(llmfaults):
            llmfaults.inject("body.truncated_json")
            ask(stream=True)
    """)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*it corrupts a stream, and the request asks for none. Let it say stream=true.*",
            "*and the request asks for a stream (stream=true). Take transport.chunked_cut or stream.eof_mid_event.*",
        ]
    )


def test_the_story_of_a_stream(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("stream.closed")
            ask(stream=True)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["#1 POST *chat/completions -> stream.closed [[]3 events, 10 characters, cut], *"])


def test_the_story_of_a_failing_test(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("status.503", "ok")
            assert ask(url=URL + "?key=sk-secret") == "something else"
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- llmfaults -*",
            "#1 POST gateway.example.com/v1/chat/completions -> status.503 [[]read], then waited 1 s",
            "#2 POST gateway.example.com/v1/chat/completions -> ok [[]read]",
        ]
    )


def test_a_passing_test_says_nothing(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("ok")
            ask()
    """)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*gateway.example.com*")


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "GROQ_API_KEY"])
def test_placeholder_keys_come_and_go(suite: Suite, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name, raising=False)
    result = suite.run(f"""
        import os

        def test_before():
            assert "{name}" not in os.environ

        def test_inside(llmfaults):
            assert os.environ["{name}"] == "placeholder-key"

        def test_after():
            assert "{name}" not in os.environ
    """)
    result.assert_outcomes(passed=3)


def test_placeholder_keys_leave_set_variables_alone(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "mine")
    result = suite.run("""
        import os

        def test_inside(llmfaults):
            assert os.environ["OPENAI_API_KEY"] == "mine"
    """)
    result.assert_outcomes(passed=1)


def test_placeholder_keys_at_import_by_ini(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    suite.pytester.makeini(
        "[pytest]\nasyncio_default_fixture_loop_scope = function\nllmfaults_placeholder_keys = true\n"
    )
    result = suite.run("""
        import openai
        client = openai.OpenAI()

        def test_it(llmfaults):
            llmfaults.inject("ok")
            reply = client.chat.completions.create(model="gpt-5", messages=[])
            assert reply.choices[0].message.content == "Hello from a healthy model."
    """)
    result.assert_outcomes(passed=1)


def test_a_retry_loop_without_an_end_is_ended_and_named(suite: Suite) -> None:
    result = suite.run(
        """
        def test_it(llmfaults):
            llmfaults.inject("status.503")
            while True:
                try:
                    ask(attempts=1)
                except Exception:
                    pass
    """,
        "-o",
        "llmfaults_attempt_limit=40",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*inject('status.503') at test_suite.py:* answered 40 attempts*retries without an end*"]
    )


@pytest.mark.parametrize("text", ["0", "-1", "many"])
def test_a_bad_limit_of_attempts_is_said(suite: Suite, text: str) -> None:
    result = suite.run("def test_it():\n    pass", "-o", f"llmfaults_attempt_limit={text}")
    result.stderr.fnmatch_lines([f"*llmfaults_attempt_limit: '{text}' is not a number of attempts*"])
