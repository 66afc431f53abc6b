"""``strict`` as a user writes it."""

from __future__ import annotations

import pytest

from tests.suite import Suite

TURNS = """
from pytest_llmfaults import ToolCall, rules, strict

USER = {"role": "user", "content": "Where do I live?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "Oslo"}
GOOD = [USER, CALLING, RESULT]
BAD = [*GOOD, {"role": "user", "content": "Please answer."}]

def say(messages, url=URL, **more):
    return requests.post(url, json={"model": "gpt-5", "messages": messages, **more}, timeout=(3, 20))
"""


def run(suite: Suite, code: str, *arguments: str) -> pytest.RunResult:
    """Run code below some conversations."""
    import textwrap

    return suite.run(TURNS + textwrap.dedent(code), *arguments)


def test_a_breach_is_an_attempt_of_its_own_and_uses_up_no_step(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            held = llmfaults.strict("turn.user_after_tool")
            seen = llmfaults.inject("content.empty", Answer("In Oslo."))
            assert say(BAD).status_code == 400
            assert say(GOOD).json()["choices"][0]["message"]["content"] == ""
            assert say(BAD).status_code == 400
            assert say(GOOD).json()["choices"][0]["message"]["content"] == "In Oslo."
            assert (llmfaults.attempts, seen.attempts, held.attempts) == (4, 2, 2)
            assert [reply.status for reply in llmfaults.replies] == [400, 200, 400, 200]
            assert held.requests == [llmfaults.requests[0], llmfaults.requests[2]]
    """,
    )
    result.assert_outcomes(passed=1)


def test_a_violation_says_what_and_where(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            held = llmfaults.strict("turn.*")
            llmfaults.inject("ok")
            say(GOOD), say(BAD)
            [one] = llmfaults.violations
            assert held.violations == llmfaults.violations
            assert (one.rule, one.attempt, one.index) == ("turn.user_after_tool", 2, 3)
            assert one.request is llmfaults.requests[1]
            assert str(one) == (
                "#2 broke turn.user_after_tool: messages[3] has the role user, directly after a tool"
            )
            assert str(held).splitlines()[1:] == [str(one)]
            assert str(llmfaults).splitlines()[1].endswith("-> turn.user_after_tool [read]")
    """,
    )
    result.assert_outcomes(passed=1)


def test_a_rule_need_not_be_broken_and_a_fault_still_has_to_fire(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_kept(llmfaults):
            llmfaults.strict("turn.*")
            llmfaults.inject("ok")
            say(GOOD)
            assert llmfaults.violations == []

        def test_never_fired(llmfaults):
            llmfaults.strict("turn.*")
            llmfaults.inject("content.empty")
            say(BAD)
    """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*content.empty never fired*met no request.", "*it broke turn.user_after_tool*"])


def test_the_report_of_a_failing_test_tells_it(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.strict("turn.*")
            llmfaults.inject("ok")
            say(BAD).raise_for_status()
    """,
    )
    result.stdout.fnmatch_lines(["*-> turn.user_after_tool*", "#1 broke turn.user_after_tool: messages[[]3[]] has*"])


def test_a_request_that_no_injection_covers_stays_refused(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.strict("turn.*")
            say(BAD)
    """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*was refused before it left the machine: no injection covers it.*"])


def test_filters_choose_the_strict_provider(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.strict("turn.*", host="*.mistral.example")
            llmfaults.strict("turn.*", when=lambda request: request.field("temperature") == 0)
            llmfaults.strict("turn.*", model="strict-1", wire="openai.chat")
            llmfaults.inject("ok")
            assert say(BAD).status_code == 200
            assert say(BAD, url="https://api.mistral.example/v1/chat/completions").status_code == 400
            assert say(BAD, temperature=0).status_code == 400
            assert say(BAD, model="strict-1").status_code == 400
    """,
    )
    result.assert_outcomes(passed=1)


def test_rules_are_asked_in_the_order_of_definition_and_one_answers(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.strict("turn.context_limit", characters=100)
            llmfaults.strict("turn.user_after_tool")
            llmfaults.inject("ok")
            assert say(BAD).json()["error"]["code"] == "context_length_exceeded"
            assert [one.rule for one in llmfaults.violations] == ["turn.context_limit"]
            assert llmfaults.violations[0].index is None
    """,
    )
    result.assert_outcomes(passed=1)


def test_with_ends_it(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.inject("ok")
            with llmfaults.strict("turn.user_after_tool") as held:
                assert say(BAD).status_code == 400
            assert say(BAD).status_code == 200
            assert len(held.violations) == 1
            with pytest.raises(ValueError, match="was entered before: write a new strict"):
                held.__enter__()
    """,
    )
    result.assert_outcomes(passed=1)


def test_a_stream_request_gets_the_same_refusal(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.strict("turn.*")
            llmfaults.inject("ok")
            whole, stream = say(BAD), say(BAD, stream=True)
            assert (stream.status_code, stream.content) == (whole.status_code, whole.content)
    """,
    )
    result.assert_outcomes(passed=1)


def test_under_a_marker(suite: Suite) -> None:
    result = run(
        suite,
        """
        @pytest.mark.llmfaults("content.empty", "content.null", then="ok")
        def test_it(llmfaults):
            llmfaults.strict("turn.*")
            assert say(BAD).status_code == 400
            assert not say(GOOD).json()["choices"][0]["message"]["content"]
    """,
    )
    result.assert_outcomes(passed=2)


def test_an_own_path_on_a_named_wire(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.strict("turn.*")
            llmfaults.inject("ok", wire="openai.chat")
            assert say(BAD, url="https://gateway.example.com/llm/ask").status_code == 400
    """,
    )
    result.assert_outcomes(passed=1)


def test_a_used_up_injection_does_not_hide_the_rules(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.strict("turn.*")
            llmfaults.inject("content.empty", times=1)
            assert say(GOOD).status_code == 200
            assert say(BAD).status_code == 400
            assert say(GOOD).status_code == 200
    """,
    )
    result.assert_outcomes(passed=1)


def test_a_mocks_own_route_is_not_ours_to_refuse(suite: Suite) -> None:
    result = run(
        suite,
        """
        import responses

        @responses.activate
        def test_it(llmfaults):
            responses.add("POST", URL, json={"mine": True})
            llmfaults.strict("turn.*")
            llmfaults.inject("ok", times=1)
            assert say(BAD).status_code == 400
            assert say(GOOD).status_code == 200
            assert say(BAD).json() == {"mine": True}
    """,
    )
    result.assert_outcomes(passed=1)


def test_anywhere_else(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it():
            with inject("ok") as seen, strict("turn.*") as held:
                assert say(BAD).status_code == 400
                assert say(GOOD).status_code == 200
            assert (seen.attempts, len(held.violations)) == (1, 1)

        def test_nothing_could_be_strict():
            with pytest.raises(ValueError, match="Write: with inject.'ok'., strict"):
                strict("turn.*")
    """,
    )
    result.assert_outcomes(passed=2)


def test_hypothesis_needs_with(suite: Suite) -> None:
    result = run(
        suite,
        """
        from hypothesis import given, settings, strategies as st

        @settings(max_examples=5, database=None, deadline=None)
        @given(text=st.text(min_size=1))
        def test_with(llmfaults, text):
            with llmfaults.strict("turn.*") as held, llmfaults.inject("ok"):
                say([*BAD[:-1], {"role": "user", "content": text}])
            assert len(held.violations) == 1

        @settings(max_examples=5, database=None, deadline=None)
        @given(text=st.text())
        def test_bare(llmfaults, text):
            llmfaults.strict("turn.*")
    """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*strict('turn.*is a bare statement*with llmfaults.strict(...) as seen:*"])


def test_the_wrong_verb(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            for wrong, words in {
                "body.empty": "is a fault in a reply, not a rule on requests: llmfaults.inject",
                "turn.altenating": "Did you mean 'turn.alternating'",
                "turn.reasoning_*": "have to be named in full: turn.reasoning_required",
            }.items():
                with pytest.raises(ValueError, match=words):
                    llmfaults.strict(wrong)
            with pytest.raises(ValueError, match="turn.. are rules on requests. Hold the code to one with"):
                llmfaults.inject("turn.alternating")
            with pytest.raises(ValueError, match="needs a rule: a name such as"):
                llmfaults.strict()
            with pytest.raises(ValueError, match="is not a rule's name, a glob or a Rule"):
                llmfaults.strict(Answer("x"))
            with pytest.raises(ValueError, match="has no parameter 'characters'"):
                llmfaults.strict("turn.alternating", characters=500)
            with pytest.raises(ValueError, match="wire='nope' is not a wire"):
                llmfaults.strict("turn.alternating", wire="nope")

        @pytest.mark.llmfaults("content.empty")
        def test_a_rule_is_a_step_of_its_own(llmfaults):
            [rule] = rules("turn.alternating")
            held = llmfaults.strict(rule)
            assert say([USER, USER]).status_code == 400
            assert say([USER]).status_code == 200
    """,
    )
    result.assert_outcomes(passed=2)


def test_a_marker_that_names_a_rule_is_one_clear_line(suite: Suite) -> None:
    result = run(
        suite,
        """
        @pytest.mark.llmfaults("turn.*")
        def test_it(llmfaults):
            pass
    """,
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*'turn.[*]' is not a fault in a reply: turn.[*] are rules on requests.*"])


def test_a_function_in_when_that_raises_is_a_refusal(suite: Suite) -> None:
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.strict("turn.*", when=lambda request: request.nothing)
            llmfaults.inject("ok")
            say(GOOD)
    """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*when= of strict(*raised AttributeError*"])


def test_a_loop_that_sends_the_same_breach_without_an_end_is_ended(suite: Suite) -> None:
    suite.pytester.makeini("[pytest]\nllmfaults_attempt_limit = 5\nasyncio_default_fixture_loop_scope = function\n")
    result = run(
        suite,
        """
        def test_it(llmfaults):
            llmfaults.strict("turn.*")
            llmfaults.inject("ok")
            while say(BAD).status_code == 400:
                assert len(llmfaults.violations) <= 5
    """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*strict('turn.user_after_tool'*answered 5 attempts and is asked for more*"])
