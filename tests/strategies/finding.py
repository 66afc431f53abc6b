"""The strategy that a seeded bug is looked for with, and what a shrunk reply differs in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from pytest_llmfaults import Answer, ToolCall, Usage, strategies
from pytest_llmfaults._strategies.places import differences
from tests.strategies.bugs import Bug
from tests.strategies.clients import ACTIONS, TOOLS

ASKED: Final[Mapping[str, Mapping[str, Any]]] = {
    "text": {},
    "data": {"answer": Answer(data={"actions": ACTIONS})},
    "tools": {"request": {"tools": TOOLS}},
}
NAMES: Final = {name: getattr(strategies, name) for name in strategies.__all__} | {
    "Answer": Answer,
    "ToolCall": ToolCall,
    "Usage": Usage,
}


def mine(bug: Bug) -> SearchStrategy[Any]:
    """Return our strategy, told what the client asks for."""
    draw = strategies.envelopes if bug.reads == "envelope" else strategies.bodies
    return draw("openai.chat", **ASKED[bug.asks])


def pasted(line: str) -> Any:
    """Return what a printed line makes."""
    return eval(line, dict(NAMES))  # noqa: S307 - that it can be pasted is what is tested


def variant_of(value: Any) -> strategies.Variant:
    """Return the variant that a drawn value was made from, by the line it prints."""
    if not hasattr(value, "line"):  # a bare number or null stands for the whole body
        return strategies.variant("openai.chat", strategies.put(value=value))
    found = pasted(value.line.rpartition(".")[0])
    assert isinstance(found, strategies.Variant)
    return found


def one_slot(bug: Bug, value: Any) -> bool:
    """Tell whether a reply differs from a healthy one in one place at most."""
    found = variant_of(value)
    if len(found.changes) != 1:
        return found.is_healthy
    if isinstance(found.changes[0], strategies.Edit) or not found.is_json:
        return True  # an edit is of one place, and a body that is no JSON is one
    healthy = strategies.variant("openai.chat", of=found.of, **ASKED[bug.asks])
    return len(differences(healthy.value, found.value)) <= 1
