"""Changes of one value of data: a number, a boolean, a text, a list. Arguments of a call and data share them."""

from __future__ import annotations

import html
from typing import Any, Final

from pytest_llmfaults._faults._data import ENUM, LIST, NUMBER, TEXT, Kind, Place, first, pick, places, wrong
from pytest_llmfaults._faults._edit import with_value
from pytest_llmfaults.errors import DoesNotApply

__all__ = [
    "BOOLEAN",
    "CASED_ENUM",
    "INTEGER",
    "boolean_word",
    "entities",
    "enum_case",
    "enum_padded",
    "escaped_line_end",
    "free_text",
    "list_too_long",
    "name_padded",
    "null_word",
    "out_of_range",
    "padded",
    "true_for_number",
    "whole_float",
    "zero",
]


def other_case(value: str) -> str:
    """Return a word in capitals, or in small letters when it is in capitals."""
    return value.lower() if value.isupper() else value.upper()


def out_of_range(data: Any, schema: Any) -> Any:
    """Put a number below the bounds of its schema, or above them when it has an upper bound only."""
    found = [place for place in places(data, schema) if NUMBER.test(place)]
    bounded = [place for place in found if LOW & set(place.schema) or HIGH & set(place.schema)]
    place = pick(NUMBER, bounded or found)
    above = HIGH & set(place.schema) and not LOW & set(place.schema)
    return with_value(data, place.path, FAR if above else -FAR)


def padded(text: str) -> str:
    """Return a text with a space before and after it."""
    return f" {text} "


def free_text(data: Any, schema: Any) -> Place:
    """Return the first text that is no value of an enumeration; where all look like one, the second text.

    So it is never the value that a change of the first enumeration strikes.

    Raises:
        DoesNotApply: there is no such text.
    """
    texts = [place for place in places(data, schema) if TEXT.test(place)]
    return pick(FREE_TEXT, [place for place in texts if not ENUM.test(place)] or texts[1:])


def name_padded(data: Any, schema: Any) -> Any:
    """Put white space around the first free text."""
    place = free_text(data, schema)
    return with_value(data, place.path, padded(place.value))


def null_word(data: Any, schema: Any, word: str) -> Any:
    """Put a word that means nothing for the first free text."""
    return with_value(data, free_text(data, schema).path, word)


def entities(data: Any, schema: Any) -> Any:
    """Write characters of the first free text as entities of HTML."""
    place = free_text(data, schema)
    return with_value(data, place.path, html.escape(f"{place.value} & 'more'"))


def escaped_line_end(data: Any, schema: Any) -> Any:
    """Put a backslash and the letter n into the first free text, where a line end belongs."""
    place = free_text(data, schema)
    return with_value(data, place.path, rf"{place.value}\nmore")


def list_too_long(data: Any, schema: Any, count: int) -> Any:
    """Repeat the items of the first list until there are ``count``."""
    place = first(FILLED_LIST, data, schema)
    items = place.value
    if count <= len(items):
        msg = f"it makes a list longer, to {count} items, and the list has {len(items)}. Give count=."
        raise DoesNotApply(msg)
    return with_value(data, place.path, [items[index % len(items)] for index in range(count)])


FAR: Final = 999_999_999
LOW: Final = {"minimum", "exclusiveMinimum"}
HIGH: Final = {"maximum", "exclusiveMaximum"}
BOOLEAN: Final = Kind("a boolean", lambda place: isinstance(place.value, bool))
FILLED_LIST: Final = Kind("a list with an item", lambda place: LIST.test(place) and bool(place.value))
FREE_TEXT: Final = Kind("a text that is no value of an enumeration", TEXT.test)
INTEGER: Final = Kind(
    "a whole number",
    lambda place: (
        NUMBER.test(place)
        and isinstance(place.value, int)
        and abs(place.value) < FAR**2
        and "number" not in place.schema.get("type", ())
    ),
)
POSITIVE: Final = Kind("a number above zero", lambda place: NUMBER.test(place) and place.value > 0)
WORD: Final = Kind("a word of an enumeration", lambda place: ENUM.test(place) and isinstance(place.value, str))
CASED_ENUM: Final = Kind(WORD.words, lambda place: WORD.test(place) and other_case(place.value) != place.value)

boolean_word: Final = wrong(BOOLEAN, lambda value: "yes" if value else "no")
enum_case: Final = wrong(CASED_ENUM, other_case)
enum_padded: Final = wrong(WORD, padded)
true_for_number: Final = wrong(NUMBER, lambda _value: True)
whole_float: Final = wrong(INTEGER, float)
zero: Final = wrong(POSITIVE, lambda value: type(value)(0))
