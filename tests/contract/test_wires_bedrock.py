"""A contract on bedrock.converse: it holds what the wire has, and says which SDK it was signed with."""

from __future__ import annotations

import re

from tests.contract.conftest import SigningSuite

CODE = """
    import boto3

    def say():
        asked = [{"role": "user", "content": [{"text": "What now?"}]}]
        client = boto3.client("bedrock-runtime")
        made = client.converse_stream(modelId="m", messages=asked)["stream"]
        return "".join(one.get("contentBlockDelta", {}).get("delta", {}).get("text", "") for one in made)

    def test_it(llmfaults_contract):
        faults = ["stream.frame_*", "stream.exception_*", "stream.done_only", "stream.closed", "envelope.choices_*"]
        llmfaults_contract.check(say, faults=faults)
"""


def test_what_the_official_sdk_does_is_signed_and_held(suite: SigningSuite) -> None:
    suite.sign(CODE).assert_outcomes(passed=1)
    signed = suite.signed.replace("'", '"')
    assert 'wires = ["bedrock.converse"]' in signed
    assert re.search(r"# signed with .*boto3 [\d.]+", signed)
    assert "raises EventStreamError" in signed
    assert "raises ChecksumMismatch" in signed
    assert "choices" not in signed.partition("[[")[2]
    suite.run(CODE).assert_outcomes(passed=1)
