"""A contract on openai.embeddings: vectors are values like others, and a wire without streams holds what it has."""

from __future__ import annotations

from tests.contract.conftest import SigningSuite

CODE = """
    import openai

    def embed():
        with openai.OpenAI() as client:
            made = client.embeddings.create(model="text-embedding-3-small", input=["cat", "dog"], dimensions=2)
        return [[round(number, 3) for number in one.embedding] for one in made.data]

    def test_it(llmfaults_contract):
        llmfaults_contract.check(embed, faults=["embedding", "envelope.data_*", "content", "status.503"])
"""
MARKED = """
    import openai

    @pytest.mark.llmfaults("embedding.one_*", "envelope.data_*", "content.empty*")
    def test_it(llmfaults):
        with openai.OpenAI(max_retries=0) as client:
            try:
                made = client.embeddings.create(model="text-embedding-3-small", input=["cat", "dog"])
            except ValueError as error:
                assert "No embedding data received" in str(error)
            else:
                assert len(made.data) == 1
"""


def test_what_the_official_sdk_does_is_signed_and_held(suite: SigningSuite) -> None:
    suite.sign(CODE).assert_outcomes(passed=1)
    signed = suite.signed.replace("'", '"')
    assert 'wires = ["openai.embeddings"]' in signed
    assert "1 attempt, raises ValueError" in signed
    assert "embedding.one_missing" in signed
    assert "content" not in signed
    assert "3 attempts" in signed
    suite.run(CODE).assert_outcomes(passed=1)


def test_a_marker_plays_what_vectors_have(suite: SigningSuite) -> None:
    suite.run(MARKED).assert_outcomes(passed=4, skipped=3)
