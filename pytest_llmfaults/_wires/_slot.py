"""Slots: where the parts of an envelope are, and how they are read and written there. No word of any provider."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ABSENT", "UNSAID", "Path", "Slot", "at", "value_at", "with_value"]

Path: TypeAlias = "tuple[str | int, ...]"
"""Keys and indexes from the top of an envelope to a value."""

ABSENT: Final = object()
"""Stands for a key that is not there, which is not the same as null."""

UNSAID: Final = object()
"""Stands for a text that a healthy model does not say, in the wire's own way: null in one, no part in another."""

_AS_TEXT: Final = "\ue000"
"""The key under which an envelope carries a text to its stream, where the wire parses it in replies."""


def value_at(envelope: Any, path: Path) -> Any:
    """Return what stands at ``path``, or None when there is nothing."""
    try:
        for key in path:
            envelope = envelope[key]
    except (KeyError, IndexError, TypeError):
        return None
    return envelope


def with_value(envelope: Any, path: Path, value: Any) -> Any:
    """Return a copy of ``envelope`` with ``value`` at ``path``; ``ABSENT`` removes the key or item."""
    if not path:
        return value
    changed = copy.deepcopy(envelope)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    if value is ABSENT and isinstance(parent, dict):
        parent.pop(path[-1], None)
    elif value is ABSENT:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return changed


@dataclasses.dataclass(frozen=True, slots=True)
class Slot:
    """Where a part of an envelope is.

    Attributes:
        find: returns its path in an envelope, where it has one of its own, or None.
        read: returns what is there, in the form that faults know; None is what stands at the path.
        write: returns the envelope with another value there; None is what stands at the path.
        parsed: whether the wire holds it as JSON where faults know it as the text of that JSON.
        text_in_stream: whether a stream holds it as text all the same.
        types: which types the JSON may have there.
    """

    find: Callable[[Any], Path | None]
    read: Callable[[Any], Any] | None = None
    write: Callable[[Any, Any], Any] | None = None
    parsed: bool = False
    text_in_stream: bool = True
    types: tuple[type, ...] = (dict,)

    def get(self, envelope: Any) -> Any:
        """Return what is there, or None when the envelope does not have it."""
        try:
            return self.held(envelope)
        except (KeyError, IndexError, TypeError):
            return None

    def held(self, envelope: Any) -> Any:
        """Return what is there.

        Raises:
            KeyError, IndexError, TypeError: the envelope does not have it.
        """
        if self.read is not None:
            return self.read(envelope)
        path = self.find(envelope)
        if path is None:
            raise KeyError
        for key in path:
            envelope = envelope[key]
        return _unparsed(envelope) if self.parsed and envelope is not None else envelope

    def put(self, envelope: Any, value: Any, *, stream: bool) -> Any:
        """Return a copy of the envelope with another value there.

        Args:
            envelope: the envelope.
            value: the value, ``ABSENT`` or ``UNSAID``.
            stream: whether the envelope will be streamed.

        Raises:
            DoesNotApply: the envelope has no place for it, or none for a text.
        """
        if self.parsed and isinstance(value, str):
            value = self._parsed(value, stream=stream)
        if self.write is not None:
            return self.write(envelope, value)
        path = self.find(envelope)
        if path is None:
            msg = "it corrupts a part that this reply does not have. Give answer=."
            raise DoesNotApply(msg)
        return with_value(envelope, path, value)

    def _parsed(self, text: str, *, stream: bool) -> Any:
        """Return the object that a text is; a text that is none, or is written in another way, goes to the stream."""
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, self.types) and _unparsed(value) == text:
            return value
        if not self.text_in_stream:
            msg = "it writes a text where this wire holds parsed JSON."
            raise DoesNotApply(msg)
        if not stream:
            msg = "it writes a text where this wire holds parsed JSON, and text only in a stream. Let it ask for one."
            raise DoesNotApply(msg)
        return {_AS_TEXT: text}


def at(*path: str | int, words: Mapping[Any, Any] | None = None) -> Slot:
    """Make a slot that is at the same place in every envelope.

    Args:
        *path: the place.
        words: the wire's words for values that faults call by a name of their own.
    """
    if words is None:
        return Slot(lambda _envelope: path)
    return Slot(lambda _envelope: path, write=lambda envelope, value: with_value(envelope, path, said(words, value)))


def said(words: Mapping[Any, Any], value: Any) -> Any:
    """Return the wire's word for a value, or the value."""
    return words.get(value, value) if value is UNSAID or isinstance(value, str) else value


def text_of(value: Any) -> str:
    """Return the text of a parsed value, as it goes into a stream."""
    return _unparsed(value)


def _unparsed(value: Any) -> str:
    if isinstance(value, dict) and _AS_TEXT in value:
        return str(value[_AS_TEXT])
    return json.dumps(value, ensure_ascii=False)
