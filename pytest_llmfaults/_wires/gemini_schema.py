"""Schemas as Gemini writes them (types in capitals, ``nullable``, bounds that may be text), as JSON schemas.

https://ai.google.dev/api/caching#Schema
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["json_schema"]

_NAMES: Final[Mapping[str, str]] = {
    "any_of": "anyOf",
    "max_items": "maxItems",
    "max_length": "maxLength",
    "min_items": "minItems",
    "min_length": "minLength",
    "prefix_items": "prefixItems",
}
_BOUNDS: Final = frozenset({"maxItems", "maxLength", "minItems", "minLength"})


def json_schema(schema: Any) -> Any:
    """Return the JSON schema that accepts what a schema of Gemini accepts."""
    if not isinstance(schema, dict):
        return schema
    named = {_NAMES.get(key, key): value for key, value in schema.items()}
    nullable = named.pop("nullable", False) is True
    made = {key: _MEMBERS.get(key, _bound if key in _BOUNDS else _same)(value) for key, value in named.items()}
    if not nullable:
        return made
    return {**made, "type": [made["type"], "null"]} if isinstance(made.get("type"), str) else made


def _same(value: Any) -> Any:
    return value


def _type(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _each(value: Any) -> Any:
    return [json_schema(one) for one in value] if isinstance(value, list) else value


def _by_name(value: Any) -> Any:
    return {name: json_schema(one) for name, one in value.items()} if isinstance(value, dict) else value


def _bound(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isdigit() else value


_MEMBERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "type": _type,
    "anyOf": _each,
    "prefixItems": _each,
    "items": json_schema,
    "additionalProperties": json_schema,
    "properties": _by_name,
}
