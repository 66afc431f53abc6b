"""A contract observes its calls under the rules of its test."""

from __future__ import annotations

from tests.suite import Suite

LOOP = '''
import json
from pytest_llmfaults import ToolCall

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
CALL = Answer(tool_calls=(ToolCall("look", {"where": "home"}),))

def loop(echo=lambda call: call):
    """Call tools until the model answers; what cannot be read is looked up as nothing."""
    messages = [{"role": "user", "content": "Where do I live?"}]
    for _ in range(3):
        body = {"model": "gpt-5", "messages": messages, "tools": [TOOL]}
        reply = requests.post(URL, json=body, timeout=(3, 20))
        reply.raise_for_status()
        said = reply.json()["choices"][0]["message"]
        if not said.get("tool_calls"):
            return said["content"]
        calls = [echo(call) for call in said["tool_calls"]]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": call["id"], "content": "Oslo"} for call in calls]

def mended(call):
    """Echo a call whose arguments cannot be read as one without any."""
    try:
        arguments = json.loads(call["function"]["arguments"])
    except ValueError:
        arguments = {}
    return {**call, "function": {**call["function"], "arguments": json.dumps(arguments)}}
'''
CHECK = """
def test_loop(llmfaults, llmfaults_contract):
    llmfaults.strict("turn.*")
    llmfaults_contract.check(
        lambda: loop({echo}), answer=[CALL, Answer("In Oslo.")], faults="tools.arguments_truncated", at="first"
    )
    assert [one.rule for one in llmfaults.violations[:1]] == {rules}
"""


def test_a_fault_that_leads_to_a_broken_conversation_is_seen(suite: Suite) -> None:
    test = LOOP + CHECK.format(echo="", rules=["turn.arguments_json"])
    suite.run(test, "--llmfaults-sign").assert_outcomes(passed=1)
    signed = next(suite.pytester.path.rglob("*.toml")).read_text()
    assert "raises HTTPError" in signed
    suite.run(test).assert_outcomes(passed=1)


def test_a_loop_that_keeps_the_rules_has_no_violation_under_any_call(suite: Suite) -> None:
    test = LOOP + CHECK.format(echo="mended", rules=[])
    suite.run(test, "--llmfaults-sign").assert_outcomes(passed=1)
    signed = next(suite.pytester.path.rglob("*.toml")).read_text()
    assert "HTTPError" not in signed
    suite.run(test).assert_outcomes(passed=1)


def test_without_strict_nothing_is_refused(suite: Suite) -> None:
    test = LOOP + CHECK.replace('llmfaults.strict("turn.*")', "pass").format(echo="", rules=[])
    suite.run(test, "--llmfaults-sign").assert_outcomes(passed=1)
    assert "HTTPError" not in next(suite.pytester.path.rglob("*.toml")).read_text()


def test_a_healthy_call_that_breaks_a_rule_is_an_error_of_the_contract(suite: Suite) -> None:
    result = suite.run(
        LOOP
        + CHECK.replace('"turn.*"', '"turn.last_not_assistant", "turn.reasoning_required"').format(echo="", rules=[])
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*The healthy call raises HTTPError: 400*"])
