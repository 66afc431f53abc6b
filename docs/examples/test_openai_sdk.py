"""What the official openai SDK really does. Nobody signed these contracts; here they stand."""

import asyncio
import json
from typing import Any

import openai
import pytest

from pytest_llmfaults import Answer, LLMFaults, Reply

QUESTION: Any = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hello?"}]}


@pytest.fixture
def llmfaults_answer() -> Answer:
    return Answer("Hello.")


@pytest.fixture
def ask() -> Any:
    """One question through the SDK on its defaults: two retries of its own, no key of yours."""
    client = openai.OpenAI()
    return lambda: client.chat.completions.create(**QUESTION)


@pytest.mark.llmfaults("body.html_page")
def test_an_html_page_comes_back_as_a_str(llmfaults: LLMFaults, ask: Any) -> None:
    assert ask().startswith("<!DOCTYPE html>")
    assert llmfaults.attempts == 1


@pytest.mark.llmfaults("envelope.top_null")
def test_the_body_null_comes_back_as_none(ask: Any) -> None:
    assert ask() is None


@pytest.mark.llmfaults("envelope.choices_null", "envelope.choices_absent")
def test_an_envelope_without_choices_passes_without_a_word(ask: Any) -> None:
    assert ask().choices is None


@pytest.mark.llmfaults("envelope.error_429")
def test_a_rate_limit_at_status_200_is_neither_raised_nor_retried(llmfaults: LLMFaults, ask: Any) -> None:
    assert ask().choices is None
    assert llmfaults.attempts == 1


@pytest.mark.llmfaults("body.empty", "body.truncated_json")
def test_a_broken_body_escapes_the_exceptions_of_the_sdk(llmfaults: LLMFaults, ask: Any) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        ask()
    assert not isinstance(caught.value, openai.OpenAIError)
    assert llmfaults.attempts == 1


@pytest.mark.llmfaults("status.429_quota")
def test_a_spent_quota_is_asked_for_three_times(llmfaults: LLMFaults, ask: Any) -> None:
    with pytest.raises(openai.RateLimitError):
        ask()
    assert llmfaults.attempts == 3


@pytest.mark.llmfaults("transport.timeout")
def test_silence_costs_half_an_hour(llmfaults: LLMFaults, ask: Any) -> None:
    with pytest.raises(openai.APITimeoutError):
        ask()
    assert llmfaults.elapsed_seconds == pytest.approx(3 * 600, abs=3)


def test_the_async_client_retries_the_same(llmfaults: LLMFaults) -> None:
    llmfaults.inject("status.503", "ok")
    answer = asyncio.run(openai.AsyncOpenAI().chat.completions.create(**QUESTION))
    assert answer.choices[0].message.content == "Hello."
    assert llmfaults.attempts == 2


def test_last_nights_incident(llmfaults: LLMFaults, ask: Any) -> None:
    llmfaults.inject(Reply.text("upstream connect error", status=200))
    assert ask() == "upstream connect error"
