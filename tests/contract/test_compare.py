"""Signed and observed: the difference as values, and the contract after some of it was accepted."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmfaults._contract.compare import CATEGORIES, Category, accept, categories, compare
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults.errors import InvalidUse
from tests.contract.cases import AS_OK, FAILS, RETRIED, ROWS, SINCE, contract, patient

ONE, TWO, THREE, FOUR = ROWS[:4]
LATER = {**SINCE, "body.later": 2, "later.row": 2}


def small(**behaviours: Behaviour) -> Contract:
    names = {"one": ONE, "two": TWO, "three": THREE, "four": FOUR}
    return contract(behaviours={names[key]: what for key, what in behaviours.items()})


def found(signed: Contract | None, observed: Contract, **options: object) -> list[tuple[str, str]]:
    changes = compare(signed, observed, **{"since": SINCE, **options})  # type: ignore[arg-type]
    return [(change.category, change.fault) for change in changes.items]


def after(signed: Contract | None, observed: Contract, *accepted: Category, **options: object) -> Contract | None:
    changes = compare(signed, observed, **{"since": SINCE, **options})  # type: ignore[arg-type]
    return accept(signed, observed, changes, accepted)


def test_what_is_as_signed_is_held() -> None:
    changes = compare(contract(), contract(), since=SINCE)
    assert changes.items == ()
    assert changes.held == len(ROWS)
    assert not changes.broken


def test_each_difference_has_its_category() -> None:
    signed = small(one=RETRIED, two=RETRIED, three=RETRIED)
    observed = small(one=RETRIED, two=FAILS, four=AS_OK)
    expected = [("changed", TWO), ("new", FOUR), ("stale", THREE)]
    assert found(signed, observed) == sorted(expected, key=lambda pair: pair[1])
    changes = compare(signed, observed, since=SINCE)
    assert changes.held == 1
    assert changes.broken
    (changed,) = changes.of("changed")
    assert (changed.signed, changed.observed) == (RETRIED, FAILS)


def test_what_differs_only_once_has_changed_too() -> None:
    once = Behaviour(RETRIED.persists, RETRIED.persists)
    assert found(small(one=RETRIED), small(one=once)) == [("changed", ONE)]


def test_without_a_file_all_is_new() -> None:
    changes = compare(None, small(one=RETRIED), since=SINCE)
    assert [(change.category, change.fault) for change in changes.items] == [
        ("new", "ok"),
        ("new", "interrupt"),
        ("new", ONE),
    ]
    assert changes.broken


def test_the_healthy_call_and_the_interrupt_are_held_too() -> None:
    other = dataclasses.replace(
        contract(), ok="2 attempts, waits 0 s, returns X", interrupt="4 attempts, waits 1 2 4 s, same as ok"
    )
    assert found(contract(), other) == [("changed", "ok"), ("changed", "interrupt")]
    assert after(contract(), other, "changed") == other
    assert found(contract(), contract(interrupt=None)) == []
    assert found(contract(interrupt=None), contract()) == [("new", "interrupt")]
    assert after(contract(interrupt=None), contract(), "new") == contract()


def test_only_what_a_run_answers_for_is_looked_at() -> None:
    signed = small(one=RETRIED, two=RETRIED, three=RETRIED)
    observed = small(two=FAILS)
    assert found(signed, observed, selection=[TWO]) == [("changed", TWO)]
    assert after(signed, observed, "changed", "stale", "new", selection=[TWO]) == small(
        one=RETRIED, two=FAILS, three=RETRIED
    )
    assert found(None, small(one=AS_OK, two=AS_OK), selection=[TWO])[2:] == [("new", TWO)]


def test_later_rows_are_counted_and_never_held() -> None:
    changes = compare(contract(), contract(catalogue=2), since=LATER)
    assert [change.fault for change in changes.of("newer")] == ["body.later", "later.row"]
    assert not changes.broken
    assert compare(contract(), contract(), since=LATER, selection=ROWS).items == ()


def test_later_rows_come_in_with_new_once_all_were_observed() -> None:
    now = contract(catalogue=2, behaviours={**contract().behaviours, "body.later": FAILS, "later.row": FAILS})
    assert after(contract(), now, "new", since=LATER) == now
    assert after(contract(), now, "changed", "stale", since=LATER) == contract()
    half = contract(catalogue=2, behaviours={**contract().behaviours, "body.later": FAILS})
    assert after(contract(), half, "new", since=LATER) == contract()
    chosen = after(contract(), half, "new", since=LATER, selection=[*ROWS, "body.later"])
    assert chosen == half


def test_a_changed_signature_never_rides_along() -> None:
    signed, observed = small(one=RETRIED, two=RETRIED), small(one=FAILS, three=AS_OK)
    assert after(signed, observed, "new") == small(one=RETRIED, two=RETRIED, three=AS_OK)
    assert after(signed, observed, "changed") == small(one=FAILS, two=RETRIED)
    assert after(signed, observed, "stale") == small(one=RETRIED)


def test_where_nothing_is_accepted_it_stays_the_same_object() -> None:
    signed = small(one=RETRIED)
    assert after(signed, small(one=FAILS), "new", "stale") is signed
    assert after(signed, small(one=RETRIED), *CATEGORIES) is signed
    assert after(None, small(one=RETRIED), "changed", "stale") is None


def test_removed_rows_go_with_stale_only() -> None:
    signed = contract(removed={"body.gone": RETRIED})
    assert not compare(signed, contract(), since=SINCE).broken
    assert after(signed, contract(), "new", "changed") is signed
    assert after(signed, contract(), "stale") == contract()


def test_versions_are_noted_once_all_holds_with_them() -> None:
    new = {"requests": "3.0"}
    signed = small(one=RETRIED, two=RETRIED)
    observed = dataclasses.replace(small(one=FAILS, two=RETRIED, three=AS_OK), versions=new)
    some = after(signed, observed, "new")
    every = after(signed, observed, "new", "changed")
    assert some is not None
    assert every is not None
    assert some.versions == signed.versions
    assert every.versions == new
    other_ok = after(
        signed, dataclasses.replace(observed, ok="1 attempt, returns X", behaviours={TWO: RETRIED}), "stale"
    )
    assert other_ok is not None
    assert other_ok.versions == signed.versions
    part = dataclasses.replace(small(one=FAILS), versions=new)
    partly = after(signed, part, "changed", selection=[ONE])
    assert partly is not None
    assert partly.versions == signed.versions


somehow = st.dictionaries(st.sampled_from(ROWS), st.sampled_from([AS_OK, FAILS, RETRIED]))


@patient
@given(somehow, somehow, st.none() | st.sets(st.sampled_from(ROWS)))
def test_accepting_everything_leaves_nothing(
    before: dict[str, Behaviour], now: dict[str, Behaviour], selection: set[str] | None
) -> None:
    if selection is not None:
        now = {name: what for name, what in now.items() if name in selection}
    signed, observed = contract(behaviours=before), contract(behaviours=now)
    following = after(signed, observed, *CATEGORIES, selection=selection)
    assert following is not None
    assert not compare(following, observed, since=SINCE, selection=selection).broken
    untouched = set(ROWS) - (set(ROWS) if selection is None else selection)
    assert all(following.behaviours.get(name) == before.get(name) for name in untouched)


@patient
@given(somehow, somehow)
def test_the_order_of_accepting_does_not_matter(before: dict[str, Behaviour], now: dict[str, Behaviour]) -> None:
    observed = contract(behaviours=now)
    results = set()
    for order in itertools.permutations(CATEGORIES):
        signed: Contract | None = contract(behaviours=before)
        for category in order:
            signed = after(signed, observed, category)
        assert signed is not None
        results.add(tuple(sorted((name, what.persists) for name, what in signed.behaviours.items())))
    assert len(results) == 1


def test_categories_are_read_from_an_option() -> None:
    assert categories("new") == ("new",)
    assert categories("stale, changed") == ("changed", "stale")
    assert categories("all") == CATEGORIES
    with pytest.raises(InvalidUse, match=r"'chnged' is not a category\. Did you mean 'changed'\? Allowed, with commas"):
        categories("chnged")
    with pytest.raises(InvalidUse, match=r"'' is not a category"):
        categories("")
