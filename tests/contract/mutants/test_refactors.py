"""A refactor that changes nothing passes with the signed file as it is."""

from __future__ import annotations

import pytest

from tests.contract.mutants.examples import CLIENTS, verdict
from tests.contract.mutants.refactors import REFACTORS, Refactor, refactored

FAMILIES = ("core", "transport", "status.429_*", "body", "structured")
WHOLE_EVERY = 3


@pytest.mark.parametrize(
    ("refactor", "faults"),
    [(one, () if number % WHOLE_EVERY == 0 else FAMILIES) for number, one in enumerate(REFACTORS)],
    ids=[one.name for one in REFACTORS],
)
def test_a_refactor_passes(pytester: pytest.Pytester, refactor: Refactor, faults: tuple[str, ...]) -> None:
    client = CLIENTS["trader"]
    source = refactored(client.source, refactor)
    assert source != client.source
    assert not verdict(pytester, client, source, *faults).text
