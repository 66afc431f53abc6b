"""Healthy answers, and which faults any answer can carry."""

from __future__ import annotations

import functools
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_llmfaults._answer import Answer, ToolCall, Usage
from pytest_llmfaults._faults import CATALOGUE, Fault
from pytest_llmfaults._strategies.bases import bases
from pytest_llmfaults._wires import WIRES, Wire
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["answers", "fits_any_reply"]

_TEXTS: Final = (
    "Hello.",
    "Yes",
    "0",
    "null",
    "two\nlines",
    "a line\r\nand another",
    "  space around  ",
    'a "quoted" \\ word',
    "naïve café, ü ß",
    "日本語の答え",
    "🙂 e\u0301 \u200d",
    "a\u2028b",
    "<b>&amp;</b>",
    "```python\nprint(1)\n```",
    "Use `<think>` to think.",
    "data: [DONE]",
    '{"looks": "like JSON"}',
    "word " * 200,
)
_DATA: Final[tuple[Any, ...]] = (
    {"items": [{"name": "first", "count": 1}, {"name": "second", "count": 2}]},
    {"items": []},
    {"name": "naïve", "ratio": 0.5, "good": True, "none": None},
    {"large": 2**53 + 1, "small": -1e-9, "zero": -0.0},
    {"deep": {"er": {"est": ["x"]}}},
)
_THOUGHTS: Final = ("First I look at the question.", "Two\nlines.", "日本語で考える")
_USAGES: Final = (Usage(0, 1), Usage(1, 1), Usage(24, 400, 380), Usage(128_000, 16_000))
_CALLS: Final = (
    ToolCall("search", {"query": "weather"}),
    ToolCall("search", {"query": "naïve", "limit": 3}),
    ToolCall("store", {}),
    ToolCall("store", {"items": [1, {"a": None}]}, "call_x"),
)


def _all() -> list[Answer]:
    """Return the answers, the plainest first."""
    found = [Answer(text) for text in _TEXTS]
    found += [Answer(text, reasoning=thought) for thought in _THOUGHTS for text in _TEXTS[:6]]
    found += [Answer(text, usage=usage) for usage in _USAGES for text in _TEXTS[:3]]
    found += [Answer(data=data) for data in _DATA]
    found += [Answer(tool_calls=_CALLS[: count + 1]) for count in range(len(_CALLS))]
    found += [Answer(text, tool_calls=_CALLS[:1]) for text in _TEXTS[:3]]
    found += [Answer(reasoning=thought, tool_calls=_CALLS[:2]) for thought in _THOUGHTS]
    return found


def answers() -> SearchStrategy[Answer]:
    """Draw a healthy answer, now and then with any text at all."""
    free = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).map(Answer)
    return st.one_of(st.sampled_from(_all()), free)


@functools.cache
def _fitting(wire: Wire) -> frozenset[str]:
    """Return the rows of this package that fit; what other packages lend changes from session to session."""
    return frozenset(row.name for row in CATALOGUE.own.values() if _fits(row, wire))


def _fits(row: Fault, wire: Wire) -> bool:
    if row.needs is not None:
        return False
    try:
        row.reply(bases(wire, None, None)["text"])
    except DoesNotApply:
        return False
    return True


def fits_any_reply(row: Fault, wire: str) -> bool:
    """Tell whether a plain text reply can carry the fault."""
    return _fits(row, WIRES[wire]) if row.name in CATALOGUE.lent else row.name in _fitting(WIRES[wire])
