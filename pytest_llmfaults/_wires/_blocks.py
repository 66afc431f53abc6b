"""A list of blocks, as some wires have it for what the model says. No word of any provider.

A fault that puts a text where there is no block of text adds one: after the thoughts and before the calls. A list
stands in the place of the blocks; what is neither stands in the place of the whole.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Path, Slot, value_at, with_value
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["Blocks", "Test", "has", "of_type", "put_where_there_are", "untyped"]

Test = Callable[[Any], bool]
"""Tells whether a block is of a kind."""


def of_type(kind: str) -> Test:
    """Return the test of a block of this type."""
    return lambda block: isinstance(block, dict) and block.get("type") == kind


def has(key: str) -> Test:
    """Return the test of a block that has this key."""
    return lambda block: isinstance(block, dict) and key in block


def untyped(block: Any) -> Any:
    """Return a block of text without its type, for wires on which no block says one."""
    is_typed = isinstance(block, dict) and block.get("type") == "text"
    return {key: value for key, value in block.items() if key != "type"} if is_typed else block


def put_where_there_are(path: Path, envelope: Any, blocks: list[Any]) -> Any:
    """Return a copy of an envelope with these blocks; where it has no list, none make none."""
    if not blocks and value_at(envelope, path) is None:
        return envelope
    return with_value(envelope, path, blocks)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """The list of blocks at a place of an envelope.

    Attributes:
        path: the place.
        thinking: makes a block of thoughts.
        text: the test of a block of text, whose text is its field ``text``.
        thought: the test of a block of thoughts.
        call: the test of a call.
        thoughts: where a block of thoughts has them.
        blank: a block of text before its text is in it.
        own: makes a block of the wire from one of text that says its type.
        put: returns the envelope with other blocks.
        left: returns the envelope with the blocks that are left where some were taken away; None is ``put``.
        whole: what a value that is no list stands in the place of; None is the list.
        noun: what the provider calls a block.
    """

    path: Path
    thinking: Callable[[Any], dict[str, Any]]
    text: Test
    thought: Test
    call: Test
    thoughts: Path
    blank: Mapping[str, Any]
    put: Callable[[Any, list[Any]], Any]
    own: Callable[[Any], Any] = lambda block: block
    left: Callable[[Any, list[Any]], Any] | None = None
    whole: Path | None = None
    noun: str = "block"

    def held(self, envelope: Any) -> list[Any]:
        """Return the blocks; none where there is no list."""
        found = value_at(envelope, self.path)
        return found if isinstance(found, list) else []

    def first(self, test: Test, *inner: str | int) -> Callable[[Any], Path | None]:
        """Make a function that finds a part of the first block that passes a test."""

        def find(envelope: Any) -> Path | None:
            found = (index for index, block in enumerate(self.held(envelope)) if test(block))
            place = next(found, None)
            return None if place is None else (*self.path, place, *inner)

        return find

    def before(self, envelope: Any, block: Any) -> Any:
        """Return the envelope with one more block, before all others."""
        return self.put(envelope, [block, *self.held(envelope)])

    @property
    def content(self) -> Slot:
        """The text: of the first block of text."""
        return Slot(self.first(self.text, "text"), self._read_text, self._write_text)

    @property
    def reasoning(self) -> Slot:
        """The thoughts: of the first block of them."""
        return Slot(self.first(self.thought, *self.thoughts), write=self._write_thought)

    @property
    def calls(self) -> Slot:
        """The calls, where each is a block."""
        return Slot(lambda _envelope: None, self.read_calls, self._write_calls)

    def _without(self, envelope: Any, test: Test, *more: Any) -> Any:
        kept = [*(block for block in self.held(envelope) if not test(block)), *more]
        return (self.left or self.put)(envelope, kept)

    def _read_text(self, envelope: Any) -> Any:
        whole = value_at(envelope, self.whole or self.path)
        if not isinstance(whole, dict if self.whole else list):
            return whole
        path = self.first(self.text, "text")(envelope)
        if path is not None:
            return value_at(envelope, path)
        held = value_at(envelope, self.path)
        return None if isinstance(held, list) else held

    def _write_text(self, envelope: Any, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return self.put(envelope, [self.own(block) for block in value])
        if value is not UNSAID and not isinstance(value, str):
            return with_value(envelope, self.whole or self.path, value)
        if value is UNSAID:
            return self._without(envelope, self.text)
        held = self.held(envelope)
        kept = [block for block in held if not self.text(block)]
        place = next((index for index, one in enumerate(held) if self.text(one)), None)
        block = self.blank if place is None else held[place]
        if place is None:
            place = next((index for index, one in enumerate(kept) if self.call(one)), len(kept))
        kept.insert(place, {**block, "text": value})
        return self.put(envelope, kept)

    def _write_thought(self, envelope: Any, value: Any) -> Any:
        if value is ABSENT:
            return self._without(envelope, self.thought)
        path = self.first(self.thought, *self.thoughts)(envelope)
        if path is not None:
            return with_value(envelope, path, value)
        return self.before(envelope, self.thinking(value))

    def read_calls(self, envelope: Any) -> Any:
        """Return the calls, or None where there is none."""
        return [block for block in self.held(envelope) if self.call(block)] or None

    def _write_calls(self, envelope: Any, value: Any) -> Any:
        if value is not ABSENT and not isinstance(value, list):
            msg = f"it changes the field of the calls, and this wire has none: a call is a {self.noun} of the content."
            raise DoesNotApply(msg)
        if value is ABSENT and not self.read_calls(envelope):
            return envelope
        return self._without(envelope, self.call, *(value if isinstance(value, list) else ()))
