"""What a value lacks of what its JSON schema demands, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._pattern import matches
from pytest_llmfaults._schema import fits, walk
from pytest_llmfaults._wires import Path

__all__ = ["lacks"]

Lack = tuple[Path, str, Any]
"""The path of a value, the word of the schema, and what the schema demands by it."""


def lacks(schema: Any, value: Any) -> Iterator[Lack]:
    """Yield what ``schema`` demands and ``value`` has not, depth first.

    Not looked at: ``format``, ``if``, ``dependentRequired``, ``patternProperties``, ``unevaluatedProperties``.
    """
    found = False
    for path, inner, part in walk(value, schema):
        for word, good in _WORDS.items():
            if word in part and not good(part[word], inner, part):
                found = True
                yield path, word, part[word]
    words = [word for word in ("anyOf", "oneOf") if isinstance(schema, Mapping) and word in schema]
    if not found and words and not fits(schema, value):
        yield (), words[0], schema[words[0]]


def _of(kind: type | tuple[type, ...], good: Callable[[Any, Any], bool]) -> Callable[[Any, Any, Any], bool]:
    """Ask only about values of a type; a schema says nothing of the others."""

    def asked(wanted: Any, value: Any, _part: Any) -> bool:
        return isinstance(value, bool) or not isinstance(value, kind) or good(wanted, value)

    return asked


def _is_multiple(step: Any, value: Any) -> bool:
    return step != 0 and math.isfinite(value) and math.isclose(value / step, round(value / step), abs_tol=1e-9)


def _is_closed(more: Any, value: Any, part: Any) -> bool:
    closed = more is False and isinstance(value, dict) and "patternProperties" not in part
    return not closed or set(value) <= set(part.get("properties", {}))


_NUMBER: Final = (int, float)
_WORDS: Final[Mapping[str, Callable[[Any, Any, Any], bool]]] = {
    "type": lambda wanted, value, _: fits({"type": wanted}, value),
    "const": lambda wanted, value, _: bool(value == wanted),
    "enum": lambda wanted, value, _: value in wanted,
    "not": lambda wanted, value, _: wanted is not True and next(lacks(wanted, value), None) is not None,
    "pattern": _of(str, matches),
    "minLength": _of(str, lambda least, value: len(value) >= least),
    "maxLength": _of(str, lambda most, value: len(value) <= most),
    "minimum": _of(_NUMBER, lambda least, value: value >= least),
    "maximum": _of(_NUMBER, lambda most, value: value <= most),
    "exclusiveMinimum": _of(_NUMBER, lambda least, value: value > least),
    "exclusiveMaximum": _of(_NUMBER, lambda most, value: value < most),
    "multipleOf": _of(_NUMBER, _is_multiple),
    "minItems": _of(list, lambda least, value: len(value) >= least),
    "maxItems": _of(list, lambda most, value: len(value) <= most),
    "uniqueItems": _of(list, lambda wanted, value: not wanted or all(value.count(one) == 1 for one in value)),
    "minProperties": _of(dict, lambda least, value: len(value) >= least),
    "maxProperties": _of(dict, lambda most, value: len(value) <= most),
    "required": _of(dict, lambda names, value: set(names) <= set(value)),
    "additionalProperties": _is_closed,
}
