"""What the healthy model says in these examples."""

import pytest

from pytest_llmfaults import Answer

ACTIONS = [
    {"action": "BUY", "ticker": "ACME", "quantity": 2},
    {"action": "SELL", "ticker": "INIT", "quantity": 1},
]


@pytest.fixture
def llmfaults_answer() -> Answer:
    return Answer(data={"actions": ACTIONS})
