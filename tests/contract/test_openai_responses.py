"""A contract of code that asks openai.responses with the official SDK, plain and streamed."""

from __future__ import annotations

import pytest

from tests.contract.conftest import SigningSuite

ASK = """
    import openai

    def say():
        return openai.OpenAI().responses.create(model="gpt-5", input="x").output_text

    def read():
        with openai.OpenAI().responses.create(model="gpt-5", input="x", stream=True) as events:
            return "".join(event.delta for event in events if event.type == "response.output_text.delta")

    def test_it(llmfaults_contract):
        llmfaults_contract.check({call}, faults={faults})
"""


@pytest.mark.parametrize(
    ("call", "faults", "sentences"),
    [
        (
            "say",
            '["envelope.output_*", "finish.queued", "status.503", "envelope.choices_*"]',
            ['[["1 attempt, raises TypeError"]]', "[[\"1 attempt, returns ''\"]]", "3 attempts, waits 0.375..0.5"],
        ),
        (
            "read",
            '["stream.error_mid_500", "stream.created_absent", "stream.output_lost_at_end"]',
            ["1 attempt, same as ok", "stream.error_mid_500"],
        ),
    ],
)
def test_it_is_signed_and_held(suite: SigningSuite, call: str, faults: str, sentences: list[str]) -> None:
    code = ASK.format(call=call, faults=faults)
    suite.sign(code).assert_outcomes(passed=1)
    assert "openai.responses" in suite.signed
    assert "choices" not in suite.signed
    for sentence in sentences:
        assert sentence in suite.signed, suite.signed
    suite.run(code).assert_outcomes(passed=1)


def test_the_same_rows_play_alone(suite: SigningSuite) -> None:
    result = suite.run("""
        import openai

        @pytest.mark.llmfaults("envelope.output_*", wire="openai.responses")
        def test_it(llmfaults):
            try:
                openai.OpenAI().responses.create(model="gpt-5", input="x")
            finally:
                assert llmfaults.attempts == 1
    """)
    result.assert_outcomes(passed=6)
