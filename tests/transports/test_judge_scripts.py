"""Raw bytes that gateways send, every client: memory and a real socket must agree."""

from __future__ import annotations

import pytest

from tests.judge import judge
from tests.judge_clients import CLIENTS
from tests.judge_scripts import SCRIPTS, TWO_CALLS


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_script(client: str, script: str) -> None:
    memory, sockets = judge(CLIENTS[client], *SCRIPTS[script])
    assert memory == sockets


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("script", TWO_CALLS)
def test_second_call_on_the_same_client(client: str, script: str) -> None:
    memory, sockets = judge(CLIENTS[client], *SCRIPTS[script], calls=2)
    assert memory == sockets
