"""The judge itself: it sees differences, and it plays nothing to a client in memory by accident."""

from __future__ import annotations

import pytest

from pytest_llmfaults._reply import Act, End, Reply
from tests.judge import compare
from tests.judge_clients import CLIENTS
from tests.judge_scripts import FULL


class Fickle(Reply):
    """A reply that is another one the second time."""

    played: list[str]

    def script(self) -> tuple[Act, ...]:
        self.played.append("again")
        return (FULL, End("keep")) if len(self.played) == 1 else (End("close"),)


@pytest.mark.parametrize("client", CLIENTS)
def test_it_sees_a_difference(client: str) -> None:
    reply = Fickle()
    object.__setattr__(reply, "played", [])
    memory, sockets = compare(CLIENTS[client], reply)
    assert memory != sockets
    assert memory.attempts == 1
