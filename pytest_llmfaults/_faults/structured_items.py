"""A list of items in which one is bad, or all are."""

from __future__ import annotations

import functools
from typing import Any, Final

from pytest_llmfaults._faults._data import (
    ENUM,
    TEXT,
    Place,
    as_text,
    on_data,
    pick,
    required,
    stretched,
    unknown_word,
    wrong,
)
from pytest_llmfaults._faults._edit import ABSENT, with_value
from pytest_llmfaults._faults._fault import Fault, Parameter
from pytest_llmfaults._faults._items import ITEMS, OBJECTS, added_key, one_item

__all__ = ["ROWS"]

_LONG: Final = 100_000


def without_key(data: Any, parts: list[Place]) -> Any:
    """Remove the first required key of the item, or its first key."""
    item = parts[0]
    return with_value(data, (*item.path, (required(item) or list(item.value))[0]), ABSENT)


def first_value(item: Any) -> Any:
    """Return the first value of an object."""
    return next(iter(item.values()))


def flattened(data: Any, parts: list[Place]) -> Any:
    """Put the item's first value, as text, in place of the item."""
    return with_value(data, parts[0].path, as_text(first_value(parts[0].value)))


def value_wrapped(data: Any, parts: list[Place]) -> Any:
    """Put the item's first value into an object of its own."""
    item = parts[0]
    return with_value(data, (*item.path, next(iter(item.value))), {"value": first_value(item.value)})


def other_word(data: Any, parts: list[Place]) -> Any:
    """Put a word that the enumeration does not have."""
    place = pick(ENUM, parts)
    return with_value(data, place.path, unknown_word(place.schema.get("enum", ())))


def too_long(data: Any, parts: list[Place]) -> Any:
    """Repeat the first text of the item until it is far too long."""
    place = pick(TEXT, parts)
    return with_value(data, place.path, stretched(place.value, _LONG))


def twice(data: Any, parts: list[Place]) -> Any:
    """Repeat the item after itself."""
    *path, index = parts[0].path
    items = functools.reduce(lambda value, key: value[key], path, data)
    return with_value(data, tuple(path), [*items[:index], parts[0].value, *items[index:]])


_one = functools.partial(Fault, slot="structured", draw="fresh", scope="partial", wish="drop_item", needs="items")

ROWS: Final = (
    _one(
        name="structured.one_item_bad",
        play=on_data(one_item(OBJECTS, without_key)),
        meaning="One item of a list lacks a required key and the others are good.",
        parameters=(Parameter("k", 2, minimum=1, maximum=32),),
        sources=("https://github.com/vectorize-io/hindsight/pull/3137",),
    ),
    Fault(
        name="structured.one_item_extra_key",
        play=on_data(one_item(OBJECTS, added_key)),
        slot="structured",
        draw="depends",
        scope="partial",
        wish="survive",
        needs="items",
        meaning="One item of a list has a key that the schema does not have.",
        parameters=(Parameter("k", 2, minimum=1, maximum=32),),
        sources=(
            "https://github.com/getzep/graphiti/pull/1773",
            "https://github.com/posit-dev/chatlas/issues/357",
        ),
    ),
    _one(
        name="structured.one_item_null",
        play=on_data(one_item(ITEMS, lambda data, parts: with_value(data, parts[0].path, None))),
        meaning="One item of a list is null and the others are good.",
        parameters=(Parameter("k", 2, minimum=1, maximum=32),),
        sources=("https://github.com/vectorize-io/hindsight/pull/3137",),
    ),
    _one(
        name="structured.one_item_text",
        play=on_data(one_item(OBJECTS, flattened)),
        meaning="One item of a list is a text and the others are objects.",
        parameters=(Parameter("k", 2, minimum=1, maximum=32),),
        sources=(
            "https://github.com/getzep/graphiti/pull/1773",
            "https://github.com/vectorize-io/hindsight/pull/3137",
        ),
    ),
    _one(
        name="structured.one_item_wrong_type",
        play=on_data(one_item(OBJECTS, value_wrapped)),
        meaning="One item of a list has a value of the wrong type and the others are good.",
        parameters=(Parameter("k", 2, minimum=1, maximum=32),),
        sources=("https://github.com/vectorize-io/hindsight/pull/3137",),
    ),
    _one(
        name="structured.one_item_enum_unknown",
        play=on_data(one_item(OBJECTS, other_word)),
        meaning="One item of a list has a value outside the enumeration and the others are good.",
        parameters=(Parameter("k", 2, minimum=1, maximum=32),),
        sources=("https://github.com/vectorize-io/hindsight/pull/3137",),
    ),
    _one(
        name="structured.one_item_too_long",
        play=on_data(one_item(ITEMS, too_long)),
        meaning="One item of a list is far too long and the others are good.",
        parameters=(Parameter("k", 2, minimum=1, maximum=32),),
        sources=("https://github.com/plastic-labs/honcho/issues/569",),
    ),
    _one(
        name="structured.one_item_twice",
        play=on_data(one_item(ITEMS, twice)),
        meaning="One item of a list comes twice.",
        parameters=(Parameter("k", 2, minimum=1, maximum=32),),
        sources=("https://github.com/vectorize-io/hindsight/pull/3137",),
    ),
    Fault(
        name="structured.items_as_text",
        play=on_data(wrong(OBJECTS, lambda items: [as_text(first_value(item)) for item in items])),
        slot="structured",
        draw="depends",
        wish="reask",
        needs="items",
        meaning="All items of a list are texts instead of objects.",
        sources=("https://github.com/getzep/graphiti/pull/1773",),
    ),
)
