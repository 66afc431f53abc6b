"""``families=``: what is named is drawn, and what names nothing, or nothing that can come, is refused."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import Phase, given, settings

from pytest_llmfaults import Fault, strategies
from pytest_llmfaults.errors import InvalidUse

WIRE: Final = "openai.chat"
QUICK: Final = settings(max_examples=150, database=None, derandomize=True, deadline=None, phases=[Phase.generate])
TOOLS: Final = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]


def drawn_faults(strategy: Any) -> set[str]:
    """Return the names of the faults that come among the changes of what is drawn."""
    names: set[str] = set()

    def look(one: Any) -> None:
        names.update(change.name for change in one.changes if isinstance(change, Fault))

    QUICK(given(strategy)(look))()  # type: ignore[no-untyped-call]
    return names


@pytest.mark.parametrize("empty", [(), [], set(), iter([])], ids=["tuple", "list", "set", "iterator"])
def test_an_empty_list_of_families_is_none_and_faults_needs_one(empty: Any) -> None:
    with pytest.raises(InvalidUse) as caught:
        strategies.faults(WIRE, empty)
    assert str(caught.value).endswith("names no fault. Leave it out for every fault that any reply can carry.")
    for make in (strategies.variants, strategies.streams):
        assert drawn_faults(make(WIRE, families=empty)) == set()


def test_what_is_no_list_of_names_is_refused() -> None:
    with pytest.raises(InvalidUse, match="families=3 is not a name of a family or fault"):
        strategies.faults(WIRE, 3)  # type: ignore[arg-type]
