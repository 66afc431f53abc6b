"""A contract on cohere.chat: it holds what the wire has, and says which SDK it was signed with."""

from __future__ import annotations

import re

from tests.contract.conftest import SigningSuite

CODE = """
    import cohere

    def say():
        asked = [{"role": "user", "content": "What now?"}]
        with cohere.ClientV2() as client:
            reply = client.chat(model="command-a-03-2025", messages=asked)
        return reply.message.content[-1].text

    def test_it(llmfaults_contract):
        llmfaults_contract.check(say, faults=["content", "finish.timeout", "envelope.choices_*", "status.429_trial_*"])
"""


def test_what_the_official_sdk_does_is_signed_and_held(suite: SigningSuite) -> None:
    suite.sign(CODE).assert_outcomes(passed=1)
    signed = suite.signed.replace("'", '"')
    assert 'wires = ["cohere.chat"]' in signed
    assert re.search(r"# signed with cohere [\d.]+, httpx [\d.]+", signed)
    assert "3 attempts, waits 0.9..1.1 1.8..2.2 s, raises TooManyRequestsError" in signed
    assert "choices" not in signed
    suite.run(CODE).assert_outcomes(passed=1)
