"""What the contract is known not to see. A test that fails here brings good news: move the mutant to the others."""

from __future__ import annotations

import pytest

from tests.contract.mutants import Mutant, edited
from tests.contract.mutants.blind import BLIND
from tests.contract.mutants.examples import CLIENTS, verdict


@pytest.mark.parametrize(
    ("client", "mutant"), [one[:2] for one in BLIND], ids=[f"{client}: {mutant.name}" for client, mutant, _ in BLIND]
)
def test_it_is_not_seen(pytester: pytest.Pytester, client: str, mutant: Mutant) -> None:
    source = edited(CLIENTS[client].source, mutant.edits)
    assert not verdict(pytester, CLIENTS[client], source, "core", "status", "tools", "control").text
