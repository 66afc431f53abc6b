"""Every place of an envelope, and the edits that make sense there."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._faults import Healthy
from pytest_llmfaults._strategies.edits import (
    CONTENT_TYPES,
    ENCODINGS,
    PARSED,
    Edit,
    content_type,
    cut,
    duplicate,
    encode,
    foreign,
    nest,
    put,
    remove,
    rename,
    retype,
    reverse,
)
from pytest_llmfaults._strategies.slots import slot_paths
from pytest_llmfaults._wires import WIRES, Path

__all__ = ["Spot", "differences", "on_bytes", "spots"]

_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "choices": ("outputs", "candidates"),
    "message": ("delta",),
    "content": ("text",),
    "reasoning_content": ("reasoning", "thinking"),
    "tool_calls": ("function_call",),
    "arguments": ("input",),
    "finish_reason": ("stop_reason",),
}
"""What other gateways call it."""
_UNEXPECTED: Final[tuple[Any, ...]] = (None, "", {}, [], "unexpected")
"""What stands at a place that a healthy envelope does not have."""
_AROUND: Final = ("data", "result", "response")
_OTHER_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "str": ("list", "object"),
    "dict": ("list", "string"),
    "list": ("object", "string"),
    "int": ("string", "list"),
    "float": ("string", "list"),
}
_PARTS: Final = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9)


@dataclasses.dataclass(frozen=True, slots=True)
class Spot:
    """A place in a healthy envelope.

    Attributes:
        path: where it is.
        value: what is there, or None.
        slot: the slot's name, or None when the wire does not name it.
        absent: whether the healthy envelope does not have it.
    """

    path: Path
    value: Any
    slot: str | None
    absent: bool = False

    def edits(self) -> Iterator[Edit]:
        """Yield the edits that make sense here, the simplest first."""
        path, value = self.path, self.value
        if self.absent:
            yield from (put(*path, value=new) for new in _UNEXPECTED)
            return
        if path and path[-1] is not PARSED:
            yield remove(*path)
        yield from (put(*path, value=new) for new in _instead(value, named=self.slot is not None))
        yield from self._retyped()
        if isinstance(value, (dict, list)) and len(value) > 1:
            yield reverse(*path)
        if path and isinstance(path[-1], int):
            yield duplicate(*path)
        if path and isinstance(path[-1], str) and path[-1] is not PARSED:
            yield from (rename(*path, to=name) for name in _other_names(path[-1], named=self.slot is not None))
        if isinstance(value, dict):
            yield from (nest(*path, under=key) for key in (_AROUND[:1] if path else _AROUND))

    def _retyped(self) -> Iterator[Edit]:
        for kind in _OTHER_KINDS.get(type(self.value).__name__, ()):
            yield retype(*self.path, to=kind)


def _instead(value: Any, *, named: bool) -> Iterator[Any]:
    """Yield values that could stand in the place of another, the plainest first."""
    if value is not None:
        yield None
    if isinstance(value, str):
        yield from ("", " ", 0) if named else ("",)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (0, -1, value + 0.5)
    elif isinstance(value, list):
        yield from ([], "", [None]) if named else ([],)
    elif isinstance(value, dict):
        yield from ({}, "", []) if named else ({},)
    else:
        yield from ("", {}, [])


def _other_names(key: str, *, named: bool) -> Iterator[str]:
    camel = re.sub(r"_(.)", lambda found: found[1].upper(), key)
    if named:
        yield from _NAMES.get(key, ())
    yield camel if camel != key else f"{key}_"


def spots(base: Healthy) -> list[Spot]:
    """Return the places of a healthy envelope: those that the wire names, in its order, then all others."""
    paths = {path: slot for slot, path in slot_paths(base).items()}
    found = dict(_walk((), base.envelope()))
    named = [Spot(path, found[path], slot) for path, slot in paths.items() if path in found]
    absent = [
        Spot(path, None, slot, absent=True)
        for path, slot in paths.items()
        if path not in found and isinstance(found.get(path[:-1]), dict)
    ]
    others = [Spot(path, value, None) for path, value in found.items() if path and path not in paths]
    return [*named, *absent, *others]


def _walk(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, str) and value.startswith(("{", "[")):
        yield from _walk((*path, PARSED), json.loads(value))
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield from _walk((*path, key), inner)


def on_bytes(base: Healthy) -> Iterator[Edit]:
    """Yield edits of the whole body, after which it need not be JSON, or not be called so."""
    yield cut(-1)
    yield from (cut(at) for at in _PARTS)
    yield from (encode(to) for to in ENCODINGS)
    yield from (content_type(to) for to in CONTENT_TYPES)
    yield from (foreign(name) for name in WIRES.own if name != base.wire.name)


def differences(old: Any, new: Any, path: Path = ()) -> list[Edit]:
    """Return the edits, each of one place, that together make ``new`` of ``old``."""
    if type(old) is type(new) and old == new:
        return []
    pairs = _pairs(old, new)
    if pairs is None:
        return [put(*path, value=new)]
    found: list[Edit] = []
    for key, (before, after) in pairs.items():
        if after is _NOTHING:
            found.append(remove(*path, key))
        elif before is _NOTHING:
            found.append(put(*path, key, value=after))
        else:
            found += differences(before, after, (*path, key))
    return found


_NOTHING: Final = object()


def _pairs(old: Any, new: Any) -> dict[Any, tuple[Any, Any]] | None:
    """Return the members of two alike objects or lists side by side; None when one just stands for the other."""
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = {key: (old.get(key, _NOTHING), new.get(key, _NOTHING)) for key in {**old, **new}}
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = dict(enumerate(zip(old, new, strict=True)))
        if len(pairs) == 1 and isinstance(old[0], dict) and isinstance(new[0], dict):
            return pairs
    else:
        return None
    return pairs if any(before == after for before, after in pairs.values()) else None
