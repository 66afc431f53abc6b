"""Texts that hold JSON: the arguments of a call, and the answer that was asked for as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from pytest_llmfaults import _faults
from pytest_llmfaults._strategies import draw, values
from pytest_llmfaults._strategies.bases import Asked
from pytest_llmfaults._strategies.slots import slot_paths
from pytest_llmfaults.errors import InvalidUse

__all__ = ["structured_text", "tool_arguments"]

_WIRE: Final = "openai.chat"
"""The wire whose slots the text is taken from; the text is the same on every wire."""


def tool_arguments(schema: Any) -> SearchStrategy[str]:
    """Draw the arguments of a call."""
    function = {"name": "tool", "parameters": _schema(schema)}
    forced = {"type": "function", "function": {"name": "tool"}}
    request = {"tools": [{"type": "function", "function": function}], "tool_choice": forced}
    return _text(request, "arguments", "tools", "structured")


def structured_text(schema: Any) -> SearchStrategy[str]:
    """Draw the text of structured data."""
    wanted = {"type": "json_schema", "json_schema": {"name": "data", "schema": _schema(schema)}}
    return _text({"response_format": wanted}, "content", "structured", "content", "reasoning", "finish")


def _text(request: Asked, slot: str, *families: str) -> SearchStrategy[str]:
    found = draw.tables(_WIRE, "text", _faults.faults(*families, stream=False), request, None, slot)
    path = slot_paths(found[0].context.base)[slot]
    return draw.drawn_from(found, lambda drawn: values.text(drawn, path))


def _schema(schema: Any) -> Mapping[str, Any]:
    if not isinstance(schema, Mapping):
        msg = f"schema={schema!r} is not a JSON schema: it is an object, such as {{'type': 'object'}}."
        raise InvalidUse(msg)
    return schema
