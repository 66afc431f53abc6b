"""The small pure functions that rows name: each returns a ``play`` function, ``(healthy, **values) -> reply``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults._fault import Healthy, copied
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import Path

__all__ = ["ABSENT", "Play", "chain", "put", "raw", "rewrite", "with_value", "without"]

Play = Callable[..., Reply]
ABSENT: Final = object()
"""Stands for a key that is not there, which is not the same as null."""


def with_value(envelope: Any, path: Path, value: Any) -> Any:
    """Return a copy of ``envelope`` with ``value`` at ``path``; ``ABSENT`` removes the key or item."""
    if not path:
        return value
    changed = copied(envelope)
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


def without(envelope: Any, path: Path) -> Any:
    """Return a copy of ``envelope`` without the key at ``path``."""
    return with_value(envelope, path, ABSENT)


def put(slot: str, value: Any, *more: tuple[str, Any]) -> Play:
    """Make a fault that puts ``value`` into ``slot``, and further values into further slots."""

    def play(base: Healthy) -> Reply:
        envelope = base.envelope()
        for name, new in ((slot, value), *more):
            envelope = with_value(envelope, base.path(name), new)
        return base.with_envelope(envelope)

    return play


def rewrite(slot: str, change: Callable[[Any], Any]) -> Play:
    """Make a fault that replaces what is in ``slot`` by ``change(what is there)``."""

    def play(base: Healthy) -> Reply:
        envelope = base.envelope()
        value: Any = envelope
        for key in base.path(slot):
            value = value[key]
        return base.with_envelope(with_value(envelope, base.path(slot), change(value)))

    return play


def raw(change: Callable[[bytes], bytes], *, content_type: str | None = None) -> Play:
    """Make a fault that changes the bytes of the body."""
    return lambda base: base.reply.with_body(change(base.reply.body), content_type=content_type)


def chain(first: Play, *more: Play) -> Play:
    """Make a fault that does one edit after the other; the parameters' values go to the first."""

    def play(base: Healthy, **values: Any) -> Reply:
        reply = first(base, **values)
        for one in more:
            reply = one(dataclasses.replace(base, reply=reply))
        return reply

    return play
