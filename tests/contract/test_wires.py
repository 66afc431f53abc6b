"""A contract holds the faults of the wires that its code asks on."""

from __future__ import annotations

import pytest

from pytest_llmfaults._contract import store
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.selection import rows_of
from pytest_llmfaults.errors import ContractError
from tests.contract.conftest import SigningSuite

SINCE = {"content.block_null": 1, "content.empty": 1, "envelope.choices_null": 1, "made.up": 1}
CLAUDE = """
    def say():
        reply = requests.post(
            "https://api.anthropic.com/v1/messages", json={{"model": "claude", "max_tokens": 9, "messages": []}}
        )
        return reply.json()["content"][0]["text"]

    def test_it(llmfaults_contract):
        llmfaults_contract.check({call}, faults={faults})
"""


def test_globs_mean_rows_that_one_of_the_wires_has() -> None:
    every = frozenset(SINCE)
    assert rows_of(SINCE, 1) == every
    assert rows_of(SINCE, 1, ("openai.chat",)) == every - {"content.block_null"}
    assert rows_of(SINCE, 1, ("anthropic.messages",)) == every - {"envelope.choices_null"}
    assert rows_of(SINCE, 1, ("anthropic.messages", "openai.chat")) == every


def test_a_file_names_its_wires_unless_they_are_the_usual_one() -> None:
    once = Behaviour("1 attempt, same as ok", "1 attempt, same as ok")
    for wires in (("openai.chat",), ("anthropic.messages",), ("anthropic.messages", "openai.chat")):
        signed = Contract(catalogue=1, ok="1 attempt, returns 'x'", behaviours={"content.empty": once}, wires=wires)
        text = store.dumps(signed, nodeid="test_a.py::test_a", since=SINCE)
        assert ("wires = " in text) == (wires != ("openai.chat",))
        assert store.loads(text, since=SINCE, edition=1).wires == wires


@pytest.mark.parametrize("wires", ['"openai.chat"', "[]", '["nonsense"]', "[1]"])
def test_wires_that_are_none_are_refused(wires: str) -> None:
    signed = Contract(catalogue=1, ok="1 attempt, returns 'x'", behaviours={}, wires=("anthropic.messages",))
    text = store.dumps(signed, nodeid="a", since=SINCE).replace("['anthropic.messages']", wires)
    text = text.replace('["anthropic.messages"]', wires)
    with pytest.raises(
        ContractError, match=r"is not a list of wires\. Known wires: anthropic\.messages, .*openai\.chat"
    ):
        store.loads(text, since=SINCE, edition=1)


def test_what_only_other_wires_have_is_not_held(suite: SigningSuite) -> None:
    code = CLAUDE.format(call="say", faults='["content", "envelope.role_*", "envelope.choices_*"]')
    suite.sign(code).assert_outcomes(passed=1)
    assert "anthropic.messages" in suite.signed
    assert "content.*" in suite.signed
    assert "does not apply" not in suite.signed
    assert "choices" not in suite.signed
    suite.run(code).assert_outcomes(passed=1)


def test_a_fault_that_is_named_is_held(suite: SigningSuite) -> None:
    code = CLAUDE.format(call="say", faults='["content.empty", "envelope.choices_null"]')
    suite.sign(code).assert_outcomes(passed=1)
    assert '[["does not apply"]]\nfaults = ["envelope.choices_null"]' in suite.signed.replace("'", '"')


def test_code_that_moves_to_another_wire_is_not_as_signed(suite: SigningSuite) -> None:
    suite.sign(CLAUDE.format(call="ask", faults='["content"]')).assert_outcomes(passed=1)
    moved = CLAUDE.format(call="say", faults='["content"]')
    result = suite.run(moved)
    assert result.parseoutcomes()["failed"]
    result.stdout.fnmatch_lines(["*new: content.block_null*", "*stale: content.refusal*"])
    suite.sign(moved, categories="all").assert_outcomes(passed=1)
    assert "does not apply" not in suite.signed
    suite.run(moved).assert_outcomes(passed=1)
