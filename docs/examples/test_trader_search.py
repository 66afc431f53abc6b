"""What the trading client does besides: nothing that nobody signed."""

from trader import decide

from pytest_llmfaults import LLMFaultsContract


def test_nothing_else_happens(llmfaults_contract: LLMFaultsContract) -> None:
    llmfaults_contract.check(decide, faults="all")
    llmfaults_contract.fuzz(decide)


def test_all_that_happens(llmfaults_contract: LLMFaultsContract) -> None:
    llmfaults_contract.discover(decide, max_examples=200)
