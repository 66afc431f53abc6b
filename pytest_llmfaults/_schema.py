"""The smallest value that a JSON schema accepts, so that a healthy reply fits what the request asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

__all__ = ["example", "free_strings"]

_DEPTH_LIMIT: Final = 12
_NARROW: Final = ("const", "enum", "format", "maxLength", "pattern")
_FORMATS: Final[Mapping[str, str]] = {
    "date": "2026-01-02",
    "date-time": "2026-01-02T03:04:05Z",
    "time": "03:04:05Z",
    "duration": "P1D",
    "email": "someone@example.com",
    "hostname": "example.com",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def example(schema: Any) -> Any:
    """Return a small value that ``schema`` accepts.

    Reads types, ``enum``, ``const``, ``default``, ``required``, bounds, ``anyOf``/``oneOf``/``allOf`` and local
    ``$ref``. A recursive schema ends at its optional parts.

    Args:
        schema: a JSON schema (draft 7 or 2020-12), as a request offers it.
    """
    return _example(schema, schema, 0)


def _example(schema: Any, root: Any, depth: int) -> Any:
    if not isinstance(schema, Mapping):
        return {}
    schema = _resolved(schema, root)
    for word in ("const", "default"):
        if word in schema:
            return schema[word]
    if schema.get("enum"):
        return schema["enum"][0]
    for word in ("anyOf", "oneOf"):
        options = [option for option in schema.get(word, ()) if isinstance(option, Mapping)]
        if options:
            chosen = min(options, key=lambda option: _resolved(option, root).get("type") == "null")
            return _example({**_without(schema, word), **chosen}, root, depth + 1)
    kind = _kind(schema)
    return _MAKERS[kind](schema, root, depth) if kind in _MAKERS else None


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((option for option in kind if option != "null"), "null")
    if isinstance(kind, str):
        return kind
    return "object" if "properties" in schema else "string"


def _resolved(schema: Mapping[str, Any], root: Any) -> Mapping[str, Any]:
    for _ in range(_DEPTH_LIMIT):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            break
        target: Any = root
        for part in reference.lstrip("#").strip("/").split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            if name:
                target = target.get(name, {}) if isinstance(target, Mapping) else {}
        schema = {**_without(schema, "$ref"), **(target if isinstance(target, Mapping) else {})}
    for part in schema.get("allOf", ()):
        schema = _merged(_without(schema, "allOf"), _resolved(part, root))
    return schema


def _merged(left: Mapping[str, Any], right: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        **left,
        **right,
        "properties": {**left.get("properties", {}), **right.get("properties", {})},
        "required": [*left.get("required", ()), *right.get("required", ())],
    }


def _without(schema: Mapping[str, Any], word: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != word}


def _object(schema: Mapping[str, Any], root: Any, depth: int) -> Any:
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    names = [name for name in properties if name in required or depth == 0]
    if depth > _DEPTH_LIMIT:
        return {}
    return {name: _example(properties[name], root, depth + 1) for name in names}


def _array(schema: Mapping[str, Any], root: Any, depth: int) -> Any:
    prefix = [_example(item, root, depth + 1) for item in schema.get("prefixItems", ())]
    count = max(schema.get("minItems", 0), 1 if depth < _DEPTH_LIMIT else 0)
    more = max(0, count - len(prefix)) if "items" in schema else 0
    return prefix + [_example(schema["items"], root, depth + 1) for _ in range(more)]


def _string(schema: Mapping[str, Any], _root: Any, _depth: int) -> str:
    text = _FORMATS.get(schema.get("format", ""), "example")
    text = text.ljust(schema.get("minLength", 0), "x")
    return text[: schema["maxLength"]] if "maxLength" in schema else text


def _integer(schema: Mapping[str, Any], _root: Any, _depth: int) -> int:
    step = int(schema.get("multipleOf", 1)) or 1
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
    high = schema.get("maximum", schema.get("exclusiveMaximum", max(low, 1) + 1) - ("exclusiveMaximum" in schema))
    value = int(min(max(1, low), high))
    return -(-value // step) * step


def _number(schema: Mapping[str, Any], _root: Any, _depth: int) -> float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 2))
    return float(low + (high - low) / 2)


_MAKERS: Final[Mapping[str, Callable[[Mapping[str, Any], Any, int], Any]]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda _schema, _root, _depth: True,
}


def free_strings(data: Any, schema: Any) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of the strings in ``data`` that ``schema`` lets be longer, in order.

    Args:
        data: data that the schema accepts.
        schema: a JSON schema, or None when there is none.
    """
    return _free(data, schema, schema, ())


def _free(data: Any, schema: Any, root: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    options = _options(schema, root)
    if isinstance(data, str):
        if not any(word in option for option in options for word in _NARROW):
            yield path
    elif isinstance(data, Mapping):
        properties = {name: inner for option in options for name, inner in option.get("properties", {}).items()}
        for name, value in data.items():
            yield from _free(value, properties.get(name, {}), root, (*path, name))
    elif isinstance(data, list):
        items: Any = next((option["items"] for option in options if "items" in option), {})
        for index, value in enumerate(data):
            yield from _free(value, items, root, (*path, index))


def _options(schema: Any, root: Any) -> list[Mapping[str, Any]]:
    """Return the schema, resolved, and all that it offers to choose from."""
    if not isinstance(schema, Mapping):
        return []
    schema = _resolved(schema, root)
    inner = [option for word in ("anyOf", "oneOf") for one in schema.get(word, ()) for option in _options(one, root)]
    return [schema, *inner]
