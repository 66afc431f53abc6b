"""Texts that hold JSON: the arguments of a call, and the answer that was asked for as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from pytest_llmfaults import _faults
from pytest_llmfaults._schema import example
from pytest_llmfaults._strategies import draw, values
from pytest_llmfaults._strategies.bases import Asked
from pytest_llmfaults._strategies.slots import slot_paths
from pytest_llmfaults._strategies.validity import lacks
from pytest_llmfaults.errors import InvalidUse

__all__ = ["structured_text", "tool_arguments"]

_WIRE: Final = "openai.chat"
"""The wire whose slots the text is taken from; the text is the same on every wire."""
_PARAMETERS: Final = ("parameters", "input_schema", "parametersJsonSchema")
"""Where wires put the schema of a tool's parameters."""


def tool_arguments(schema: Any) -> SearchStrategy[str]:
    """Draw the arguments of a call."""
    parameters = _possible(_parameters(_schema(schema)))
    if not isinstance(example(parameters), Mapping):
        msg = (
            f"schema={schema!r} describes no object, and the arguments of a call are one: give the tool's parameters, "
            "such as {'type': 'object', 'properties': {...}}, or the whole tool."
        )
        raise InvalidUse(msg)
    function = {"name": "tool", "parameters": parameters}
    forced = {"type": "function", "function": {"name": "tool"}}
    request = {"tools": [{"type": "function", "function": function}], "tool_choice": forced}
    return _text(request, "arguments", "tools", "structured")


def structured_text(schema: Any) -> SearchStrategy[str]:
    """Draw the text of structured data."""
    wanted = {"type": "json_schema", "json_schema": {"name": "data", "schema": _possible(_data(_schema(schema)))}}
    return _text({"response_format": wanted}, "content", "structured", "content", "reasoning", "finish")


def _text(request: Asked, slot: str, *families: str) -> SearchStrategy[str]:
    found = draw.tables(_WIRE, "text", _faults.faults(*families, stream=False), request, None, slot)
    path = slot_paths(found[0].context.base)[slot]
    return draw.drawn_from(found, lambda drawn: values.text(drawn, path))


def _schema(schema: Any) -> Mapping[str, Any]:
    if not isinstance(schema, Mapping):
        model = f" Give {schema.__name__}.model_json_schema()." if hasattr(schema, "model_json_schema") else ""
        msg = f"schema={schema!r} is not a JSON schema: it is an object, such as {{'type': 'object'}}.{model}"
        raise InvalidUse(msg)
    return schema


def _parameters(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema in a whole tool, as a request of any wire lists it, or what was given."""
    inner = schema.get("function")
    tool = inner if isinstance(inner, Mapping) else schema
    found = next((tool[word] for word in _PARAMETERS if "name" in tool and word in tool), None)
    if found is None and tool is not schema:
        return {"type": "object", "properties": {}}  # a tool that names no parameters takes none
    return schema if found is None else _schema(found)


def _data(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema in a whole ``response_format``, or what was given."""
    if schema.get("type") != "json_schema":
        return schema
    inner = schema.get("json_schema", schema)
    return _schema(inner.get("schema") if isinstance(inner, Mapping) else inner)


def _possible(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Refuse a schema for which no valid value is known: every text drawn would be a broken one."""
    for items in (1, 2):
        for path, word, wanted in lacks(schema, example(schema, items=items)):
            place = f" at {'.'.join(map(str, path))}" if path else ""
            msg = (
                f"schema: no value of it could be made, since nothing that fits {word}={wanted!r}{place} was found. "
                "Where it is possible, say a value there: const, enum, or a default that is a text or a number."
            )
            raise InvalidUse(msg)
    return schema
