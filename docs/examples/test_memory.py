"""A guard that forgot the cheapest tier, and a reminder that a strict provider refuses."""

import openai
import pytest
from memory import answer, answer_mended

from pytest_llmfaults import Answer, LLMFaults, ToolCall

QUESTION = "Where do I live?"
CALL = Answer(tool_calls=(ToolCall("search", {"query": "home"}, id="call_7"),))
OSLO = Answer("In Oslo.")


def test_one_iteration_loses_the_answer(llmfaults: LLMFaults) -> None:
    llmfaults.inject("content.empty", OSLO)
    assert answer(QUESTION, iterations=1) is None
    assert llmfaults.attempts == 1


def test_two_iterations_recover_it(llmfaults: LLMFaults) -> None:
    llmfaults.inject("content.empty", OSLO)
    assert answer(QUESTION, iterations=2) == "In Oslo."
    assert llmfaults.attempts == 2


def test_the_synthesis_call_offers_no_tools(llmfaults: LLMFaults) -> None:
    searching = llmfaults.inject(CALL, when=lambda request: request.tools)
    synthesis = llmfaults.inject(OSLO, when=lambda request: not request.tools)
    assert answer(QUESTION, iterations=2) == "In Oslo."
    assert (searching.attempts, synthesis.attempts) == (2, 1)


def test_the_next_request_tells_what_was_found(llmfaults: LLMFaults) -> None:
    llmfaults.inject(CALL, OSLO)
    answer(QUESTION, iterations=2)
    assert [message["role"] for message in llmfaults.requests[1].messages] == ["user", "assistant", "tool"]
    [result] = llmfaults.requests[1].tool_results
    assert (result.tool_call_id, result.name, "Oslo" in result.text) == ("call_7", "search", True)


def test_a_strict_provider_refuses_the_reminder_after_a_tool(llmfaults: LLMFaults) -> None:
    llmfaults.strict("turn.user_after_tool")
    llmfaults.inject(CALL, "content.empty", OSLO)
    with pytest.raises(openai.BadRequestError, match="Unexpected role 'user' after role 'tool'"):
        answer(QUESTION, iterations=3)
    assert [(one.rule, one.index) for one in llmfaults.violations] == [("turn.user_after_tool", 3)]


@pytest.mark.parametrize("iterations", [1, 2])
def test_the_mended_loop_loses_nothing(llmfaults: LLMFaults, iterations: int) -> None:
    llmfaults.inject("content.empty", OSLO)
    assert answer_mended(QUESTION, iterations=iterations) == "In Oslo."


def test_the_mended_loop_keeps_every_rule(llmfaults: LLMFaults) -> None:
    llmfaults.strict("turn.*")
    llmfaults.inject(CALL, "content.empty", OSLO)
    assert answer_mended(QUESTION, iterations=3) == "In Oslo."
    assert llmfaults.violations == []


def test_silence_is_never_null(llmfaults: LLMFaults) -> None:
    llmfaults.inject("content.empty")
    assert answer_mended(QUESTION, iterations=2) == "I have no information about that."
    assert llmfaults.attempts == 3
