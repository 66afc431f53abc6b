"""What is drawn: plain JSON and bytes that Hypothesis shows as the short call that makes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from pytest_llmfaults._strategies.table import Entry
from pytest_llmfaults._strategies.variant import Variant

__all__ = ["Drawn", "Steps", "body", "envelope", "text", "whole"]

Drawn = Entry | Variant
"""A single change from a table, or a variant of two."""


class Printer(Protocol):
    """What Hypothesis shows a value with."""

    def text(self, obj: str) -> None:
        """Write a text."""


class _Shown:
    """Mixed into a type: Hypothesis shows ``line`` where ``repr`` would fill the screen."""

    drawn: Drawn
    attribute: str

    @property
    def line(self) -> str:
        """The call that makes this value."""
        return f"{whole(self.drawn)!r}.{self.attribute}"

    def _repr_pretty_(self, printer: Printer, _cycle: bool) -> None:
        printer.text(self.line)


class JSONObject(_Shown, dict[str, Any]):
    """An envelope."""


class JSONList(_Shown, list[Any]):
    """An envelope that is a list."""


class JSONText(_Shown, str):  # noqa: SLOT000 - it has a line
    """An envelope that is a text."""


class Body(_Shown, bytes):
    """A body."""


class Steps(tuple[Any, ...]):
    """Steps, shown as the tuple of what makes each, where Hypothesis would show the code that put it together."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Printer, _cycle: bool) -> None:
        inner = ", ".join(map(repr, self))
        printer.text(f"({inner}{',' * (len(self) == 1)})")


_KINDS: Final[Mapping[str, Callable[[Any], Any]]] = {"dict": JSONObject, "list": JSONList, "str": JSONText}


def envelope(drawn: Drawn) -> Any:
    """Return the JSON, a fresh copy."""
    value = json.loads(drawn.reply.body)
    kind = _KINDS.get(type(value).__name__)
    if kind is None:
        return value
    shown = kind(value)
    shown.drawn, shown.attribute = drawn, "value"
    return shown


def body(drawn: Drawn) -> bytes:
    """Return the bytes of the body."""
    shown = Body(drawn.reply.body)
    shown.drawn, shown.attribute = drawn, "body"
    return shown


def whole(drawn: Drawn) -> Variant:
    """Return the variant."""
    return drawn.variant if isinstance(drawn, Entry) else drawn


def text(drawn: Drawn, path: tuple[str | int, ...]) -> str:
    """Return the text at ``path``."""
    value = json.loads(drawn.reply.body)
    for key in path:
        value = value[key]
    return str(value)
