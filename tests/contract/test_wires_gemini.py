"""A contract on gemini: it holds what that wire has, signs, and is kept."""

from __future__ import annotations

from tests.contract.conftest import SigningSuite

CODE = """
    URL = "https://gateway.example.com/v1beta/models/gemini-pro:{verb}"

    def say():
        reply = requests.post(URL, json={{"contents": [{{"role": "user", "parts": [{{"text": "hi"}}]}}]}})
        return reply.text if "alt=sse" in URL else reply.json()["candidates"][0]["content"]["parts"][0]["text"]

    def test_it(llmfaults_contract):
        llmfaults_contract.check(say, faults={faults})
"""


def test_what_only_other_wires_have_is_not_held(suite: SigningSuite) -> None:
    code = CODE.format(verb="generateContent", faults='["content", "envelope.choices_*", "envelope.message_*"]')
    suite.sign(code).assert_outcomes(passed=1)
    assert 'wires = ["gemini"]' in suite.signed
    assert "content.parts_absent" in suite.signed or "content.*" in suite.signed
    assert "envelope.choices_" in suite.signed
    assert "message" not in suite.signed.partition("[[")[2]
    suite.run(code).assert_outcomes(passed=1)


def test_a_stream_is_one_by_its_path(suite: SigningSuite) -> None:
    code = CODE.format(
        verb="streamGenerateContent?alt=sse", faults='["stream.eof_*", "stream.done_only", "finish.stop_each"]'
    )
    suite.sign(code).assert_outcomes(passed=1)
    assert "stream.eof_before_finish" in suite.signed
    assert '[["does not apply"]]\nfaults = ["stream.done_only"]' in suite.signed.replace("'", '"')
    suite.run(code).assert_outcomes(passed=1)
