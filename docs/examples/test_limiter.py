"""Ten questions under a quota of three a minute."""

import openai
from limiter import ask, ask_carefully, ask_patiently

from pytest_llmfaults import LLMFaults


def test_the_sdk_waits_as_it_is_told(llmfaults: LLMFaults) -> None:
    llmfaults.inject(llmfaults.quota(requests=3, per_seconds=60))
    with openai.OpenAI() as client:
        assert all(ask(client) for _ in range(10))
    assert llmfaults.waits == [0, 0, 0, *[20, 0] * 6, 20]
    assert llmfaults.attempts == 17


def test_a_loop_that_reads_retry_after_waits_as_long(llmfaults: LLMFaults) -> None:
    llmfaults.inject(llmfaults.quota(requests=3, per_seconds=60))
    assert all(ask_patiently() for _ in range(10))
    assert llmfaults.elapsed_seconds == 140
    assert [reply.status for reply in llmfaults.replies].count(429) == 7


def test_a_limiter_that_reads_what_is_left_is_never_refused(llmfaults: LLMFaults) -> None:
    llmfaults.inject(llmfaults.quota(requests=3, per_seconds=60))
    assert all(ask_carefully() for _ in range(10))
    assert llmfaults.waits == [0, 0, 60, 0, 0, 60, 0, 0, 60]
    assert {reply.status for reply in llmfaults.replies} == {200}
