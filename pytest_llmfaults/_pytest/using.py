"""Who uses this plugin: the only question that a suite without it ever pays for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pytest_llmfaults._inject import Injected
    from pytest_llmfaults._pytest.state import State

__all__ = ["ANSWER", "KEY", "MARKER", "RUN", "entered", "forget", "leave", "looks_marked", "of", "uses"]

MARKER: Final = "llmfaults"
ANSWER: Final = "llmfaults_answer"
RUN: Final = "_llmfaults_run"
FIXTURES: Final = ("llmfaults", "llmfaults_contract")
KEY: Final[pytest.StashKey[State]] = pytest.StashKey()


def uses(item: pytest.Item) -> bool:
    """Tell whether a test asks for a fixture or has a marker of ours."""
    names = getattr(item, "fixturenames", ())
    return any(name in names for name in FIXTURES) or item.get_closest_marker(MARKER) is not None


def looks_marked(node: pytest.Item) -> bool:
    """Tell whether a test has a marker of ours, or one that may be meant to be."""
    return any(mark.name[:3].lower() == "llm" for mark in node.iter_markers())


def of(item: pytest.Item) -> State | None:
    """Return the state of a test, or None when it does not use this plugin."""
    return item.stash.get(KEY, None)


def forget(item: pytest.Item) -> None:
    """Let the state of a test go: pytest keeps items to the end of the session, and with them what each observed."""
    del item.stash[KEY]


def entered() -> list[Injected]:
    """Return the ``with inject(...)`` blocks that are open now; a suite without any pays a look into a dictionary."""
    module = sys.modules.get("pytest_llmfaults._inject")
    return list(module.entered) if module is not None else []


def leave(before: list[Injected]) -> str | None:
    """Leave the blocks that were entered since ``before``, and say which they were; None where there are none."""
    behind = [one for one in entered() if one not in before]
    for one in reversed(behind):
        one.leave()
    text = "with {} was entered in this test and never left: its generator is still open."
    return "\n".join(text.format(one.described) for one in behind) or None
