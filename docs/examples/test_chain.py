"""What a chain of two providers does when one of them fails, or both do."""

import json

import anthropic
import openai
import pytest
from chain import NobodyAnswers, ask, ask_in_time

from pytest_llmfaults import Answer, LLMFaults, fault

OPENAI = ("openai.chat", "api.openai.com", "gpt-5")
CLAUDE = ("anthropic.messages", "api.anthropic.com", "claude-sonnet-5-5")


@pytest.fixture
def llmfaults_answer() -> Answer:
    return Answer("from openai")


def test_overload_moves_on(llmfaults: LLMFaults) -> None:
    primary = llmfaults.inject("status.503", wire="openai.chat")
    llmfaults.inject(Answer("from claude"), wire="anthropic.messages")
    assert ask("x") == "from claude"
    assert primary.attempts == 3


def test_a_healthy_primary_is_all_that_is_asked(llmfaults: LLMFaults) -> None:
    llmfaults.inject("ok")
    assert ask("x") == "from openai"
    assert llmfaults.legs == [(*OPENAI, 1)]


def test_everything_down(llmfaults: LLMFaults) -> None:
    llmfaults.inject("status.503", host="api.openai.com")
    llmfaults.inject("transport.refused", host="api.anthropic.com")
    with pytest.raises(NobodyAnswers) as raised:
        ask("x")
    assert [type(error) for error in raised.value.args] == [openai.InternalServerError, anthropic.APIConnectionError]
    assert llmfaults.legs == [(*OPENAI, 3), (*CLAUDE, 3)]


def test_what_a_retry_cannot_heal_moves_on_at_once(llmfaults: LLMFaults) -> None:
    llmfaults.inject("status.401", host="api.openai.com")
    llmfaults.inject(Answer("from claude"), host="api.anthropic.com")
    assert ask("x") == "from claude"
    assert llmfaults.legs == [(*OPENAI, 1), (*CLAUDE, 1)]


@pytest.mark.llmfaults("content.null", "content.empty", "content.whitespace", wire="openai.chat")
def test_silence_moves_on(llmfaults: LLMFaults) -> None:
    llmfaults.inject(Answer("from claude"), wire="anthropic.messages")
    assert ask("x") == "from claude"
    assert llmfaults.on(host="api.openai.com").attempts == 1


def test_a_cut_body_is_no_error_of_the_sdk_and_escapes(llmfaults: LLMFaults) -> None:
    llmfaults.inject("body.truncated_json", wire="openai.chat")
    with pytest.raises(json.JSONDecodeError):
        ask("x")
    assert llmfaults.legs == [(*OPENAI, 1)]


@pytest.mark.asyncio
async def test_a_slow_primary_is_left_at_the_deadline(llmfaults: LLMFaults) -> None:
    llmfaults.inject(fault("transport.latency", seconds=40), wire="openai.chat")
    llmfaults.inject(Answer("from claude"), wire="anthropic.messages")
    assert await ask_in_time("x") == "from claude"
    assert llmfaults.elapsed_seconds == 10


def test_a_spent_quota_is_waited_for_and_not_left(llmfaults: LLMFaults) -> None:
    llmfaults.inject(llmfaults.quota(requests=3, per_seconds=60), wire="openai.chat")
    llmfaults.inject(Answer("from claude"), wire="anthropic.messages")
    assert [ask("x") for _ in range(5)] == ["from openai"] * 5
    assert llmfaults.elapsed_seconds == 40
