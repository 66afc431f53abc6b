"""``families=``: what is named is drawn, and what names nothing, or nothing that can come, is refused."""

from __future__ import annotations

from collections.abc import Callable
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


NOTHING: Final[dict[str, tuple[Callable[[], Any], str]]] = {
    "a stream's in plain replies": (
        lambda: strategies.variants(WIRE, families=["stream"]),
        "families='stream' leaves no fault that a reply of openai.chat can show: ",
    ),
    "beside another": (
        lambda: strategies.envelopes(WIRE, families=["content", "stream"]),
        "families='stream' leaves no fault that an envelope of openai.chat can show: ",
    ),
    "a broken body as an envelope": (
        lambda: strategies.envelopes(WIRE, families="body.truncated_json"),
        "can show: body.truncated_json does not. variants() draws whole replies, streams() streams, and faults() any",
    ),
    "a broken connection as a body": (lambda: strategies.bodies(WIRE, families="transport.refused"), "that a body of"),
    "a plain reply's in streams": (
        lambda: strategies.streams(WIRE, families=["body.truncated_json"]),
        "families='body.truncated_json' leaves no fault that a stream of openai.chat can show: ",
    ),
    "a call that nobody asks for": (
        lambda: strategies.variants(WIRE, families="tools.arguments_*", request={"messages": []}),
        "Give a request= that asks for what they need, such as tools or a response_format.",
    ),
}


@pytest.mark.parametrize("case", NOTHING)
def test_a_name_of_which_nothing_can_come_is_refused(case: str) -> None:
    call, message = NOTHING[case]
    with pytest.raises(InvalidUse) as caught:
        call()
    assert message in str(caught.value)


def test_a_name_that_looks_like_an_edit_or_another_fault_is_not_refused() -> None:
    """Of what looks alike one is drawn: that a name is not among them does not say that it tries nothing."""
    strategies.variants(WIRE, families=["envelope.choices_null", "envelope"])
    strategies.variants(WIRE, families="tools.arguments_*", request={"tools": TOOLS})
    assert drawn_faults(strategies.streams(WIRE, families="stream.stall_after_done")) == {"stream.stall_after_done"}
