"""Hypothesis at work for a contract: by its profile, or by a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import hypothesis
import pytest
from hypothesis.database import InMemoryExampleDatabase

from pytest_llmfaults import strategies
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._strategies import draw
from pytest_llmfaults._strategies.search import Effort, Looking, drawn, fuzzed
from pytest_llmfaults.strategies import Variant, put, remove, variant

WIRE: Final = "openai.chat"
SAME: Final = Effort(same=True)


@pytest.fixture(autouse=True)
def _profile() -> Iterator[None]:
    """Let each test begin with the same profile and load others, and put the one of before back."""
    before = hypothesis.settings._current_profile
    profile(max_examples=100)
    yield
    hypothesis.settings.load_profile(str(before))


def profile(**more: object) -> None:
    plain = hypothesis.settings.get_profile("default")
    hypothesis.settings.register_profile("of a test", plain, deadline=None, **more)
    hypothesis.settings.load_profile("of a test")


def looked(looking: Looking, wanted: Callable[[Variant], bool]) -> tuple[list[Variant], Variant | None]:
    """Return what was asked about, and what was found."""
    seen: list[Variant] = []
    try:
        one = next(looking)
        while True:
            seen.append(one)
            one = looking.send(wanted(one))
    except StopIteration as stop:
        return seen, stop.value


def no_choices(one: Variant) -> bool:
    return one.is_json and isinstance(one.value, dict) and "choices" not in one.value


def test_what_is_looked_for_is_shrunk() -> None:
    """To one change of one place; which of the two least ones it is depends on the seed and on the other wires."""
    _, found = looked(fuzzed(strategies.variants(WIRE, families=()), SAME), no_choices)
    plainest = (variant(WIRE, remove("choices")), variant(WIRE, put(value={})))
    assert found in plainest, "one change, and no simpler one: which of the two depends on what else can be drawn"


def test_nothing_is_found_where_nothing_is() -> None:
    seen, found = looked(fuzzed(strategies.variants(WIRE), SAME), lambda _: False)
    assert found is None
    assert len(seen) == hypothesis.settings().max_examples


def test_the_same_is_drawn_where_each_run_is_to_draw_the_same() -> None:
    one, other = (looked(fuzzed(strategies.variants(WIRE), SAME), no_choices) for _ in range(2))
    assert one == other


def test_the_profile_says_how_many_and_how() -> None:
    profile(max_examples=7, database=None)
    assert len(looked(fuzzed(strategies.variants(WIRE), Effort()), lambda _: False)[0]) == 7
    assert len(looked(fuzzed(strategies.variants(WIRE), Effort(examples=9)), lambda _: False)[0]) == 9
    profile(derandomize=True)
    one, other = (looked(fuzzed(strategies.variants(WIRE), Effort()), lambda _: False) for _ in range(2))
    assert one == other


def test_the_example_database_keeps_a_finding_under_its_key() -> None:
    profile(database=InMemoryExampleDatabase())
    strategy = strategies.variants(WIRE, families=())
    _, found = looked(fuzzed(strategy, Effort(key=b"one")), no_choices)
    again, _ = looked(fuzzed(strategy, Effort(key=b"one")), no_choices)
    assert again[0] == found
    other, _ = looked(fuzzed(strategy, Effort(key=b"other", examples=1)), lambda _: False)
    assert other != [found]
    same, _ = looked(fuzzed(strategy, Effort(key=b"one", same=True, examples=1)), lambda _: False)
    assert same != [found], "where each run draws the same, nothing is kept"


def test_a_seed_decides_what_is_drawn() -> None:
    def by(seed: int) -> list[Variant]:
        return looked(drawn(strategies.variants(WIRE), 50, seed), lambda _: False)[0]

    assert by(3) == by(3)
    assert by(3) != by(4)
    assert len(by(3)) == 50


def test_every_single_change_comes_once_and_the_plainest_first() -> None:
    tables = draw.tables(WIRE, "reply", tuple(CATALOGUE.values()), None, None)
    found = list(draw.singles(tables[:1]))
    assert found[0].changes == (put("id", value=" "),)
    slots = [one.slot for one in found]
    assert slots.index("content") < slots.index("choices") < slots.index(None)
    (content,) = (place for place in tables[0].places if place.name == "content")
    edits = [entry.variant for entry in content.entries if entry.variant.fault is None]
    faults = [entry.variant for entry in content.entries if entry.variant.fault is not None]
    assert edits
    assert max(map(found.index, edits)) < min(map(found.index, faults))


def test_of_further_replies_only_what_is_other_there() -> None:
    tables = draw.tables(WIRE, "reply", tuple(CATALOGUE.values()), None, None)
    found = list(draw.singles(tables))
    text, reasoning = ([one.changes for one in found if one.of == of] for of in ("text", "reasoning"))
    assert len(reasoning) < len(text) / 2
    assert (put("id", value=" "),) in text
    assert (put("id", value=" "),) not in reasoning
    assert (remove("choices", 0, "message", "reasoning_content"),) in reasoning


def test_simpler_variants_have_a_simpler_change_at_one_of_the_places() -> None:
    tables = draw.tables(WIRE, "reply", (), None, None)
    two = variant(WIRE, put("id", value=" "), put("choices", value=""))
    found = list(draw.simpler(tables, two))
    assert found
    assert all(len(one.changes) == 2 for one in found)
    assert all(sum(change in two.changes for change in one.changes) == 1 for one in found)
    assert variant(WIRE, put("id", value=" "), remove("choices")) in found
