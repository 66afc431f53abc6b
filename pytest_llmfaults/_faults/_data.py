"""Edits of the data that a request asked for, and of the arguments of a call: as JSON text, or by their schema.

"First" means: outermost first, then in the order of the data.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_llmfaults._faults._edit import ABSENT, Play, put, with_value
from pytest_llmfaults._faults._fault import Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._schema import fits, walk
from pytest_llmfaults._wires import Path
from pytest_llmfaults.errors import DoesNotApply

__all__ = [
    "ENUM",
    "LIST",
    "NUMBER",
    "OBJECT",
    "STRING",
    "TEXT",
    "Change",
    "Kind",
    "Place",
    "as_text",
    "cut",
    "dumped",
    "enum_unknown",
    "extra_key",
    "first",
    "first_member",
    "in_order",
    "lacks",
    "missing_key",
    "null_value",
    "object_in",
    "on_data",
    "on_text",
    "pick",
    "places",
    "renamed",
    "renamed_key",
    "required",
    "stretched",
    "unknown_word",
    "wrong",
]

Change: TypeAlias = Callable[..., Any]
"""``(data, schema, **values) -> data``; the schema is None when the request gave none."""


class Place(NamedTuple):
    """A value within data: where it is, what it is, and its schema (``{}`` when unknown)."""

    path: Path
    value: Any
    schema: Mapping[str, Any]


class Kind(NamedTuple):
    """What a change looks for: words for the message, and the test."""

    words: str
    test: Callable[[Place], bool]


def on_text(change: Callable[..., str], slot: str = "structured") -> Play:
    """Make a fault that replaces the JSON text in ``slot`` by ``change(text, **values)``."""

    def play(base: Healthy, **values: Any) -> Reply:
        return put(slot, change(_text(base, slot), **values))(base)

    return play


def on_data(change: Change, slot: str = "structured") -> Play:
    """Make a fault that replaces the data in ``slot`` by ``change(data, schema, **values)``."""

    def play(base: Healthy, **values: Any) -> Reply:
        data = json.loads(_text(base, slot))
        if slot == "structured":
            schema = base.wire.wants_data(base.request, data)
        else:
            schema = base.wire.offered(base.request).get(base.value("function_name"))
        return put(slot, dumped(change(data, schema, **values)))(base)

    return play


def _text(base: Healthy, slot: str) -> str:
    text = base.value(slot)
    if not isinstance(text, str):
        msg = f"it corrupts the JSON text of {slot}, and the reply has none. Give an answer= that has it."
        raise DoesNotApply(msg)
    return text


def dumped(data: Any) -> str:
    """Return data as JSON text, the way that healthy replies hold it."""
    return json.dumps(data, ensure_ascii=False)


def as_text(value: Any) -> str:
    """Return a text as it is, and anything else as JSON text."""
    return value if isinstance(value, str) else dumped(value)


def object_in(text: str) -> dict[str, Any]:
    """Return the object that a JSON text holds.

    Raises:
        DoesNotApply: it holds something else.
    """
    data = json.loads(text)
    if not isinstance(data, dict):
        words = "an object"
        raise lacks(words)
    return data


def first_member(text: str) -> tuple[str, Any]:
    """Return the first key of the object that a JSON text holds, and its value.

    Raises:
        DoesNotApply: there is none.
    """
    for member in object_in(text).items():
        return member
    words = "a key of an object"
    raise lacks(words)


def cut(text: str, at: float) -> str:
    """Return the first part of a text."""
    return text[: math.floor(at * len(text))]


def lacks(words: str) -> DoesNotApply:
    """Return what to raise when the data has nothing that a fault could corrupt."""
    return DoesNotApply(f"it corrupts {words}, and the answer's data has none. Give an answer= whose data has one.")


def in_order(data: Any, schema: Any) -> list[Place]:
    """Return every value of the data with its schema, in the order of the text."""
    return [Place(*found) for found in walk(data, schema)]


def places(data: Any, schema: Any) -> list[Place]:
    """Return every value of the data with its schema, outermost first."""
    return sorted(in_order(data, schema), key=lambda place: len(place.path))


def pick(kind: Kind, found: Iterable[Place]) -> Place:
    """Return the first place of this kind.

    Raises:
        DoesNotApply: there is none.
    """
    for place in found:
        if kind.test(place):
            return place
    raise lacks(kind.words)


def first(kind: Kind, data: Any, schema: Any) -> Place:
    """Return the first value of this kind in the data; see :func:`pick`."""
    return pick(kind, places(data, schema))


def wrong(kind: Kind, change: Callable[..., Any]) -> Change:
    """Make a change of the first value of this kind to ``change(value, **values)``."""

    def changed(data: Any, schema: Any, **values: Any) -> Any:
        place = first(kind, data, schema)
        return with_value(data, place.path, change(place.value, **values))

    return changed


def required(place: Place) -> list[str]:
    """Return the keys of an object that its schema requires; all of them when the schema is unknown."""
    if not isinstance(place.value, Mapping):
        return []
    needed = place.schema.get("required", ()) if place.schema.get("properties") else place.value
    return [key for key in place.value if key in needed]


def missing_key(data: Any, schema: Any) -> Any:
    """Remove the first required key of the first object that has more than one key."""
    kind = Kind("a required key beside other keys", lambda place: bool(required(place)) and len(place.value) > 1)
    place = first(kind, data, schema)
    return with_value(data, (*place.path, required(place)[0]), ABSENT)


def null_value(data: Any, schema: Any) -> Any:
    """Put null for the first required value that may not be null."""

    def firm(place: Place) -> list[str]:
        parts = place.schema.get("properties", {})
        return [key for key in required(place) if key not in parts or not fits(parts[key], None, schema)]

    place = first(Kind("a required value that may not be null", lambda place: bool(firm(place))), data, schema)
    return with_value(data, (*place.path, firm(place)[0]), None)


def extra_key(data: Any, schema: Any) -> Any:
    """Add a key that nobody asked for, as the last one of the first object."""
    place = first(OBJECT, data, schema)
    known = {*place.value, *place.schema.get("properties", {})}
    return with_value(data, (*place.path, unknown_word(known, "note")), "extra")


def renamed_key(data: Any, schema: Any) -> Any:
    """Rename the first key of the first object that has one."""
    place = first(Kind("a key", lambda place: isinstance(place.value, Mapping) and bool(place.value)), data, schema)
    old = next(iter(place.value))
    return with_value(data, place.path, {renamed(key) if key == old else key: v for key, v in place.value.items()})


def renamed(key: str) -> str:
    """Return another spelling of a key: ``order_id`` is ``orderId``, ``actions`` is ``actions_value``."""
    spelled = re.sub(r"_(.)", lambda found: found[1].upper(), key)
    return spelled if spelled != key else f"{key}_value"


def unknown_word(known: Iterable[Any], word: str = "other") -> str:
    """Return ``word``, with underscores behind until it is none of the known ones."""
    taken = list(known)
    while word in taken:
        word += "_"
    return word


def enum_unknown(data: Any, schema: Any) -> Any:
    """Put a word that the enumeration does not have for the first value of one."""
    place = first(ENUM, data, schema)
    return with_value(data, place.path, unknown_word(place.schema.get("enum", ())))


def stretched(text: str, characters: int) -> str:
    """Repeat a text until it is so long."""
    return (text * (characters // len(text) + 1))[:characters]


def _is_enum(place: Place) -> bool:
    """Tell whether a schema limits the value to some; without a schema, whether it looks like one of some words."""
    if place.schema:
        return "enum" in place.schema
    return isinstance(place.value, str) and re.fullmatch(r"[a-z][a-z_-]*|[A-Z][A-Z_-]*", place.value) is not None


def _is_number(place: Place) -> bool:
    return isinstance(place.value, (int, float)) and not isinstance(place.value, bool)


ENUM: Final = Kind("a value of an enumeration", _is_enum)
LIST: Final = Kind("a list", lambda place: isinstance(place.value, list))
NUMBER: Final = Kind("a number", _is_number)
OBJECT: Final = Kind("an object", lambda place: isinstance(place.value, Mapping))
STRING: Final = Kind("a text", lambda place: isinstance(place.value, str))
TEXT: Final = Kind("a text that is not empty", lambda place: isinstance(place.value, str) and place.value != "")
