"""Streams that break: what the user has seen, and whether the answer is asked for once more."""

import pytest
from chat import Interrupted, chat

from pytest_llmfaults import Answer, LLMFaults, LLMFaultsContract, Pause, Reply, fault


@pytest.fixture
def llmfaults_answer() -> Answer:
    return Answer("Hold the position.")


def test_a_stream_comes_in_pieces(llmfaults: LLMFaults) -> None:
    llmfaults.inject("ok")
    assert list(chat("What now?")) == ["Hold", " the", " position."]


def test_nothing_was_shown_so_it_is_asked_again(llmfaults: LLMFaults) -> None:
    llmfaults.inject("stream.reset_peer_before_text", "ok")
    assert "".join(chat("What now?")) == "Hold the position."
    assert llmfaults.attempts == 2


def test_words_that_were_shown_are_not_said_twice(llmfaults: LLMFaults) -> None:
    llmfaults.inject("stream.closed", "ok")
    with pytest.raises(Interrupted):
        print(*chat("What now?"))
    assert llmfaults.streams[0].text == "Hold the"
    assert not llmfaults.retried_after_output


def test_a_clean_end_without_a_reason_is_no_answer(llmfaults: LLMFaults) -> None:
    llmfaults.inject(fault("stream.eof_before_finish", at=0.95))
    with pytest.raises(Interrupted):
        print(*chat("What now?"))


@pytest.mark.llmfaults("stream.error_*", "stream.event_truncated", stream=True)
def test_no_error_looks_like_an_answer(llmfaults: LLMFaults) -> None:
    with pytest.raises(Interrupted):
        print(*chat("What now?"))
    assert not llmfaults.retried_after_output


@pytest.mark.llmfaults("stream.event_null", "stream.choices_null", "stream.delta_null")
def test_what_is_no_chunk_is_no_answer_and_no_crash(llmfaults: LLMFaults) -> None:
    with pytest.raises(Interrupted):
        print(*chat("What now?"))
    assert not llmfaults.retried_after_output


def test_a_user_who_leaves_closes_the_stream(llmfaults: LLMFaults) -> None:
    llmfaults.inject("ok")
    words = chat("What now?")
    assert next(words) == "Hold"
    words.close()  # type: ignore[attr-defined]
    assert str(llmfaults.streams[0]) == "2 events, 4 characters, closed by the client"


def test_a_slow_first_word_costs_its_time(llmfaults: LLMFaults) -> None:
    llmfaults.inject(fault("stream.slow_first_event", seconds=45))
    assert "".join(chat("What now?")) == "Hold the position."
    assert llmfaults.elapsed_seconds == 45


def test_the_stream_of_last_night(llmfaults: LLMFaults) -> None:
    event = b'data: {"choices": [{"index": 0, "delta": {"content": "Hold"}}]}\n\n'
    headers = (("Content-Type", "text/event-stream"),)
    llmfaults.inject(Reply(headers=headers, chunks=(event, Pause(90), event[:20]), framing="chunked", ending="cut"))
    with pytest.raises(Interrupted):
        print(*chat("What now?"))


def test_contract_of_the_chat_window(llmfaults_contract: LLMFaultsContract) -> None:
    llmfaults_contract.check(lambda: "".join(chat("What now?")), faults=["stream", "finish", "transport.*"])
