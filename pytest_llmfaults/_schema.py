"""Values that a JSON schema accepts, and the way through data and its schema together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._pattern import matches, matching

__all__ = ["TYPES", "example", "fits", "free_strings", "resolved", "walk"]

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
TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: not isinstance(value, bool) and (isinstance(value, int) or _is_whole(value)),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
Schema = Mapping[str, Any]


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def example(schema: Any, *, items: int = 1) -> Any:
    """Return a small value that ``schema`` accepts.

    Reads types, ``enum``, ``const``, plain defaults, ``required``, bounds, ``multipleOf``, ``anyOf``/``oneOf``/
    ``allOf``, ``pattern`` and local ``$ref``. A recursive schema ends at its optional parts. Not read: look-around in
    a pattern, ``not``, ``if``, ``patternProperties`` and what is in other documents; data for those has to be given.

    Args:
        schema: a JSON schema (draft 7 or 2020-12), as a request offers it.
        items: how many items a list has when the schema allows any number.
    """
    return _Maker(schema, items).make(schema, 0, frozenset())


def fits(schema: Any, value: Any, root: Any = None) -> bool:
    """Tell whether ``value`` has the type, the constants and just the keys that ``schema`` names."""
    if not isinstance(schema, Mapping):
        return schema is not False
    root = schema if root is None else root
    schema = resolved(schema, root)
    options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if options:
        return any(fits(option, value, root) for option in options)
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    good = not kinds or any(TYPES[kind](value) for kind in kinds if kind in TYPES)
    good = good and ("const" not in schema or value == schema["const"])
    good = good and ("enum" not in schema or value in schema["enum"])
    return good and (not isinstance(value, Mapping) or _has_keys(schema, value))


def _has_keys(schema: Schema, value: Mapping[str, Any]) -> bool:
    properties = schema.get("properties", {})
    closed = bool(properties) and not isinstance(schema.get("additionalProperties"), Mapping)
    constants = {key: part["const"] for key, part in properties.items() if isinstance(part, dict) and "const" in part}
    return (
        set(schema.get("required", ())) <= set(value)
        and (not closed or set(value) <= set(properties))
        and all(value[key] == constant for key, constant in constants.items() if key in value)
    )


def walk(value: Any, schema: Any) -> Iterator[tuple[tuple[str | int, ...], Any, Schema]]:
    """Yield path, value and schema of everything in ``value``, depth first; ``{}`` where no schema is known."""
    yield from _walk((), value, schema, schema)


def _walk(
    path: tuple[str | int, ...], value: Any, schema: Any, root: Any
) -> Iterator[tuple[tuple[str | int, ...], Any, Schema]]:
    narrowed = _narrowed(schema, root, value)
    yield path, value, narrowed
    if isinstance(value, Mapping):
        properties = narrowed.get("properties", {})
        for key, inner in value.items():
            yield from _walk((*path, key), inner, properties.get(key, narrowed.get("additionalProperties")), root)
    if isinstance(value, list):
        prefix = narrowed.get("prefixItems", ())
        for index, inner in enumerate(value):
            part = prefix[index] if index < len(prefix) else narrowed.get("items")
            yield from _walk((*path, index), inner, part, root)


def free_strings(data: Any, schema: Any) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of the strings in ``data`` that ``schema`` (or None) lets be longer, in order."""
    for path, value, narrowed in walk(data, schema):
        if isinstance(value, str) and not any(word in narrowed for word in _NARROW):
            yield path


def _narrowed(schema: Any, root: Any, value: Any) -> Schema:
    """Follow references and choose among alternatives the one that ``value`` fits."""
    if not isinstance(schema, Mapping):
        return {}
    known = resolved(schema, root)
    for word in ("anyOf", "oneOf"):
        if word in known:
            option = next((option for option in known[word] if fits(option, value, root)), None)
            more: Schema = option if isinstance(option, Mapping) else {}
            return _narrowed({**_without(known, word), **more}, root, value)
    return known


def resolved(given: Any, root: Any) -> Schema:
    """Follow local references and merge what ``allOf`` holds."""
    schema: Schema = given if isinstance(given, Mapping) else {}
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
        schema = _merged(_without(schema, "allOf"), resolved(part, root))
    return schema


def _merged(left: Schema, right: Schema) -> Schema:
    return {
        **left,
        **right,
        "properties": {**left.get("properties", {}), **right.get("properties", {})},
        "required": [*left.get("required", ()), *right.get("required", ())],
    }


def _without(schema: Schema, word: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != word}


class _Maker:
    """Makes examples: the schema that references point into, and the wanted length of lists."""

    def __init__(self, root: Any, items: int) -> None:
        self.root = root
        self.items = items

    def make(self, schema: Any, depth: int, seen: frozenset[str]) -> Any:
        """Make a value; ``seen`` holds the references that are being followed."""
        if not isinstance(schema, Mapping):
            return {}
        if isinstance(schema.get("$ref"), str):
            seen |= {schema["$ref"]}
        schema = resolved(schema, self.root)
        for word in ("anyOf", "oneOf"):
            options = [option for option in schema.get(word, ()) if isinstance(option, Mapping)]
            if options:
                chosen = min(options, key=lambda option: self._rank(option, seen))
                return self.make({**_without(schema, word), **chosen}, depth + 1, seen)
        kind = _kind(schema)
        given = _given(schema, kind)
        if given:
            return given[0]
        if kind == "object":
            return self._object(schema, depth, seen)
        if kind == "array":
            return self._array(schema, depth, seen)
        return _SCALARS[kind](schema) if kind in _SCALARS else None

    def _rank(self, option: Schema, seen: frozenset[str]) -> int:
        if option.get("$ref") in seen:
            return 2
        return int(resolved(option, self.root).get("type") == "null")

    def _object(self, schema: Schema, depth: int, seen: frozenset[str]) -> Any:
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        if depth > _DEPTH_LIMIT:
            return {}
        made = {
            name: self.make(part, depth + 1, seen)
            for name, part in properties.items()
            if name in required or (depth == 0 and not self._recurs(part, seen))
        }
        more = schema.get("additionalProperties", True)
        while more is not False and len(made) < schema.get("minProperties", 0):
            made[f"key_{len(made) + 1}"] = self.make(more, depth + 1, seen)
        return made

    def _recurs(self, part: Any, seen: frozenset[str]) -> bool:
        return isinstance(part, Mapping) and part.get("$ref") in seen

    def _array(self, schema: Schema, depth: int, seen: frozenset[str]) -> list[Any]:
        prefix = [self.make(part, depth + 1, seen) for part in schema.get("prefixItems", ())]
        part = schema.get("items")
        least = schema.get("minItems", 0)
        wanted = least if self._recurs(part, seen) or depth > _DEPTH_LIMIT else max(least, self.items)
        count = min(wanted, schema.get("maxItems", wanted)) - len(prefix)
        if part is False or (part is None and prefix) or count < 1:
            return prefix
        made = [self.make({} if part is None else part, depth + 1, seen) for _ in range(count)]
        return prefix + (self._distinct(made, part) if schema.get("uniqueItems") else made)

    def _distinct(self, made: list[Any], part: Any) -> list[Any]:
        values = resolved(part, self.root).get("enum") if isinstance(part, Mapping) else None
        if values:
            return list(values[: len(made)])
        pattern = resolved(part, self.root).get("pattern")
        others = [_other(value, index) for index, value in enumerate(made)]
        return [value for value in others if pattern is None or matches(pattern, str(value))]


def _other(value: Any, index: int) -> Any:
    """Return a value like ``value``, another one for each index."""
    if isinstance(value, str):
        return f"{value}{index or ''}"
    return value + index if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _given(schema: Schema, kind: str) -> list[Any]:
    """Return what the schema itself offers as a value: a constant, an enumeration, a plain default."""
    if "const" in schema:
        return [schema["const"]]
    if schema.get("enum"):
        return list(schema["enum"])
    default = schema.get("default")
    good = isinstance(default, (str, int, float)) and kind in TYPES and TYPES[kind](default)
    return [default] if good else []


def _kind(schema: Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((option for option in kind if option != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "items" in schema or "prefixItems" in schema:
        return "array"
    return "object" if "properties" in schema or "required" in schema else "string"


def _string(schema: Schema) -> str:
    if "pattern" in schema:
        found = matching(schema["pattern"], schema.get("minLength", 0), schema.get("maxLength", math.inf))
        if found is not None:
            return found
    text = _FORMATS.get(schema.get("format", ""), "example")
    text = text.ljust(schema.get("minLength", 0), "x")
    return text[: schema["maxLength"]] if "maxLength" in schema else text


def _bounds(schema: Schema, step: float) -> tuple[float, float]:
    """Return the least and the greatest number allowed; an open end is ``step`` inside its bound."""
    low = max(schema.get("minimum", -math.inf), schema.get("exclusiveMinimum", -math.inf) + step)
    high = min(schema.get("maximum", math.inf), schema.get("exclusiveMaximum", math.inf) - step)
    return low, high


def _integer(schema: Schema) -> int:
    low, high = _bounds(schema, 1)
    step = max(1, int(schema.get("multipleOf", 1)))
    value = math.ceil(min(max(1, low), high) if low > 1 or high >= 1 else max(low, math.floor(high)))
    rounded = -(-value // step) * step
    return rounded if rounded <= high else value // step * step


def _number(schema: Schema) -> float:
    low, high = _bounds(schema, 0)
    step = schema.get("multipleOf")
    if step:
        start = math.ceil(max(low, 0) / step) if low <= 0 <= high or low > 0 else math.floor(high / step)
        start += start * step in {schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")}
        return float(start * step)
    if low == -math.inf and high == math.inf:
        return 1.0
    if low == -math.inf:
        return float(high - 1)
    return float(low + 1) if high == math.inf else float(low + (high - low) / 2)


_SCALARS: Final[Mapping[str, Callable[[Schema], Any]]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda _: True,
}
