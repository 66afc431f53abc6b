"""A contract on ollama.chat: it holds what the wire has, and says which SDK it was signed with."""

from __future__ import annotations

import re

from tests.contract.conftest import SigningSuite

CODE = """
    import ollama

    def say():
        asked = [{"role": "user", "content": "What now?"}]
        return ollama.chat(model="qwen3", messages=asked).message.content

    def test_it(llmfaults_contract):
        llmfaults_contract.check(say, faults=["content", "finish.load", "envelope.choices_*", "status.503"])
"""


def test_what_the_official_sdk_does_is_signed_and_held(suite: SigningSuite) -> None:
    suite.sign(CODE).assert_outcomes(passed=1)
    signed = suite.signed.replace("'", '"')
    assert 'wires = ["ollama.chat"]' in signed
    assert re.search(r"# signed with httpx [\d.]+, ollama [\d.]+", signed)
    assert "raises ResponseError" in signed
    assert "choices" not in signed
    suite.run(CODE).assert_outcomes(passed=1)
