"""Whether a value that the subject returned is known not to be the data that its request asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._contract.call import Called
from pytest_llmfaults._schema import TYPES, resolved
from pytest_llmfaults._wires import WIRES

__all__ = ["is_unfit", "violates"]

_DEEPEST: Final = 64
_BOUNDS: Final[Mapping[str, tuple[type | tuple[type, ...], Callable[[Any, Any], bool]]]] = {
    "minimum": ((int, float), lambda value, bound: value < bound),
    "maximum": ((int, float), lambda value, bound: value > bound),
    "exclusiveMinimum": ((int, float), lambda value, bound: value <= bound),
    "exclusiveMaximum": ((int, float), lambda value, bound: value >= bound),
    "minLength": (str, lambda value, bound: len(value) < bound),
    "maxLength": (str, lambda value, bound: len(value) > bound),
    "minItems": (list, lambda value, bound: len(value) < bound),
    "maxItems": (list, lambda value, bound: len(value) > bound),
}
"""What a keyword is about, and when a value is out of bounds."""


def is_unfit(ok: Called, called: Called) -> bool:
    """Tell whether a call returned a value that is known to break the schema which its request asked with.

    That is known only where the healthy call returned a value that the same schema accepts: then the subject hands on
    the data as it was asked for. An object of a class of its own (a dataclass, a model of pydantic), a text, or data
    that the subject changed on the way is no such value, and nothing is said of it.
    """
    if called.error is not None or not isinstance(ok.value, (dict, list)):
        return False
    asked = [WIRES[one.wire].wants_data(one, ok.value) for one in ok.view.requests if one.wire is not None]
    return any(
        isinstance(schema, Mapping) and not violates(schema, ok.value) and violates(schema, called.value)
        for schema in asked
    )


def violates(schema: Any, value: Any) -> bool:
    """Tell whether a value breaks a JSON schema for certain.

    Read are types, ``enum``, ``const``, bounds, ``required``, the items of lists and objects, ``anyOf``, ``oneOf``,
    ``allOf`` and local references; what else a schema says is taken as kept.
    """
    return _violates(schema, value, schema, 0)


def _violates(schema: Any, value: Any, root: Any, depth: int) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return True  # JSON has no such number
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return schema is False
    known = resolved(schema, root)
    kinds = known.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if value is None and "null" in kinds:
        return False  # whatever enum says: Gemini's nullable adds null to the types alone
    wrong = kinds and all(kind in TYPES and not TYPES[kind](value) for kind in kinds)
    wrong = wrong or ("const" in known and value != known["const"])
    wrong = wrong or ("enum" in known and value not in known["enum"])
    wrong = wrong or any(_out_of_bounds(known, word, value) for word in _BOUNDS)
    wrong = wrong or (isinstance(value, Mapping) and not {*known.get("required", ())} <= {*value})
    options = [known[word] for word in ("anyOf", "oneOf") if word in known]
    return bool(
        wrong
        or any(all(_violates(option, value, root, depth + 1) for option in several) for several in options)
        or any(_violates(part, inner, root, depth + 1) for part, inner in _inside(known, value))
    )


def _out_of_bounds(known: Mapping[str, Any], word: str, value: Any) -> bool:
    kinds, is_out = _BOUNDS[word]
    bound = known.get(word)
    number = isinstance(bound, (int, float)) and not isinstance(bound, bool)
    return number and isinstance(value, kinds) and not isinstance(value, bool) and is_out(value, bound)


def _inside(known: Mapping[str, Any], value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what a value holds, with the schema of each part."""
    if isinstance(value, Mapping):
        others = True if "patternProperties" in known else known.get("additionalProperties", True)
        for key, inner in value.items():
            yield known.get("properties", {}).get(key, others), inner
    if isinstance(value, list):
        first = known.get("prefixItems", ())
        for index, inner in enumerate(value):
            yield (first[index] if index < len(first) else known.get("items", True)), inner
