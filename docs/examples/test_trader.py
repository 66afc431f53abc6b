"""Five tests that pin what the trading client does when the gateway misbehaves."""

import pytest
from trader import Decision, EnvelopeError, decide

from pytest_llmfaults import LLMFaults

HEALTHY = Decision(("BUY ACME 2", "SELL INIT 1"))


@pytest.mark.llmfaults("body.*", then="ok")
def test_a_garbage_body_is_retried_with_backoff(llmfaults: LLMFaults) -> None:
    assert decide() == HEALTHY
    assert llmfaults.attempts == 2
    assert llmfaults.waits == [1.0]


@pytest.mark.llmfaults("envelope.choices_absent", "envelope.choices_null", "envelope.choices_object")
def test_a_wrong_shape_fails_after_one_attempt(llmfaults: LLMFaults) -> None:
    with pytest.raises(EnvelopeError):
        decide()
    assert llmfaults.attempts == 1


@pytest.mark.llmfaults("envelope.choices_empty")
def test_no_choice_fails_after_one_attempt(llmfaults: LLMFaults) -> None:
    with pytest.raises(EnvelopeError):
        decide()
    assert llmfaults.attempts == 1


@pytest.mark.llmfaults("reasoning.only_reasoning")
def test_an_answer_in_the_reasoning_is_found(llmfaults: LLMFaults) -> None:
    assert decide() == HEALTHY
    assert llmfaults.attempts == 1


@pytest.mark.llmfaults("content.empty")
def test_an_empty_answer_holds_everything(llmfaults: LLMFaults) -> None:
    assert decide() == Decision(error="empty answer")
    assert llmfaults.attempts == 1
