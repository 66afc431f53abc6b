"""check: what its arguments do, and where it may stand."""

from __future__ import annotations

import pytest

from .conftest import SigningSuite

TWO_TURNS = '''
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]

def agent():
    """Asks once, runs the tool that is called for, and asks again."""
    messages = [{"role": "user", "content": "Is it raining?"}]
    for _ in range(4):
        reply = requests.post(URL, json={"model": "m", "messages": messages, "tools": TOOLS}, timeout=5)
        reply.raise_for_status()
        said = reply.json()["choices"][0]["message"]
        if not said.get("tool_calls"):
            return f"{said['content']} after {len(messages)} messages"
        messages.append(said)
        for call in said["tool_calls"]:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "rain"})
    return "no end"

CALLS = Answer(tool_calls="offered")
'''


def test_an_answer(suite: SigningSuite) -> None:
    suite.sign("""
        def test_it(llmfaults_contract):
            llmfaults_contract.check(ask, answer=Answer("as answered"), faults="finish.length")
    """).assert_outcomes(passed=1)
    assert "ok = \"1 attempt, returns 'as answered'\"" in suite.signed
    assert "returns 'as '" in suite.signed  # a partial fault corrupts that answer


def test_answers_one_after_the_other(suite: SigningSuite) -> None:
    code = (
        TWO_TURNS
        + """
def test_it(llmfaults_contract):
    llmfaults_contract.check(agent, answer=[CALLS, Answer("It rains.")], faults=["status.503", "content.empty"])
"""
    )
    suite.sign(code).assert_outcomes(passed=1)
    assert "ok = \"2 attempts, waits 0 s, returns 'It rains. after 3 messages'\"" in suite.signed
    suite.run(code).assert_outcomes(passed=1)


def test_answers_by_request(suite: SigningSuite) -> None:
    suite.sign(
        TWO_TURNS
        + """
def answer(request):
    return Answer("Dry.") if request.messages[-1]["role"] == "tool" else CALLS

def test_it(llmfaults_contract):
    llmfaults_contract.check(agent, answer=answer, faults="status.503")
"""
    ).assert_outcomes(passed=1)
    assert "returns 'Dry. after 3 messages'" in suite.signed


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ('"every"', "1 attempt, raises HTTPError"),
        ('"first"', "1 attempt, raises HTTPError"),
        ("1", "1 attempt, raises HTTPError"),
        ("2", "2 attempts, waits 0 s, raises HTTPError"),
        ('lambda request: request.messages[-1]["role"] == "tool"', "2 attempts, waits 0 s, raises HTTPError"),
        ("lambda request: False", "2 attempts, waits 0 s, same as ok"),
    ],
)
def test_where_a_fault_strikes(suite: SigningSuite, at: str, expected: str) -> None:
    suite.sign(
        TWO_TURNS
        + f"""
def test_it(llmfaults_contract):
    llmfaults_contract.check(agent, answer=[CALLS, Answer("It rains.")], faults="status.503", at={at})
"""
    ).assert_outcomes(passed=1)
    assert f'[["{expected}"]]' in suite.signed


@pytest.mark.parametrize("at", ["0", "-1", "True", '"last"', "None", "1.5"])
def test_a_place_that_is_none(suite: SigningSuite, at: str) -> None:
    result = suite.run(f"""
        def test_it(llmfaults_contract):
            llmfaults_contract.check(ask, at={at})
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*InvalidUse: at={at.replace(chr(34), chr(39))} is not 'every', 'first', a turn's*"])


def test_setup_makes_anew_what_a_subject_keeps(suite: SigningSuite) -> None:
    code = """
        class Breaker:
            def __init__(self):
                self.failures = 0
            def ask(self):
                if self.failures >= 2:
                    return "the circuit is open"
                try:
                    return ask(attempts=1)
                except Exception:
                    self.failures += 1
                    raise
        breaker = Breaker()
        def test_it(llmfaults_contract):
            llmfaults_contract.check(breaker.ask, faults=FEW {setup})
    """
    result = suite.run(code.format(setup=""))
    result.stdout.fnmatch_lines(["*ContractError: The subject keeps state: the healthy call said*circuit is open*"])
    assert not (suite.pytester.path / "llmfaults").exists()
    suite.sign(code.format(setup=", setup=breaker.__init__")).assert_outcomes(passed=1)


def test_side_effects_are_part_of_the_sentence(suite: SigningSuite) -> None:
    code = """
        rows = []
        def store():
            rows.extend({before})
            rows.append(ask(attempts=1))
        def test_it(llmfaults_contract):
            llmfaults_contract.check(
                store,
                faults=["body.empty", "control.no_length"],
                setup=rows.clear,
                after=lambda: f"{{len(rows)}} rows stored",
            )
    """
    suite.sign(code.format(before="[]")).assert_outcomes(passed=1)
    assert 'ok = "1 attempt, returns None, then 1 rows stored"' in suite.signed
    assert '[["1 attempt, raises requests.JSONDecodeError, then 0 rows stored"]]' in suite.signed
    assert '[["1 attempt, same as ok, then 1 rows stored"]]' in suite.signed
    result = suite.run(code.format(before="[0]"))
    result.stdout.fnmatch_lines(["*body.empty: side effect: 1 rows stored instead of 0 rows stored*"])


def test_describe_says_what_was_returned(suite: SigningSuite) -> None:
    suite.sign("""
        class Decision:
            def __init__(self, text):
                self.text = text
        def test_it(llmfaults_contract):
            decide = lambda: Decision(ask())
            llmfaults_contract.check(decide, faults="content.empty", describe=lambda it: f"{it.text:.5}")
    """).assert_outcomes(passed=1)
    assert 'ok = "1 attempt, returns Hello"' in suite.signed


def test_a_variant_has_a_file_of_its_own(suite: SigningSuite) -> None:
    code = """
        def test_it(llmfaults_contract):
            for attempts in (2, 3):
                llmfaults_contract.check(lambda: ask(attempts=attempts), faults=FEW, variant=f"{attempts} tries")
    """
    suite.sign(code).assert_outcomes(passed=1)
    assert len(suite.files) == 2
    assert [text.count("3 attempts") > 0 for text in suite.files.values()] == [False, True]
    suite.run(code).assert_outcomes(passed=1)


def test_two_checks_of_one_test_do_not_share_a_file_by_accident(suite: SigningSuite) -> None:
    result = suite.sign("""
        def test_it(llmfaults_contract):
            llmfaults_contract.check(lambda: ask(attempts=2), faults=FEW)
            llmfaults_contract.check(lambda: ask(attempts=3), faults=FEW)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*InvalidUse: A second check of this test*variant=*"])


def test_classes_and_parameters_have_files_of_their_own(suite: SigningSuite) -> None:
    code = """
        import unittest

        class TestGateway:
            def test_it(self, llmfaults_contract):
                llmfaults_contract.check(ask, faults="content.empty")

            class TestInner:
                @pytest.mark.llmfaults("content.empty", "content.null")
                def test_it(self, llmfaults_contract):
                    llmfaults_contract.check(ask)

        class TestCase(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _take(self, llmfaults_contract):
                self.contract = llmfaults_contract

            def test_it(self):
                self.contract.check(ask, faults="content.empty")

        @pytest.mark.parametrize("attempts", [2, 3])
        @pytest.mark.parametrize("model", ["gpt-5", "a/b c"])
        def test_all(llmfaults_contract, attempts, model):
            llmfaults_contract.check(lambda: ask(model=model, attempts=attempts), faults="body.empty")

        @pytest.mark.parametrize("attempts", [2, 3])
        @pytest.mark.llmfaults("body.empty", "content.empty")
        def test_both(llmfaults_contract, attempts):
            llmfaults_contract.check(lambda: ask(attempts=attempts))
    """
    result = suite.sign(code)
    result.assert_outcomes(passed=12)
    names = list(suite.files)
    assert [name for name in names if "test_all" not in name] == [
        "test_suite.TestCase.test_it",
        "test_suite.TestGateway.TestInner.test_it",
        "test_suite.TestGateway.test_it",
        "test_suite.test_both-2",
        "test_suite.test_both-3",
    ]
    assert len([name for name in names if "test_all" in name]) == 4
    assert '"body.*"' not in suite.files["test_suite.test_both-2"]
    assert "2 attempts" in suite.files["test_suite.test_both-2"]
    assert "3 attempts" in suite.files["test_suite.test_both-3"]
    suite.run(code).assert_outcomes(passed=12)


@pytest.mark.parametrize(
    ("argument", "shown"),
    [
        ("describe=lambda said: said.strip() + len(said) * ' '", "This was describe= under content.null."),
        ("describe=lambda said: said or 3", "This was describe= under content.null."),
        ("after=lambda: 3", "This was after= under no fault (the healthy call)."),
        ("setup=lambda: 1 / 0", "This was setup= under no fault (the healthy call)."),
    ],
)
def test_an_error_in_an_argument_names_the_fault(suite: SigningSuite, argument: str, shown: str) -> None:
    code = f"""
        def test_it(llmfaults_contract):
            llmfaults_contract.check(ask, faults="content.null", {argument})
    """
    result = suite.sign(code)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E*{shown}"])
