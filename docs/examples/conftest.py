"""What the healthy model says in these examples."""

import hypothesis
import pytest

from pytest_llmfaults import Answer

hypothesis.settings.register_profile("docs", derandomize=True, max_examples=60, deadline=None)
hypothesis.settings.load_profile("docs")

collect_ignore = ["gateway_package"]  # its tests run where it is installed

ACTIONS = [
    {"action": "BUY", "ticker": "ACME", "quantity": 2},
    {"action": "SELL", "ticker": "INIT", "quantity": 1},
]


@pytest.fixture
def llmfaults_answer() -> Answer:
    return Answer(data={"actions": ACTIONS})
