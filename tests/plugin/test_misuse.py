"""Bad input is one clear line, at collection or at the call, with no traceback of ours."""

from __future__ import annotations

import pytest

from tests.suite import Suite

AT_COLLECTION = [
    ('@pytest.mark.llmfaults("content.emty")', "*'content.emty' is not a fault. Did you mean 'content.empty'*"),
    ('@pytest.mark.llmfaults("contnt.*")', "*'contnt.[*]' is not a fault.*"),
    ("@pytest.mark.llmfaults()", "*name a fault, a family or a glob*"),
    ("@pytest.mark.llmfaults", "*name a fault, a family or a glob*"),
    ('@pytest.mark.llmfaults(draw="frsh")', "*draw='frsh' is not allowed: Did you mean 'fresh'?*"),
    ('@pytest.mark.llmfaults("content.empty", secnds=3)', "*content.empty has no parameter 'secnds'*It has none*"),
    ('@pytest.mark.llmfaults("transport.latency", seconds=-1)', "*seconds=-1 is not allowed*from*"),
    ('@pytest.mark.llmfaults("content.empty", wire="opnai.chat")', "*wire='opnai.chat' is not a wire.*openai.chat*"),
    ('@pytest.mark.llmfaults("content.empty", then="okk")', "*'okk' is not a fault*"),
    ('@pytest.mark.llmfaults("content.empty", then=("ok", "status.503"), times=2)', "*times=2 ends before*"),
    ('@pytest.mark.llmfaults("content.empty", times=0)', "*times=0 is not a number of attempts*"),
    (
        '@pytest.mark.llmfaults("content.empty")\n@pytest.mark.llmfaults("content.null")',
        "*stand on the same object and contradict each other*",
    ),
    ('@pytest.mark.llmfault("content.empty")', "*@pytest.mark.llmfault is not a marker*@pytest.mark.llmfaults?*"),
    ('@pytest.mark.llm_faults("content.empty")', "*Did you mean @pytest.mark.llmfaults?*"),
    ("@pytest.mark.llmfaults(Answer('x'))", "*is not a fault's name, a glob or a Fault*"),
]


@pytest.mark.parametrize(("decorator", "line"), AT_COLLECTION, ids=[str(n) for n in range(len(AT_COLLECTION))])
def test_a_bad_marker_stops_collection_with_one_line(suite: Suite, decorator: str, line: str) -> None:
    result = suite.run(decorator + "\ndef test_it():\n    pass\n", "-W", "ignore::pytest.PytestUnknownMarkWarning")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([line])
    assert "Traceback" not in result.stdout.str()
    assert "pytest_llmfaults/" not in result.stdout.str()


def test_a_family_on_a_testcase_is_a_clear_error(suite: Suite) -> None:
    result = suite.run("""
        import unittest

        class Case(unittest.TestCase):
            @pytest.mark.llmfaults("content.*")
            def test_it(self):
                pass
    """)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*faults on a unittest.TestCase method*Name one fault here*"])


AT_THE_CALL = [
    ('llmfaults.inject("status.53")', "*'status.53' is not a fault. Did you mean *"),
    ('llmfaults.inject("Hello, how are you")', "*text of the model is Answer*"),
    ("llmfaults.inject()", "*inject() needs a step*"),
    ("llmfaults.inject(3)", "*step=3 is not something that can be injected*"),
    ('llmfaults.inject("ok", "ok", times=1)', "*times=1 ends before 'ok' can be reached*"),
    ('llmfaults.inject("ok"); llmfaults.inject("status.503")', "*can never be reached*inject('ok') at test_suite.py:*"),
    ('llmfaults.inject("ok", host="https://x/y")', "*host='https://x/y' is not a host name*"),
    ('llmfaults.inject("ok", when=3)', "*when=3 is not a function*"),
    ('fault("transport.latency", second=3)', "*transport.latency has no parameter 'second'. Did you mean 'seconds'*"),
    ('llmfaults.inject("ok", wire="anthropic.message")', "*wire='anthropic.message' is not a wire*"),
    ("Answer(data={1, 2})", "*data={1, 2} is not JSON (*it is made of dict, list*"),
    ("ToolCall('f', {'at': object()})", "*arguments={'at': <object*is not JSON (*"),
    ('Answer("x", data={})', "*An answer is text or data, not both*"),
    ("Reply(status=42)", "*status=42*"),
    ("llmfaults.fault", "*this test has no marker llmfaults*"),
]


@pytest.mark.parametrize(("statement", "line"), AT_THE_CALL, ids=[str(n) for n in range(len(AT_THE_CALL))])
def test_a_bad_call_says_what_is_allowed(suite: Suite, statement: str, line: str) -> None:
    result = suite.run(f"def test_it(llmfaults):\n    {statement}\n", "--tb=short")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([line])


def test_what_a_string_is_is_said_once(suite: Suite) -> None:
    result = suite.run('def test_it(llmfaults):\n    llmfaults.inject("Hello, how are you")\n', "--tb=short")
    (line,) = (line for line in result.outlines if line.startswith("E "))
    assert line.lower().count("answer(") == 1


GLOBS = [
    ('llmfaults.inject("contents.*")', "*'contents.*' is not a fault. Did you mean 'content.*'*"),
    ('llmfaults_contract.check(ask, faults="tool.arguments_*")', "*Did you mean 'tools.arguments_*'*"),
    ('faults("statu.4??")', "*Did you mean 'status.4??'?*"),
    ('faults("content.emty_*")', "*Did you mean 'content.empty'*"),
]


@pytest.mark.parametrize(("statement", "line"), GLOBS, ids=[line for _, line in GLOBS])
def test_an_unknown_glob_offers_a_glob(suite: Suite, statement: str, line: str) -> None:
    fixture = "llmfaults_contract" if "contract" in statement else "llmfaults"
    code = f"from pytest_llmfaults import faults\ndef test_it({fixture}):\n    {statement}\n"
    suite.run(code, "--tb=short").stdout.fnmatch_lines([line])


KEYWORDS = [
    ("llmfaults.inject('ok', slot='content')", "LLMFaults.inject", "slot"),
    ("Answer(dat={})", "Answer.__init__", "dat"),
    ("llmfaults_contract.check(ask, fault='status.503')", "LLMFaultsContract.check", "fault"),
    ("llmfaults_contract.acheck(ask, fault='status.503')", "acheck", "fault'. Did you mean 'faults"),
    ("llmfaults_contract.afuzz(ask, family='body')", "afuzz", "family'. Did you mean 'families"),
    ("llmfaults_contract.adiscover(ask, second=3)", "adiscover", "second'. Did you mean 'seconds"),
]


@pytest.mark.parametrize(("statement", "called", "word"), KEYWORDS, ids=[statement for statement, _, _ in KEYWORDS])
def test_an_unknown_keyword_is_named_with_what_was_called(suite: Suite, statement: str, called: str, word: str) -> None:
    fixture = "llmfaults_contract" if "contract" in statement else "llmfaults"
    result = suite.run(f"def test_it({fixture}):\n    {statement}\n", "--tb=short")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*TypeError: {called}() got an unexpected keyword argument '{word}'*"])


def test_when_that_raises_is_named(suite: Suite) -> None:
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("ok", when=lambda request: request.nothing)
            ask()
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*when= of inject('ok', when=...) at test_suite.py:* raised AttributeError*"])


def test_a_bare_statement_inside_an_example_says_use_with(suite: Suite) -> None:
    result = suite.run("""
        from hypothesis import given, strategies as st

        @given(number=st.integers())
        def test_it(llmfaults, number):
            llmfaults.inject("status.503")
            ask()

        @given(number=st.integers())
        def test_no_request(llmfaults, number):
            llmfaults.inject("status.503")
    """)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*bare statement inside a Hypothesis example*with llmfaults.inject*"])


@pytest.mark.parametrize(
    ("ini", "line"),
    [
        ("llmfaults_routes = openai.chat", "*llmfaults_routes: 'openai.chat' does not read 'wire = /path/ending'*"),
        ("llmfaults_routes = openai.chatt = /x", "*'openai.chatt' is not a wire*"),
        ("llmfaults_passthrough = 127.0.0.1:80", "*'127.0.0.1:80' is not an origin*"),
    ],
)
def test_a_bad_ini_value_stops_the_run(suite: Suite, ini: str, line: str) -> None:
    suite.pytester.makeini(f"[pytest]\nasyncio_default_fixture_loop_scope = function\n{ini}\n")
    result = suite.run("def test_it(llmfaults):\n    pass\n")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {line}"])
