"""Changing one text in what the model said, wherever it said it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pytest_llmfaults._faults._edit import Play, with_value
from pytest_llmfaults._faults._fault import Healthy
from pytest_llmfaults._schema import free_strings
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["resaid", "says"]


def says(change: Callable[[str], str], slot: str | None = None) -> Play:
    """Make a fault that changes one text of the answer; see :func:`resaid`."""
    return lambda base: base.with_envelope(resaid(base, change, slot))


def resaid(base: Healthy, change: Callable[[str], str], slot: str | None = None) -> Any:
    """Return the envelope with one text of the answer changed.

    It is the visible text, or where that is JSON, or a tool is called, the first string in there whose schema lets it
    be longer: the data stay good.

    Args:
        base: the healthy reply.
        change: the new text from the old one.
        slot: where to look; None is the text, then the arguments.

    Raises:
        DoesNotApply: the answer has no such text.
    """
    for name in (slot,) if slot else ("content", "arguments"):
        changed = _changed(base.value(name), _schema(base, name), change)
        if changed is not None:
            return base.put(base.envelope(), name, changed)
    msg = "it changes a text, and the answer holds none that is free to change. Give an answer with text."
    raise DoesNotApply(msg)


def _changed(text: Any, schema: Any, change: Callable[[str], str]) -> str | None:
    if not isinstance(text, str) or not text:
        return None
    try:
        data = json.loads(text)
    except ValueError:
        return change(text)
    path = next(free_strings(data, schema), None)
    if path is None:
        return None
    value = data
    for key in path:
        value = value[key]
    return json.dumps(with_value(data, path, change(value)), ensure_ascii=False)


def _schema(base: Healthy, slot: str) -> Any:
    if slot in {"structured", base.wire.data_slot(base.request)}:
        wanted = base.wire.wants_data(base.request, base.answer.data)
        if wanted is not None:
            return wanted
    called = base.value("function_name") if slot == "arguments" else None
    return base.wire.offered(base.request).get(called) if called is not None else None
