"""The seeded bugs are found soon and shrink to one change; in correct clients nothing is found."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import pytest
from hypothesis import Phase, find, given, settings

from pytest_llmfaults import strategies
from tests.strategies.bugs import BUGS, LEFT_OUT, Bug
from tests.strategies.clients import CORRECT, Unreadable
from tests.strategies.finding import mine, one_slot

SETTINGS: Final = settings(
    max_examples=500, database=None, derandomize=True, deadline=None, phases=[Phase.generate, Phase.shrink]
)


def test_the_bugs_stand_in_the_order_of_the_rule() -> None:
    urls = [bug.url for bug in BUGS]
    ranks = [hashlib.sha256(url.encode()).hexdigest() for url in urls]
    assert len(BUGS) == len(set(urls)) == 30
    assert ranks == sorted(ranks)
    assert not set(urls) & set(LEFT_OUT)
    assert all(hashlib.sha256(url.encode()).hexdigest() < ranks[-1] for url in LEFT_OUT)


@pytest.mark.parametrize("bug", BUGS, ids=[bug.name for bug in BUGS])
def test_a_bug_is_found_and_shrinks_to_one_change(bug: Bug) -> None:
    found = find(mine(bug), bug.shows, settings=SETTINGS)
    assert bug.shows(found)
    assert one_slot(bug, found)


@pytest.mark.parametrize("name", CORRECT)
def test_nothing_is_found_in_a_correct_client(name: str) -> None:
    client = CORRECT[name]
    drawn = strategies.bodies("openai.chat") if name == "decoded" else strategies.envelopes("openai.chat")

    @settings(max_examples=250, database=None, derandomize=True, deadline=None)
    @given(drawn)
    def ask(value: Any) -> None:
        try:
            client(value)
        except Unreadable:
            return

    ask()
