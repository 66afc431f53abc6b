"""A subject that reads a stream: what is signed of it, and a retry after output is seen."""

from __future__ import annotations

from pytest_llmfaults._contract.observation import Behaviour, Observation, Span
from pytest_llmfaults._contract.sentence import parse, sentence
from pytest_llmfaults._contract.words import difference

from .conftest import SigningSuite

SUBJECT = """
    import openai

    def answer(tries=2):
        client = openai.OpenAI(api_key="sk-test", max_retries=0)
        for left in reversed(range(tries)):
            text = ""
            try:
                with client.chat.completions.create(
                    model="gpt-5", messages=[{"role": "user", "content": "hello"}], stream=True
                ) as stream:
                    for chunk in stream:
                        text += chunk.choices[0].delta.content or ""
                return text
            except openai.APIError:
                if not left:
                    raise

    STREAMS = ["stream.closed", "stream.reset_peer_before_text", "stream.eof_before_finish", "body.truncated_json"]

    def test_it(llmfaults_contract):
        llmfaults_contract.check(CALL, faults=STREAMS)
"""


def test_what_is_signed_of_a_stream(suite: SigningSuite) -> None:
    suite.sign(SUBJECT.replace("CALL", "answer")).assert_outcomes(passed=1)
    blocks = suite.signed.partition("\n\n[[")[2]
    assert blocks.splitlines()[:-1] == [
        "\"1 attempt, returns 'Hello from a'\"]]",
        'faults = ["stream.eof_before_finish"]',
        '[["2 attempts, waits 0 s, raises APIConnectionError"]]',
        'once = "2 attempts, waits 0 s, same as ok"',
        'faults = ["stream.reset_peer_before_text"]',
        '[["2 attempts, waits 0 s, retried after output, raises APIConnectionError"]]',
        'once = "2 attempts, waits 0 s, retried after output, same as ok"',
        'faults = ["stream.closed"]',
        '[["does not apply"]]',
        'faults = ["body.truncated_json"]',
        "",
    ]
    suite.run(SUBJECT.replace("CALL", "answer")).assert_outcomes(passed=1)


def test_a_retry_after_output_that_is_new_fails(suite: SigningSuite) -> None:
    suite.sign(SUBJECT.replace("CALL", "lambda: answer(tries=1)")).assert_outcomes(passed=1)
    result = suite.run(SUBJECT.replace("CALL", "answer"))
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*asks again after output had begun*"])


def test_the_clause_is_read_as_it_is_written() -> None:
    seen = Observation(
        attempts=2, waits=(Span(1, 1),), elapsed=Span(1, 1), outcome="same as ok", changed=True, after_output=True
    )
    text = sentence(seen)
    assert text == "2 attempts, waits 1 s, request changed, retried after output, same as ok"
    assert parse(text).text == text
    assert parse(text).after_output
    calm = text.replace(", retried after output", "")
    words = difference(Behaviour(text, text), Behaviour(calm, calm)).words
    assert words == "no longer asks again after output had begun"
