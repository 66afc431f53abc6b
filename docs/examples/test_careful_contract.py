"""The contract of the careful client: waits are ranges where they are random."""

from careful import decide

from pytest_llmfaults import Answer, LLMFaultsContract, ToolCall

TRADES = (
    ToolCall("trade", {"side": "BUY", "ticker": "ACME", "quantity": 2}),
    ToolCall("trade", {"side": "SELL", "ticker": "INIT", "quantity": 1}),
)


def test_careful_contract(llmfaults_contract: LLMFaultsContract) -> None:
    llmfaults_contract.check(decide, answer=Answer(tool_calls=TRADES), faults="all", describe=str)
