"""Choosing rows."""

from __future__ import annotations

import pytest

from pytest_llmfaults._faults import CATALOGUE, CORE, DEFAULT_EDITION, EDITION, faults
from pytest_llmfaults.errors import InvalidUse, UnknownFault


def names(*patterns: str, **filters: str) -> list[str]:
    return [row.name for row in faults(*patterns, **filters)]  # type: ignore[arg-type]


def test_nothing_is_all() -> None:
    chosen = [name for name, row in CATALOGUE.items() if row.since <= DEFAULT_EDITION]
    assert names() == names("all") == chosen


def test_a_name_and_a_glob() -> None:
    assert names("status.401") == ["status.401"]
    assert names("envelope.choices_*") == [name for name in CATALOGUE if name.startswith("envelope.choices_")]
    assert names("transport.reset_peer*", "transport.refused")[0] == "transport.refused"


@pytest.mark.parametrize("family", ["transport", "status", "body", "envelope", "usage", "finish", "control"])
def test_a_family_is_all_of_its_modules(family: str) -> None:
    assert names(family) == names(f"{family}.*") == [name for name in CATALOGUE if name.startswith(f"{family}.")]


def test_the_preset_core() -> None:
    assert set(names("core")) == set(CORE)
    assert len(CORE) >= 25


def test_a_row_is_chosen_once_and_in_the_order_of_the_catalogue() -> None:
    chosen = names("usage", "core", "usage.absent")
    assert chosen == [name for name in CATALOGUE if name in set(chosen)]


def test_filters() -> None:
    assert all(row.draw == "fresh" for row in faults(draw="fresh"))
    assert {row.slot for row in faults(slot="usage")} == {"usage"}
    assert {row.scope for row in faults("finish", scope="partial")} == {"partial"}
    assert "envelope.created_float" in names(slot="created")
    assert set(names("status", draw="fresh")) < set(names("status"))


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"draw": "frsh"}, "draw='frsh' is not allowed: Did you mean 'fresh'? It is one of fresh, same, depends."),
        ({"scope": "x"}, "scope='x' is not allowed: It is one of total, partial."),
    ],
)
def test_a_wrong_filter(filters: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidUse) as caught:
        names(**filters)
    assert str(caught.value) == message


def test_a_slot_that_no_row_has_offers_the_nearest() -> None:
    with pytest.raises(InvalidUse, match=r"slot='usages' is not allowed: Did you mean 'usage'"):
        names(slot="usages")


def test_filters_that_leave_nothing_say_so() -> None:
    with pytest.raises(InvalidUse) as caught:
        names("transport", draw="depends")
    assert str(caught.value) == "No fault among transport has draw='depends'. Loosen one of them."


def test_an_unknown_pattern_offers_the_nearest() -> None:
    with pytest.raises(UnknownFault, match=r"'envelop' is not a fault. Did you mean 'envelope'"):
        names("envelop")
    with pytest.raises(UnknownFault, match=r"'status\.7\*' is not a fault"):
        names("status.7*")


def test_an_older_edition_has_no_newer_row() -> None:
    for edition in range(1, EDITION + 1):
        assert {row.since for row in faults(edition=edition)} == set(range(1, edition + 1))
    with pytest.raises(UnknownFault):
        faults("body", edition=0)


def test_a_pattern_means_what_a_request_can_carry() -> None:
    every = {row.name for row in faults("tools")}
    plain = {row.name for row in faults("tools", stream=False)}
    assert every - plain == {name for name in every if CATALOGUE[name].streamed == "only"} != set()
    assert {row.streamed for row in faults(draw="fresh", stream=False)} == {"answer", "bytes", "same", "never"}
    assert {row.streamed for row in faults("all", stream=True)} == {"answer", "bytes", "same", "only"}
    assert {row.streamed for row in faults(stream=None)} == {"answer", "bytes", "same", "never", "only"}


def test_a_pattern_that_means_nothing_else_keeps_its_rows() -> None:
    assert {row.name for row in faults("stream", "control.stream_*", stream=False)} == {
        name for name in CATALOGUE if name.startswith(("stream.", "control.stream_"))
    }
    assert [row.name for row in faults("body.truncated_json", stream=True)] == ["body.truncated_json"]
