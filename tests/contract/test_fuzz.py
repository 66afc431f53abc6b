"""fuzz: a variant that behaves like nothing that is signed is shrunk, shown, and pinned or signed."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import textwrap

import hypothesis
import pytest

from .conftest import SigningSuite

FRAGILE = """
import hypothesis

hypothesis.settings.register_profile("here", database=None, derandomize=True)
hypothesis.settings.load_profile("here")

class Bad(Exception):
    pass

class Odd(Exception):
    pass

def fragile(odd=Odd):
    try:
        value = requests.post(URL, json={"model": "m", "messages": []}, timeout=5).json()
        text = value["choices"][0]["message"]["content"]
        text = text.strip() and text if text is not None else None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, requests.RequestException) as error:
        raise Bad from error
    if "id" not in value:
        raise odd
    return text
"""
SIGNED = ["body.empty", "content.empty", "content.null", "content.whitespace", "transport.slow_drip"]
TEST = f"""
def test_it(llmfaults_contract):
    llmfaults_contract.check(fragile, faults={SIGNED})
    llmfaults_contract.fuzz(fragile, families={{families}}, max_examples=400)
"""


@pytest.fixture(autouse=True)
def _profile() -> None:
    """Begin with the settings of the profile that is loaded: an inner run before may have left others."""
    hypothesis.settings.load_profile(str(hypothesis.settings._current_profile))


def run(suite: SigningSuite, code: str, *arguments: str) -> pytest.RunResult:
    return suite.run(FRAGILE + textwrap.dedent(code), *arguments)


def by_chance(suite: SigningSuite, code: str, *arguments: str) -> pytest.RunResult:
    """Run with the profile of the command line, not of the module."""
    return suite.run(FRAGILE.replace('load_profile("here")', "get_profile('here')") + code, *arguments)


def sign(suite: SigningSuite, code: str, categories: str = "new") -> pytest.RunResult:
    return run(suite, code, f"--llmfaults-sign={categories}")


def failure(result: pytest.RunResult) -> list[str]:
    """Return the lines of what a test failed with, whether a frame of the test is shown or not."""
    lines = [line[1:].strip() for line in result.outlines if line.startswith("E  ")]
    start = next((number for number, line in enumerate(lines) if "pytest_llmfaults.errors." in line), None)
    if start is not None:
        return lines[start:]
    told = result.outlines[
        result.outlines.index(next(filter(re.compile("_+ test_it _+").fullmatch, result.outlines))) :
    ]
    return list(itertools.takewhile(lambda line: not line.startswith("==="), told[1:]))


CHECKED = f"""
def test_it(llmfaults_contract):
    llmfaults_contract.check(fragile, faults={SIGNED})
"""


def test_what_behaves_like_nothing_signed_is_shrunk_and_shown_in_a_few_lines(suite: SigningSuite) -> None:
    sign(suite, CHECKED).assert_outcomes(passed=1)
    signed = suite.signed
    result = run(suite, TEST.format(families="()"))
    result.assert_outcomes(failed=1)
    lines = failure(result)
    assert len(lines) <= 8
    assert lines[0].endswith("ContractBroken: Behaves like nothing that is signed: remove('id')")
    assert lines[1] == "1 attempt, raises Odd"
    assert lines[2] == "the nearest that is signed, body.empty: 1 attempt, raises Bad"
    assert lines[-3:] == [
        "Pin it:  llmfaults.inject(variant('openai.chat', remove('id')))",
        "from pytest_llmfaults.strategies import remove, variant",
        "Sign it: pytest test_suite.py::test_it --llmfaults-sign=new",
    ]
    assert suite.signed == signed
    result.stdout.no_fnmatch_line("*_pytest/exploring.py*")


def test_the_line_that_is_shown_pins_it(suite: SigningSuite) -> None:
    code = """
        from pytest_llmfaults.strategies import remove, variant

        def test_it(llmfaults):
            llmfaults.inject(variant('openai.chat', remove('id')))
            with pytest.raises(Odd):
                fragile()
    """
    run(suite, code).assert_outcomes(passed=1)


def test_signed_it_is_held_from_then_on(suite: SigningSuite) -> None:
    sign(suite, TEST.format(families="()")).assert_outcomes(passed=1)
    assert '[["1 attempt, raises Odd"]]\nvariants = ["remove(\'id\')"]\n' in suite.signed
    result = run(suite, TEST.format(families="()"))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["llmfaults: 1 contract, 6 faults held*"])
    changed = run(suite, CHECKED.replace("check(fragile", "check(lambda: fragile(Bad)"))
    changed.stdout.fnmatch_lines(["*remove('id'): raises Bad instead of Odd*"])
    alone = run(suite, "def test_it(llmfaults_contract):\n    llmfaults_contract.fuzz(fragile, families=())\n")
    alone.assert_outcomes(passed=1)
    only = "def test_it(llmfaults_contract):\n    llmfaults_contract.fuzz(lambda: fragile(Bad), families=())\n"
    run(suite, only).stdout.fnmatch_lines(["*remove('id'): raises Bad instead of Odd*"])


def test_a_value_that_is_carried_over_from_the_reply_is_no_news(suite: SigningSuite) -> None:
    code = (
        CLEAN
        + """
texts = set()

def noted():
    text = clean()
    texts.add(text)
    return text

def test_it(llmfaults_contract):
    llmfaults_contract.check(noted, faults=["body.empty", "content.empty"])
    found = llmfaults_contract.fuzz(noted, families=["content", "reasoning", "control"], max_examples=300)
    assert len(texts) > 8, texts
    assert found.behaviours == 3
"""
    )
    sign(suite, code).assert_outcomes(passed=1)
    assert "variants" not in suite.signed


def test_a_fault_of_the_catalogue_is_shown_by_its_name(suite: SigningSuite) -> None:
    sign(suite, CHECKED)
    result = run(suite, TEST.format(families='"content.number"'))
    lines = failure(result)
    assert lines[0].endswith(": content.number") or "remove('id')" in lines[0]


def test_without_anything_signed_it_says_what_to_do(suite: SigningSuite) -> None:
    code = "def test_it(llmfaults_contract):\n    llmfaults_contract.fuzz(fragile)\n"
    (line,) = failure(run(suite, code))
    assert "Nothing is signed for this test" in line
    assert line.endswith("pytest test_suite.py::test_it --llmfaults-sign=new")
    sign(suite, code).assert_outcomes(passed=1)
    assert 'variants = ["' in suite.signed


def test_in_ci_each_run_draws_the_same(suite: SigningSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        CLEAN
        + """
def test_it(llmfaults_contract):
    llmfaults_contract.check(clean, faults=["body.empty", "content.empty", "content.null"])
    print("looked at", llmfaults_contract.fuzz(clean, families=()))
"""
    )
    sign(suite, code)
    monkeypatch.setenv("CI", "true")
    said = [[line for line in by_chance(suite, code, "-s").outlines if "looked at" in line] for _ in range(2)]
    assert said[0] == said[1] != []


CLEAN = """
def clean():
    try:
        value = requests.post(URL, json={"model": "m", "messages": []}, timeout=5).json()
        text = value["choices"][0]["message"]["content"]
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, requests.RequestException) as error:
        raise Bad from error
    return text if isinstance(text, str) and text.strip() else None
"""


@pytest.mark.parametrize("families", ["None", "()", '["body", "envelope"]'])
def test_nothing_is_found_in_a_client_that_is_total(suite: SigningSuite, families: str) -> None:
    code = (
        CLEAN
        + f"""
def test_it(llmfaults_contract):
    llmfaults_contract.check(clean, faults=["body.empty", "body.whitespace_only", "content.empty", "status.307_moved",
                                            "status.302_login", "status.307_loop", "transport.slow_drip"])
    found = llmfaults_contract.fuzz(clean, families={families}, max_examples=300)
    assert found.findings == ()
    assert found.others == 0
    assert found.variants > 50
"""
    )
    sign(suite, code).assert_outcomes(passed=1)
    assert "variants" not in suite.signed
    run(suite, code).assert_outcomes(passed=1)


def test_the_profile_of_hypothesis_is_honoured(suite: SigningSuite) -> None:
    suite.pytester.makeconftest(
        "import hypothesis\nhypothesis.settings.register_profile('few', max_examples=7, database=None)\n"
    )
    code = (
        CLEAN
        + """
def test_it(llmfaults_contract):
    llmfaults_contract.check(clean, faults=["body.empty", "content.empty"])
    assert llmfaults_contract.fuzz(clean, families=()).variants <= 7
"""
    )
    by_chance(suite, code, "--hypothesis-profile=few", "--llmfaults-sign").assert_outcomes(passed=1)
    by_chance(suite, code, "--hypothesis-profile=few").assert_outcomes(passed=1)


ASYNC = """
import asyncio, openai

async def aask():
    quick = openai.DefaultAsyncHttpxClient(verify=False)
    where = {"base_url": "https://gateway.example.com/v1", "api_key": "k", "http_client": quick}
    async with openai.AsyncOpenAI(**where, max_retries=0) as client:
        reply = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
    if reply.id is None:
        raise Odd
    return reply.choices[0].message.content

async def test_it(llmfaults_contract):
    await llmfaults_contract.acheck(aask, faults=["body.empty", "content.empty", "envelope.choices_null"])
    await llmfaults_contract.afuzz(aask, families=(), max_examples=150)
"""


def test_under_pytest_asyncio(suite: SigningSuite) -> None:
    code = ASYNC.replace("async def test_it", "@pytest.mark.asyncio\nasync def test_it")
    sign(suite, code).assert_outcomes(passed=1)
    assert '[["1 attempt, raises Odd"]]' in suite.signed
    run(suite, code).assert_outcomes(passed=1)


def test_under_trio(suite: SigningSuite) -> None:
    code = (
        ASYNC.replace("async def test_it", "@pytest.mark.anyio\nasync def test_it")
        + """
@pytest.fixture
def anyio_backend():
    return "trio"
"""
    )
    sign(suite, code).assert_outcomes(passed=1)
    assert '[["1 attempt, raises Odd"]]' in suite.signed
    run(suite, code).assert_outcomes(passed=1)


AGENT = """
from pytest_llmfaults import ToolCall

TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
SCRIPT = [Answer(tool_calls=(ToolCall("look", {"q": "a"}),)), Answer("done")]

def agent():
    messages = []
    for _ in range(4):
        value = requests.post(URL, json={"model": "m", "messages": messages, "tools": TOOLS}, timeout=5).json()
        message = value["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            if "id" not in value:
                raise Odd
            return message["content"]
        messages += [{"role": "tool", "tool_call_id": call["id"], "content": "b"} for call in message["tool_calls"]]
    return "gave up"

def test_it(llmfaults_contract):
    llmfaults_contract.check(agent, answer=SCRIPT, at={at}, faults="content.null")
    llmfaults_contract.fuzz(agent, answer=SCRIPT, at={at}, families="envelope.id_absent", max_examples=300)
"""


def test_the_answer_of_the_turn_that_is_struck_is_varied(suite: SigningSuite) -> None:
    sign(suite, AGENT.replace("{at}", "2").replace("    llmfaults_contract.fuzz", "    0 and llmfaults_contract.fuzz"))
    lines = failure(run(suite, AGENT.replace("{at}", "2")))
    pinned = next(line for line in lines if line.startswith("Pin it:"))
    assert "llmfaults.inject(Answer(tool_calls=(ToolCall(name='look'" in pinned
    assert pinned.endswith("answer=Answer('done'))")


def test_what_the_pin_says_of_a_later_turn_does_the_same(suite: SigningSuite) -> None:
    code = """
        def test_it(llmfaults):
            llmfaults.inject(
                Answer(tool_calls=(ToolCall(name='look', arguments={'q': 'a'}, id=None),)), 'envelope.id_absent',
                answer=Answer('done'),
            )
            with pytest.raises(Odd):
                agent()
    """
    agent = AGENT.partition("def test_it")[0]
    run(suite, agent + textwrap.dedent(code)).assert_outcomes(passed=1)


def test_a_subject_that_keeps_state_is_refused(suite: SigningSuite) -> None:
    code = """
        calls = []

        def breaker():
            calls.append(0)
            if len(calls) > 25:
                raise Odd
            return ask()

        def test_it(llmfaults_contract):
            llmfaults_contract.check(breaker, faults="content.empty")
            llmfaults_contract.fuzz(breaker)
    """
    (line,) = failure(sign(suite, code))
    assert "The subject keeps state" in line


WRONG = [
    ("fuzz(3)", "3 is not a callable without arguments"),
    ("fuzz(ask, max_examples=0)", "max_examples=0 is not allowed: it is an integer from 1."),
    ("fuzz(ask, max_examples='3')", "max_examples='3' is not allowed"),
    ("fuzz(ask, families='envelop')", "'envelop' is not a fault. Did you mean 'envelope'"),
    ("fuzz(ask, families=[3])", "families=3 is not a name of a family or fault"),
    ("fuzz(ask, at='last')", "at='last' is not 'every', 'first'"),
    ("fuzz(ask, answer='x')", "answer='x' is not an Answer, a list of one or more, or a function of the request."),
    ("fuzz(ask, answer=[])", "answer=[] is not an Answer"),
    ("fuzz(ask, variant=' ')", "variant=' ' is empty"),
    ("discover(ask, seconds=0)", "seconds=0 is not allowed: it is a number above 0"),
    ("discover(ask, seconds='60')", "seconds='60' is not allowed"),
    ("discover(ask, seed=-1)", "seed=-1 is not allowed: it is an integer from 0."),
    ("discover(ask, seed=1.5)", "seed=1.5 is not allowed"),
    ("discover(ask, max_examples=True)", "max_examples=True is not allowed"),
    ("discover(ask, at=7)", "at=7 strikes no request of the healthy call"),
    ("discover(lambda: 3)", "The subject made no request"),
    ("discover(aask)", "aask is asynchronous: write await llmfaults_contract.acheck(...), or afuzz or adiscover."),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=[call for call, _ in WRONG])
def test_bad_arguments_are_one_clear_line(suite: SigningSuite, call: str, message: str) -> None:
    code = f"async def aask(): pass\n\ndef test_it(llmfaults_contract):\n    llmfaults_contract.{call}\n"
    result = sign(suite, code)
    assert message in failure(result)[0]
    assert len(failure(result)) == 1


@pytest.mark.parametrize("name", ["afuzz", "adiscover"])
def test_what_was_not_awaited_is_refused(suite: SigningSuite, name: str) -> None:
    code = f"async def aask(): pass\n\ndef test_it(llmfaults_contract):\n    llmfaults_contract.{name}(aask)\n"
    result = sign(suite, code)
    result.stdout.fnmatch_lines([f"*{name}(aask) was not awaited: write await llmfaults_contract.{name}(...)."])
    result.assert_outcomes(failed=1)


def test_what_cannot_be_held_to_one_file_is_refused(suite: SigningSuite) -> None:
    code = """
        def test_twice(llmfaults_contract):
            llmfaults_contract.check(ask, faults="content.empty")
            llmfaults_contract.fuzz(ask, families="content.empty")
            llmfaults_contract.fuzz(ask)

        def test_other(llmfaults_contract):
            llmfaults_contract.check(ask, faults="content.empty")
            llmfaults_contract.fuzz(lambda: [ask()])

        @pytest.mark.llmfaults("content.empty", "content.null")
        def test_marked(llmfaults_contract):
            llmfaults_contract.fuzz(ask)
    """
    result = sign(suite, code)
    result.stdout.fnmatch_lines_random(
        [
            "*A second fuzz of this test would be held to the same file, test_suite.test_twice.toml.*",
            "*The healthy call said *in check() and says*: give the same call*",
            "*fuzz() draws its own variants, and this test has a marker with a fault*",
        ]
    )


def test_a_contract_with_variants_imports_no_hypothesis(suite: SigningSuite) -> None:
    sign(suite, TEST.format(families="()"))
    code = FRAGILE.partition("class Bad")[2].partition("def fragile")
    plain = "class Bad" + "".join(code)
    suite.run(plain + CHECKED).assert_outcomes(passed=1)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:hypothesispytest", "-p", "no:anyio", "test_suite.py"]
    suite.pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure(config):
            print("imported:", "hypothesis.core" in sys.modules)
        """
    )
    done = subprocess.run(command, cwd=suite.pytester.path, capture_output=True, text=True, check=False)
    assert "1 passed" in done.stdout
    assert "6 faults held" in done.stdout
    assert "imported: False" in done.stdout


def test_with_workers(suite: SigningSuite) -> None:
    code = TEST.format(families="()")
    both = code + code.replace("test_it", "test_other")
    result = run(suite, both, "-n", "2", "-p", "xdist", "--llmfaults-sign")
    result.assert_outcomes(passed=2)
    assert all("variants = [\"remove('id')\"]" in text for text in suite.files.values())
    assert len(suite.files) == 2
