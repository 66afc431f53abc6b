"""A short list of patterns stands for many faults, and for exactly these."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmfaults._contract.contract import Block
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.selection import WIDTH, compress, expand, layout, patterns, rows_of
from pytest_llmfaults.errors import ContractError
from tests.contract.cases import AS_OK, FAILS, RETRIED, ROWS, patient

ONE = Behaviour("1 attempt, raises A", "1 attempt, raises A")
TWO = Behaviour("1 attempt, raises B", "1 attempt, raises B")


@patient
@given(
    st.dictionaries(st.sampled_from(ROWS), st.sampled_from([AS_OK, FAILS, RETRIED, ONE])),
    st.sets(st.sampled_from(ROWS)),
    st.booleans(),
)
def test_compressing_and_expanding_gives_the_same(behaviours: dict[str, Behaviour], more: set[str], some: bool) -> None:
    rows = frozenset(behaviours) | more if some else frozenset(ROWS)
    blocks = compress(behaviours, rows)
    expanded = expand(blocks, rows)
    assert expanded.behaviours == behaviours
    assert expanded.removed == {}


@patient
@given(st.permutations(ROWS))
def test_the_order_in_which_things_come_does_not_matter(order: list[str]) -> None:
    what = {name: (FAILS, RETRIED, AS_OK)[sum(map(ord, name)) % 3] for name in ROWS}
    assert compress({name: what[name] for name in order}, order) == compress(what, ROWS)


@patient
@given(st.dictionaries(st.sampled_from(ROWS), st.sampled_from([AS_OK, FAILS, RETRIED]), min_size=1))
def test_every_line_fits_and_a_family_that_fits_is_not_torn(behaviours: dict[str, Behaviour]) -> None:
    for block in compress(behaviours, ROWS):
        lines = layout(block.faults)
        assert all(len(line) <= WIDTH for line in lines)
        for family, names in itertools.groupby(block.faults, lambda name: name.partition(".")[0]):
            words = " ".join(f'"{name}",' for name in names)
            at = [number for number, line in enumerate(lines) if f'"{family}.' in line]
            assert len(at) <= 1 or len(words) > WIDTH - len("faults = [") - 2 or "*" in words


def test_blocks_are_sorted_by_their_sentences() -> None:
    blocks = compress({"a.x": RETRIED, "b.x": AS_OK, "c.x": FAILS}, ["a.x", "b.x", "c.x"])
    assert [block.behaviour for block in blocks] == [FAILS, AS_OK, RETRIED]


def test_the_family_goes_to_the_behaviour_with_most_of_its_rows() -> None:
    what = {"a.x": TWO, "a.y": TWO, "a.z": ONE}
    assert compress(what, what) == (Block(ONE, ("a.z",)), Block(TWO, ("a.*",)))


def test_in_a_tie_the_family_goes_to_the_smaller_sentence() -> None:
    what = {"a.x": TWO, "a.y": TWO, "a.z": ONE, "a.w": ONE}
    assert compress(what, what) == (Block(ONE, ("a.*",)), Block(TWO, ("a.x", "a.y")))


def test_the_family_goes_to_what_applies_before_what_does_not() -> None:
    nothing = Behaviour("does not apply", "does not apply")
    what = {"a.x": nothing, "a.y": nothing, "a.z": nothing, "a.v": ONE, "a.w": ONE, "b.x": nothing, "b.y": nothing}
    assert compress(what, what) == (Block(ONE, ("a.*",)), Block(nothing, ("b.*", "a.x", "a.y", "a.z")))


def test_a_family_with_a_row_that_was_not_observed_is_named_row_by_row() -> None:
    what = {"a.x": ONE, "a.y": ONE}
    assert compress(what, [*what, "a.z"]) == (Block(ONE, ("a.x", "a.y")),)


def test_one_row_is_called_by_its_name() -> None:
    assert compress({"a.x": ONE}, ["a.x"]) == (Block(ONE, ("a.x",)),)


MANY = [f"a.status_number_{number}_in_a_long_name" for number in range(6)]
REST = [f"a.other_{number}" for number in range(9)]


def test_a_prefix_is_used_where_it_saves_lines() -> None:
    what = {**dict.fromkeys(MANY, ONE), **dict.fromkeys(REST, TWO)}
    assert compress(what, what)[0] == Block(ONE, ("a.status_*",))


def test_a_prefix_is_not_used_where_all_fits_on_a_line() -> None:
    what = {**dict.fromkeys(MANY[:2], ONE), **dict.fromkeys(REST, TWO)}
    assert compress(what, what)[0] == Block(ONE, tuple(MANY[:2]))


def test_a_prefix_never_stands_for_a_row_of_another_block() -> None:
    what = {**dict.fromkeys(MANY, ONE), **dict.fromkeys(REST, TWO), "a.status_other": TWO}
    assert compress(what, what)[0] == Block(ONE, ("a.status_number_*",))
    what["a.status_number_other"] = TWO
    assert compress(what, what)[0] == Block(ONE, tuple(MANY))


def test_no_more_prefixes_than_it_takes() -> None:
    few = ["a.pair_1", "a.pair_2"]
    what = {**dict.fromkeys([*MANY, *few], ONE), **dict.fromkeys(REST, TWO)}
    assert compress(what, what)[0] == Block(ONE, ("a.pair_1", "a.pair_2", "a.status_*"))


def test_the_most_specific_name_wins() -> None:
    rows = ["a.b_c_d", "a.b_c", "a.b_x", "a.z"]
    blocks = [
        Block(ONE, ("a.*",)),
        Block(TWO, ("a.b_*",)),
        Block(AS_OK, ("a.b_c*",)),
        Block(FAILS, ("a.b_c",)),
    ]
    assert expand(blocks, rows).behaviours == {"a.z": ONE, "a.b_x": TWO, "a.b_c_d": AS_OK, "a.b_c": FAILS}


def test_globs_mean_rows_of_the_edition_and_a_name_may_mean_a_later_one() -> None:
    since = {"a.old": 1, "a.older": 1, "a.young": 2, "a.younger": 2}
    rows = rows_of(since, 1)
    assert rows == {"a.old", "a.older"}
    assert expand([Block(ONE, ("a.*", "a.young"))], rows, since).behaviours == dict.fromkeys(
        ["a.old", "a.older", "a.young"], ONE
    )


def test_what_names_nothing_any_more_is_handed_back() -> None:
    expanded = expand([Block(ONE, ("a.x", "a.gone", "gone.*", "a.gone_*"))], ["a.x"])
    assert expanded.behaviours == {"a.x": ONE}
    assert expanded.removed == dict.fromkeys(["a.gone", "gone.*", "a.gone_*"], ONE)


@pytest.mark.parametrize("pattern", ["*", "body", "body.", "b*.x", "body.*x", "*.x", "body.[ab]", "body.x y", ""])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ContractError, match=r"is not a fault\. A name .* a prefix .* or a family .* is allowed"):
        expand([Block(ONE, (pattern,))], ["body.x"])


def test_a_fault_in_two_behaviours_is_refused() -> None:
    with pytest.raises(
        ContractError, match=r"'a.x' has two behaviours, '1 attempt, raises A' and '1 attempt, raises B'"
    ):
        expand([Block(ONE, ("a.x",)), Block(TWO, ("a.x",))], ["a.x"])
    with pytest.raises(ContractError, match=r"'a.x' is named twice under '1 attempt, raises A'"):
        expand([Block(ONE, ("a.x", "a.x"))], ["a.x"])


def test_a_moved_fault_changes_few_lines() -> None:
    what = {name: FAILS if name.startswith("body") else RETRIED for name in ROWS}
    before = [line for block in compress(what, ROWS) for line in layout(block.faults)]
    after = [line for block in compress({**what, "body.x_null": AS_OK}, ROWS) for line in layout(block.faults)]
    assert set(after) - set(before) == {'faults = ["body.x_null"]'}


def test_patterns_stand_for_a_group_of_faults() -> None:
    assert patterns([name for name in ROWS if name.startswith(("body", "status.x_a"))], ROWS) == (
        "body.*",
        "status.x_absent",
    )
    assert patterns([], ROWS) == ()
