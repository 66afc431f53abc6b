"""Every mutant of an example breaks its contract, and the text names the fault that tells it.

A third of them is observed over the whole catalogue, the others over ``core`` and the family that tells them, which
costs a fifth. ``LLMFAULTS_MUTANTS=all`` observes each over the whole catalogue.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

import pytest

from tests.contract.mutants import (
    Mutant,
    careful_call,
    careful_wait,
    edited,
    trader_reply,
    trader_request,
    trader_retry,
)
from tests.contract.mutants.examples import CLIENTS, is_named, verdict

MUTANTS: Final[tuple[tuple[str, Mutant], ...]] = (
    *(("trader", one) for module in (trader_retry, trader_request, trader_reply) for one in module.MUTANTS),
    *(("careful", one) for module in (careful_wait, careful_call) for one in module.MUTANTS),
)
WHOLE_EVERY: Final = 3
FIRST_LINES: Final = 8


def _cases() -> Iterator[object]:
    for number, (client, mutant) in enumerate(MUTANTS):
        whole = number % WHOLE_EVERY == 0 or os.environ.get("LLMFAULTS_MUTANTS") == "all"
        family = mutant.tells.partition(".")[0] if "." in mutant.tells else "control"
        faults = () if whole else ("core", family)
        yield pytest.param(client, mutant, faults, id=f"{client}: {mutant.name}")


@pytest.mark.parametrize(("client", "mutant", "faults"), [*_cases()])
def test_a_mutant_breaks_the_contract(
    pytester: pytest.Pytester, client: str, mutant: Mutant, faults: tuple[str, ...]
) -> None:
    source = edited(CLIENTS[client].source, mutant.edits)
    lines = verdict(pytester, CLIENTS[client], source, *faults).first_lines
    assert 1 < len(lines) <= FIRST_LINES
    naming = [line for line in lines[1:] if is_named(mutant.tells, line)]
    assert naming, lines
    assert any(mutant.says in line for line in naming), naming


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_the_clients_themselves_hold(pytester: pytest.Pytester, client: object) -> None:
    assert isinstance(client, type(CLIENTS["trader"]))
    assert not verdict(pytester, client, client.source).text


def test_there_are_enough_mutants_and_no_two_are_the_same() -> None:
    of_trader = {mutant.edits for client, mutant in MUTANTS if client == "trader"}
    assert len(of_trader) >= 48
    assert len({(client, mutant.edits) for client, mutant in MUTANTS}) == len(MUTANTS)
    assert len({(client, mutant.name) for client, mutant in MUTANTS}) == len(MUTANTS)
    assert all(mutant.says for _, mutant in MUTANTS)
