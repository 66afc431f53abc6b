"""What the strategies promise on every wire: they draw, print what can be pasted, and cover what the wire has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmfaults import Fault, strategies
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._strategies import draw
from pytest_llmfaults._wires import WIRES, wire
from tests.faults.editions import SAME_ASKS
from tests.strategies.finding import pasted


class Reach(NamedTuple):
    """What has to be drawn on a wire: the slots, and the least share of its rows."""

    slots: frozenset[str]
    share: float = 0.85


_SAID: Final = frozenset({"content", "reasoning", "finish"})
_CALLED: Final = frozenset({"arguments", "function_name"})

REACHES: Final[Mapping[str, Reach]] = {
    "openai.chat": Reach(_SAID | _CALLED | {"choices", "message", "usage"}),
    "anthropic.messages": Reach(_SAID | _CALLED | {"usage", "block", "signature"}),
    "openai.responses": Reach(_SAID | _CALLED | {"usage", "output_items"}),
    "gemini": Reach(_SAID | _CALLED | {"choices", "usage", "block"}),
    "ollama.chat": Reach(_SAID | _CALLED | {"done", "usage_prompt"}, 0.8),
    "ollama.generate": Reach(_SAID | {"done", "usage_prompt"}, 0.8),
}

each_wire = pytest.mark.parametrize("name", sorted(REACHES))
few = settings(max_examples=30, deadline=None)  # the first draw makes the table of the wire


def asks(name: str) -> list[Mapping[str, Any] | None]:
    """Return requests: one for a text, and one that lets the model do nothing but call a tool."""
    return [None, SAME_ASKS[name]["tools"]]


def test_every_wire_is_among_them() -> None:
    assert set(REACHES) == set(WIRES)


@each_wire
@few
@given(data=st.data())
def test_a_variant_prints_as_the_call_that_makes_it(name: str, data: st.DataObject) -> None:
    drawn = data.draw(strategies.variants(name))
    again = pasted(repr(drawn))
    assert again == drawn
    assert again.reply == drawn.reply


@pytest.mark.parametrize("name", [name for name in sorted(REACHES) if WIRES[name].stream is not None])
@few
@given(data=st.data())
def test_a_stream_prints_as_the_call_that_makes_it(name: str, data: st.DataObject) -> None:
    drawn = data.draw(strategies.streams(name))
    again = pasted(repr(drawn))
    assert (again.packets, again.reply) == (drawn.packets, drawn.reply)


@each_wire
@few
@given(data=st.data())
def test_a_fault_is_one_of_the_wire(name: str, data: st.DataObject) -> None:
    assert data.draw(strategies.faults(name)).applies_to(wire(name))


@each_wire
@few
@given(data=st.data())
def test_envelopes_and_bodies_are_drawn(name: str, data: st.DataObject) -> None:
    for request in asks(name):
        envelope = data.draw(strategies.envelopes(name, request=request))
        assert envelope is None or isinstance(envelope, (dict, list, str, int, float))
    assert isinstance(data.draw(strategies.bodies(name)), bytes)


@each_wire
def test_every_fault_and_every_slot_can_come(name: str) -> None:
    reach = REACHES[name]
    rows = tuple(row for row in CATALOGUE.values() if row.applies_to(wire(name)) and row.streamed != "only")
    found = [table for request in asks(name) for table in draw.tables(name, "reply", rows, request, None)]
    entries = [entry for table in found for place in table.places for entry in place.entries]
    names = {change.name for entry in entries for change in entry.changes if isinstance(change, Fault)}
    assert len(names) > reach.share * len(rows)
    assert {place.name for table in found for place in table.places} >= reach.slots
