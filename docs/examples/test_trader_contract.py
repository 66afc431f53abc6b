"""The contract of the trading client: one line, and a signed file beside this one."""

from trader import decide

from pytest_llmfaults import LLMFaultsContract


def test_retry_contract(llmfaults_contract: LLMFaultsContract) -> None:
    llmfaults_contract.check(decide, faults="all", describe=str)
