"""Strategies with the fixture, the marker and the rest of pytest and Hypothesis, with no health check suppressed."""

from __future__ import annotations

import pytest

from pytest_llmfaults._views import View
from tests.suite import Suite

IMPORTS = """
import hypothesis
from hypothesis import example, given, settings, strategies as st
from pytest_llmfaults import strategies

hypothesis.settings.register_profile("here", max_examples=40, database=None, derandomize=True, deadline=None)
hypothesis.settings.load_profile("here")

class MyError(Exception):
    pass

def guarded(**more):
    try:
        return ask(attempts=1, **more)
    except requests.RequestException as error:
        raise MyError from error
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise MyError from error
"""


def run(suite: Suite, code: str, *arguments: str) -> pytest.RunResult:
    import textwrap

    return suite.run(IMPORTS + textwrap.dedent(code), *arguments)


def test_the_fixture_takes_faults_variants_answers_and_sequences(suite: Suite) -> None:
    result = run(
        suite,
        """
        @given(fault=strategies.faults("openai.chat"))
        def test_faults(llmfaults, fault):
            with llmfaults.inject(fault) as seen:
                try:
                    guarded()
                except MyError:
                    pass
                assert seen.attempts >= 1
            assert llmfaults.attempts >= 1

        @given(variant=strategies.variants("openai.chat"))
        def test_variants(llmfaults, variant):
            with llmfaults.inject(variant) as seen:
                try:
                    guarded()
                except MyError:
                    pass
                assert seen.replies[0].status == variant.reply.status
                if variant.of == "text":
                    assert seen.replies[0].body == variant.reply.body

        @given(answer=strategies.answers())
        def test_answers(llmfaults, answer):
            with llmfaults.inject(answer):
                text = ask()
            assert text == answer.text or answer.data is not None or answer.tool_calls or answer.text is None

        @given(steps=strategies.sequences(strategies.faults("openai.chat", "status.50?", draw="fresh"), max_size=2))
        def test_sequences(llmfaults, steps):
            with llmfaults.inject(*steps) as seen:
                assert ask(attempts=3) == "Hello from a healthy model."
            assert seen.attempts == len(steps)
            assert seen.waits == [1.0, 2.0][: len(steps) - 1]
        """,
    )
    result.assert_outcomes(passed=4)


def test_a_variant_changes_what_the_suites_model_says(suite: Suite) -> None:
    result = run(
        suite,
        """
        from pytest_llmfaults.strategies import put, remove, variant

        ODD = put("choices", 0, "finish_reason", value="odd")

        @pytest.fixture
        def llmfaults_answer():
            return Answer("what the suite says")

        def test_suite(llmfaults):
            llmfaults.inject(variant("openai.chat", ODD))
            assert ask() == "what the suite says"
            assert b'"odd"' in llmfaults.replies[0].body
            assert "-> put('choices', 0, 'finish_reason', value='odd') [" in str(llmfaults.on())

        def test_answer(llmfaults):
            llmfaults.inject(variant("openai.chat", ODD), answer=Answer("what this test says"))
            assert ask() == "what this test says"

        def test_own(llmfaults):
            llmfaults.inject(variant("openai.chat", ODD, answer=Answer("what the variant says")))
            assert ask() == "what the variant says"
        """,
    )
    result.assert_outcomes(passed=3)


def test_each_example_is_clean(suite: Suite) -> None:
    result = run(
        suite,
        """
        @given(fault=strategies.faults("openai.chat", ["content.empty", "status.50?"]))
        def test_it(llmfaults, fault):
            before = llmfaults.attempts
            with llmfaults.inject(fault, times=1) as seen:
                assert seen.attempts == 0
                ask()
                ask()
            assert seen.attempts == llmfaults.attempts - before
            with llmfaults.inject("ok") as after:
                assert ask() == "Hello from a healthy model."
            assert after.attempts == 1
        """,
    )
    result.assert_outcomes(passed=1)


def test_a_failure_shows_its_own_example_and_no_other(suite: Suite) -> None:
    result = run(
        suite,
        """
        @given(times=st.integers(1, 40))
        def test_it(llmfaults, times):
            with llmfaults.inject("ok"):
                for number in range(times):
                    ask(number=number)
            assert times < 20
        """,
    )
    result.assert_outcomes(failed=1)
    shown = "\n".join(result.outlines)
    assert "llmfaults=<LLMFaults>," in shown
    result.stdout.re_match_lines([r"Requests of earlier examples, left out here: \d{2,}\. Of the last one:"])
    assert sum(" -> ok [" in line for line in result.outlines) == 20


def test_the_view_shows_few_waits() -> None:
    waits = type("Many", (View,), {"waits": [0.0] * 30, "attempts": 31})(list)
    assert repr(waits) == f"<Many attempts=31 waits={[0.0] * 8} and 22 more>"
    assert repr(View(list)) == "<View attempts=0 waits=[]>"


def test_a_statement_without_with_is_refused(suite: Suite) -> None:
    result = run(
        suite,
        """
        @given(fault=strategies.faults("openai.chat", "content"))
        def test_it(llmfaults, fault):
            llmfaults.inject(fault)
            ask()
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*bare statement inside a Hypothesis example*"])


def test_the_marker_and_given_together(suite: Suite) -> None:
    result = run(
        suite,
        """
        @pytest.mark.llmfaults("content.empty", "content.null")
        @given(number=st.integers(0, 9))
        def test_marker(llmfaults, number):
            assert not ask(number=number)

        @pytest.mark.llmfaults("content.empty")
        @given(answer=strategies.answers())
        def test_wire(llmfaults, answer):
            assert ask() == ""
        """,
    )
    result.assert_outcomes(passed=3)


ASYNC = """
import httpx2

async def call():
    async with httpx2.AsyncClient() as client:
        try:
            reply = await client.post(URL, json={"model": "gpt-5", "messages": []})
            return reply.json()["choices"][0]["message"]["content"]
        except (httpx2.HTTPError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise MyError from error

async def one(llmfaults, fault):
    async with llmfaults.inject(fault, times=1) as seen:
        try:
            await call()
        except MyError:
            pass
        assert seen.attempts >= 1
"""


def test_async_tests_of_three_plugins(suite: Suite) -> None:
    result = suite.run(
        IMPORTS
        + ASYNC
        + """
FAULTS = strategies.faults("openai.chat", ["content", "envelope", "status.50?"])

@pytest.mark.asyncio
@given(fault=FAULTS)
async def test_asyncio(llmfaults, fault):
    await one(llmfaults, fault)

@pytest.mark.anyio
@given(fault=FAULTS)
async def test_anyio(llmfaults, fault):
    await one(llmfaults, fault)

@given(fault=FAULTS)
def test_trio(llmfaults, fault):
    import trio
    trio.run(one, llmfaults, fault)
""",
        "-p",
        "pytest_asyncio",
    )
    result.assert_outcomes(passed=4)


def test_stateful_tests(suite: Suite) -> None:
    result = run(
        suite,
        """
        from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

        class Conversation(RuleBasedStateMachine):
            def __init__(self):
                super().__init__()
                self.said = []

            @rule(answer=st.sampled_from([Answer("one"), Answer("two")]))
            def good_turn(self, answer):
                with inject(answer):
                    self.said.append(ask())

            @rule(variant=strategies.variants("openai.chat", families=["content", "envelope", "body"]))
            def bad_turn(self, variant):
                with inject(variant):
                    try:
                        guarded()
                    except MyError:
                        pass

            @invariant()
            def only_what_was_said(self):
                assert set(self.said) <= {"one", "two"}

        Conversation.TestCase.settings = settings(max_examples=10, stateful_step_count=8)
        TestConversation = Conversation.TestCase
        """,
    )
    result.assert_outcomes(passed=1)


def test_an_explicit_example_is_a_pasted_line(suite: Suite) -> None:
    result = run(
        suite,
        """
        from pytest_llmfaults.strategies import fault, put, remove, variant

        SEEN = []

        @example(envelope=variant("openai.chat", remove("choices", 0, "message")).value)
        @example(envelope=variant("openai.chat", fault("content.null")).value)
        @given(envelope=strategies.envelopes("openai.chat"))
        def test_envelopes(envelope):
            SEEN.append(envelope)

        @example(fault=fault("transport.latency", seconds=3.0))
        @given(fault=strategies.faults("openai.chat"))
        def test_faults(llmfaults, fault):
            with llmfaults.inject(fault, "ok"):
                try:
                    guarded()
                except MyError:
                    pass

        def test_seen():
            texts = [seen["choices"][0].get("message", {"content": "none"})["content"] for seen in SEEN[:2]]
            assert texts == [None, "none"] or texts == ["none", None]
        """,
    )
    result.assert_outcomes(passed=3)


def test_a_failure_is_shown_as_one_line_that_can_be_pasted(suite: Suite) -> None:
    result = run(
        suite,
        """
        @given(envelope=strategies.envelopes("openai.chat"))
        def test_envelope(envelope):
            assert isinstance(envelope, dict)
            assert "choices" in envelope

        @settings(max_examples=300)
        @given(body=strategies.bodies("openai.chat"))
        def test_body(body):
            assert body.endswith(b"}")

        @given(variant=strategies.variants("openai.chat"))
        def test_variant(variant):
            assert variant.reply.status < 500

        @given(fault=strategies.faults("openai.chat", "transport.latency"))
        def test_fault(fault):
            assert fault.given.get("seconds", 0) < 3
        """,
    )
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(
        [
            "*envelope=variant('openai.chat', *).value*",
            "*body=variant('openai.chat', *).body*",
            "*variant=variant('openai.chat', fault('status.*'))*",
            "*fault=fault('transport.latency', seconds=3.0)*",
        ]
    )


def test_the_example_database_replays_a_failure_first(suite: Suite) -> None:
    code = """
        from hypothesis.database import DirectoryBasedExampleDatabase

        COUNT = []

        @settings(database=DirectoryBasedExampleDatabase("examples"), derandomize=False, max_examples=300)
        @given(envelope=strategies.envelopes("openai.chat"))
        def test_it(envelope):
            COUNT.append(envelope)
            if not (isinstance(envelope, dict) and "choices" in envelope):
                with open("found", "a") as file:
                    file.write(f"{len(COUNT)}\\n")
                raise AssertionError
        """
    for _ in range(2):
        run(suite, code).assert_outcomes(failed=1)
    lines = (suite.pytester.path / "found").read_text().splitlines()
    assert "1" in lines[1:], "the second run begins with what the first one found"


def test_fixtures_that_are_set_up_without_any_hook(suite: Suite) -> None:
    """As HypoFuzz does it, which goes from one test to another and back."""
    conftest = """
        from pytest_llmfaults._pytest import using

        def fuzz(item, examples):
            item.session._setupstate.setup(item)
            handle = item._request.getfixturevalue("llmfaults")
            for _ in range(examples):
                item.obj(llmfaults=handle)
            print(item.name, len(using.of(item).run.injections), "injections are kept")
            item.session._setupstate.teardown_exact(None)

        def pytest_collection_finish(session):
            for item in [*session.items, *session.items]:
                fuzz(item, 2)
            print("fuzzed")
        """
    code = """
        @given(fault=strategies.faults("openai.chat", ["content.empty", "content.whitespace"]))
        def test_one(llmfaults, fault):
            before = llmfaults.attempts
            assert before == 0, "each example begins without the attempts of others"
            with llmfaults.inject(fault):
                ask()
            assert llmfaults.attempts == 1

        @given(answer=strategies.answers())
        def test_two(llmfaults, answer):
            with llmfaults.inject(answer) as seen:
                ask()
            assert seen.attempts == 1
        """
    import textwrap

    result = suite.run(IMPORTS + textwrap.dedent(code), "--collect-only", "-s", conftest=conftest)
    result.stdout.fnmatch_lines(["test_one 0 injections are kept", "test_two 0 injections are kept", "*fuzzed*"])
    assert result.ret == 0


def test_profiles(suite: Suite) -> None:
    suite.pytester.makeconftest(
        """
        from hypothesis import settings
        settings.register_profile("ci", max_examples=7, database=None, deadline=None)
        """
    )
    result = suite.run(
        """
        from hypothesis import given
        from pytest_llmfaults import strategies

        COUNT = []

        @given(variant=strategies.variants("openai.chat"))
        def test_it(variant):
            COUNT.append(variant)

        def test_count():
            assert len(COUNT) == 7
        """,
        "--hypothesis-profile=ci",
    )
    result.assert_outcomes(passed=2)


def test_xdist(suite: Suite) -> None:
    import textwrap

    suite.pytester.makepyfile(
        test_parallel="import requests, pytest\n"
        + textwrap.dedent("""
        from hypothesis import given, settings
        from pytest_llmfaults import strategies

        @pytest.mark.parametrize("number", range(4))
        @settings(max_examples=20, database=None, deadline=None)
        @given(fault=strategies.faults("openai.chat", "content"))
        def test_it(llmfaults, number, fault):
            with llmfaults.inject(fault, times=1):
                reply = requests.post("https://gateway.example.com/v1/chat/completions", json={"messages": []})
            assert reply.status_code
        """)
    )
    result = suite.pytester.runpytest_subprocess("-n", "2", "-p", "xdist")
    result.assert_outcomes(passed=4)


def test_the_handle_shows_the_example_that_runs(suite: Suite) -> None:
    result = run(
        suite,
        """
        @given(attempts=st.integers(1, 4))
        def test_it(llmfaults, attempts):
            with llmfaults.inject("status.503"):
                assert ask(attempts=attempts) == "gave up"
                assert llmfaults.attempts == attempts
            assert len(llmfaults.waits) == attempts - 1
            assert llmfaults.elapsed_seconds == 2.0**attempts - 1
        """,
    )
    result.assert_outcomes(passed=1)
