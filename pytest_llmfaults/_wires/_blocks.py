"""A list of typed blocks, as some wires have it for what the model says. No word of any provider.

A fault that puts a text where there is no block of text adds one: after the thoughts and before the calls. What is no
text stands in the place of the whole list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Path, Slot, value_at, with_value

__all__ = ["Blocks", "of_type"]


def of_type(kind: str) -> Callable[[Any], bool]:
    """Return the test of a block of this type."""
    return lambda block: isinstance(block, dict) and block.get("type") == kind


_text, _thought, _call = of_type("text"), of_type("thinking"), of_type("tool_use")


class Blocks(NamedTuple):
    """The list of blocks at a place of an envelope.

    Attributes:
        path: the place.
        thinking: makes a block of thoughts.
    """

    path: Path
    thinking: Callable[[Any], dict[str, Any]]

    def held(self, envelope: Any) -> list[Any]:
        """Return the blocks; none where there is no list."""
        found = value_at(envelope, self.path)
        return found if isinstance(found, list) else []

    def first(self, test: Callable[[Any], bool], *inner: str | int) -> Callable[[Any], Path | None]:
        """Make a function that finds a part of the first block that passes a test."""

        def find(envelope: Any) -> Path | None:
            found = (index for index, block in enumerate(self.held(envelope)) if test(block))
            place = next(found, None)
            return None if place is None else (*self.path, place, *inner)

        return find

    def put(self, envelope: Any, blocks: list[Any]) -> Any:
        """Return a copy of the envelope with these blocks; where it has no list, none make none."""
        if not blocks and value_at(envelope, self.path) is None:
            return envelope
        return with_value(envelope, self.path, blocks)

    @property
    def content(self) -> Slot:
        """The text: of the first block of text."""
        return Slot(self.first(_text, "text"), self._read_text, self._write_text)

    @property
    def reasoning(self) -> Slot:
        """The thoughts: of the first block of them."""
        return Slot(self.first(_thought, "thinking"), write=self._write_thought)

    def _read_text(self, envelope: Any) -> Any:
        whole = value_at(envelope, self.path)
        if not isinstance(whole, list):
            return whole
        path = self.first(_text, "text")(envelope)
        return None if path is None else value_at(envelope, path)

    def _write_text(self, envelope: Any, value: Any) -> Any:
        if value is not UNSAID and not isinstance(value, str):
            return with_value(envelope, self.path, value)
        held = self.held(envelope)
        kept = [block for block in held if not _text(block)]
        if value is UNSAID:
            return self.put(envelope, kept)
        block = next((block for block in held if _text(block)), {"type": "text", "text": ""})
        place = next((index for index, one in enumerate(held) if _text(one)), None)
        if place is None:
            place = next((index for index, one in enumerate(kept) if _call(one)), len(kept))
        kept.insert(place, {**block, "text": value})
        return self.put(envelope, kept)

    def _write_thought(self, envelope: Any, value: Any) -> Any:
        path = self.first(_thought, "thinking")(envelope)
        held = self.held(envelope)
        if value is ABSENT:
            return self.put(envelope, [block for block in held if not _thought(block)])
        if path is not None:
            return with_value(envelope, path, value)
        return self.put(envelope, [self.thinking(value), *held])
