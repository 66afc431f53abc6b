"""What a person wishes, and what was signed."""

from ask import GatewayError, ask

from pytest_llmfaults import Answer, LLMFaultsContract


def test_contract(llmfaults_contract: LLMFaultsContract) -> None:
    llmfaults_contract.expect("status.401", retried=False, raises=GatewayError)
    llmfaults_contract.expect("body.*", waits=[1, 2])
    llmfaults_contract.check(lambda: ask("hello"), answer=Answer("Hello!"))
