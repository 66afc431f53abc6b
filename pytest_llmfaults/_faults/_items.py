"""Changes of one item of a list in data; ``k`` counts from 1, and a list that has fewer items is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults._data import Change, Kind, Place, first, places, unknown_word
from pytest_llmfaults._faults._edit import with_value
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ITEMS", "OBJECTS", "SOME_OBJECTS", "added_key", "one_item"]


def one_item(kind: Kind, change: Callable[[Any, list[Place]], Any]) -> Change:
    """Make a change of item ``k`` of the first list of this kind.

    Args:
        kind: what list.
        change: ``(data, places) -> data``; the first place is the item, the others are what is in it.
    """

    def changed(data: Any, schema: Any, k: int) -> Any:
        found = first(kind, data, schema)
        if k > len(found.value):
            msg = f"it corrupts item {k} of a list, and the list has {len(found.value)}. Give k= or a longer list."
            raise DoesNotApply(msg)
        path = (*found.path, k - 1)
        return change(data, [place for place in places(data, schema) if place.path[: len(path)] == path])

    return changed


def added_key(data: Any, parts: list[Place]) -> Any:
    """Add a key that nobody asked for, as the last one of the item."""
    item = parts[0]
    known = {*item.value, *item.schema.get("properties", {})}
    return with_value(data, (*item.path, unknown_word(known, "note")), "extra")


def _has_objects(place: Place, least: int) -> bool:
    value = place.value
    return isinstance(value, list) and len(value) >= least and all(isinstance(item, dict) and item for item in value)


ITEMS: Final = Kind("a list of two items or more", lambda place: isinstance(place.value, list) and len(place.value) > 1)
OBJECTS: Final = Kind("a list of two objects or more", lambda place: _has_objects(place, 2))
SOME_OBJECTS: Final = Kind("a list of objects", lambda place: _has_objects(place, 1))
