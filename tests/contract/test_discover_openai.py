"""Discovery on the official SDK, given no named fault, finds what the second demo pins, and tells it apart.

``docs/examples/test_openai_sdk.py`` pins five behaviours of ``chat.completions.create`` for bodies and envelopes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import openai
import pytest

from pytest_llmfaults import Answer
from pytest_llmfaults._contract.call import Called, Subject
from pytest_llmfaults._contract.campaign import Ground, Limits, discovery
from pytest_llmfaults._contract.discover import Discovered, Group
from pytest_llmfaults._contract.study import drive, observing_baseline
from pytest_llmfaults._placeholders import placeholders
from pytest_llmfaults._run import Settings

QUESTION: Final[Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hello?"}]}


def only_error(value: Any) -> bool:
    """Tell whether this is an envelope of which only an error is there."""
    return value.choices is None and value.id is None and value.model is None and hasattr(value, "error")


PINNED: Final[dict[str, Callable[[Called], bool]]] = {
    "an HTML page comes back as a str": lambda called: isinstance(called.value, str) and called.value != "",
    "the body null comes back as None": lambda called: called.error is None and called.value is None,
    "an envelope without choices passes without a word": lambda called: (
        isinstance(called.value, openai.types.chat.ChatCompletion)
        and called.value.choices is None
        and called.value.id is not None
        and called.view.attempts == 1
    ),
    "a rate limit at status 200 is neither raised nor retried": lambda called: (
        isinstance(called.value, openai.types.chat.ChatCompletion)
        and only_error(called.value)
        and called.view.attempts == 1
    ),
    "a broken body escapes the exceptions of the SDK": lambda called: (
        isinstance(called.error, json.JSONDecodeError)
        and not isinstance(called.error, openai.OpenAIError)
        and called.view.attempts == 1
    ),
}
DRAWN: Final = 300


def discovered(limits: Limits) -> Discovered:
    with placeholders():
        client = openai.OpenAI()
    subject = Subject(
        call=lambda: client.chat.completions.create(**QUESTION), settings=Settings(answer=lambda: Answer("Hello."))
    )
    baseline = drive(observing_baseline(subject))
    found, _ = drive(discovery(Ground(subject, baseline, None, None, limits), tell=lambda *_: None))
    return found


@pytest.fixture(scope="module")
def found() -> Discovered:
    return discovered(Limits(examples=DRAWN))


def showing(found: Discovered, name: str) -> list[Group]:
    """Return the groups whose smallest example shows a pinned behaviour."""
    seen = [(group, group.smallest.case.persists) for group in found.groups]
    return [group for group, one in seen if one is not None and PINNED[name](one.called)]


@pytest.mark.parametrize("name", PINNED)
def test_what_the_demo_pins_is_found(found: Discovered, name: str) -> None:
    assert found.complete
    assert showing(found, name)


def test_no_group_holds_two_of_them(found: Discovered) -> None:
    """Not only by its smallest example: every variant that shows one of them is in another group."""
    groups: dict[str, set[int]] = {name: set() for name in PINNED}
    for number, group in enumerate(found.groups):
        for case in (one.case for one in group.members):
            if case.persists is not None:
                for name, shows in PINNED.items():
                    groups[name] |= {number} if shows(case.persists.called) else set()
    taken = [number for numbers in groups.values() for number in numbers]
    assert all(groups.values())
    assert len(taken) == len(set(taken))


def test_each_smallest_example_is_one_changed_slot(found: Discovered) -> None:
    assert {len(group.smallest.variant.changes) for group in found.groups} == {1}


def test_the_same_seed_gives_the_same_groups_and_examples(found: Discovered) -> None:
    again = discovered(Limits(examples=DRAWN))
    assert [(one.lines, one.smallest.name, len(one.members)) for one in again.groups] == [
        (one.lines, one.smallest.name, len(one.members)) for one in found.groups
    ]


def test_edits_alone_are_enough() -> None:
    """What no row of the catalogue is needed for; the envelope of an error has a name, and no single edit makes it."""
    found = discovered(Limits(examples=DRAWN, families=()))
    named = "a rate limit at status 200 is neither raised nor retried"
    assert all(showing(found, name) for name in PINNED if name != named)
