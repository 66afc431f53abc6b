"""Edits: one small change of a reply, as data that prints as the call that makes it."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from pytest_llmfaults._faults import Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import WIRES, Path
from pytest_llmfaults.errors import DoesNotApply, InvalidUse, nearest

__all__ = [
    "PARSED",
    "Edit",
    "content_type",
    "cut",
    "duplicate",
    "encode",
    "foreign",
    "nest",
    "put",
    "remove",
    "rename",
    "retype",
    "reverse",
]

KINDS: Final = ("string", "number", "boolean", "list", "object")
CONTENT_TYPES: Final = ("text/html", "text/plain")
_OF_STREAMS: Final = ("framed", "insert", "packets", "swap")
ENCODINGS: Final = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1")


class _Parsed(str):
    """The type of :data:`PARSED`."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Print as the name."""
        return "PARSED"


PARSED: Final = _Parsed("(the JSON text here, parsed)")
"""A step of a path: what the JSON text at this place holds. ``remove(..., "arguments", PARSED, "query")``."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Edit:
    """One change. Made by :func:`remove`, :func:`put` and the others, which say what each does.

    Attributes:
        kind: name of the function that makes it.
        path: keys and indexes from the top of the envelope; empty is the whole.
        detail: the argument beside the path, as its name and value, or None.
    """

    kind: str
    path: Path = ()
    detail: tuple[str, Any] | None = None

    def __repr__(self) -> str:
        """Print as the call that makes this edit."""
        detail = [f"{self.detail[0]}={_shown(self.detail[1])}"] if self.detail else []
        return f"{self.kind}({', '.join([*map(repr, self.path), *detail])})"

    @property
    def on_bytes(self) -> bool:
        """Whether it changes bytes, and leaves perhaps no JSON."""
        return self.kind in _ON_BYTES

    @property
    def crosses(self) -> bool:
        """Whether it changes what crosses the wire, and not what the answer says."""
        return self.on_bytes or self.kind == "content_type"

    def reply(self, base: Healthy) -> Reply:
        """Return the reply of ``base`` with this change.

        Raises:
            DoesNotApply: the reply has no such place, or the change would change nothing.
        """
        if self.kind == "content_type" and self.detail is not None:
            return self._labelled(base.reply, self.detail[1])
        body = base.reply.body
        if self.kind == "foreign" and self.detail is not None:
            changed = WIRES[self.detail[1]].healthy(base.request, base.answer).body
        elif self.kind in _ON_BYTES:
            changed = _ON_BYTES[self.kind](body, self.detail[1] if self.detail else None)
        else:
            changed = _dumped(self.of(_loaded(body)))
        if changed == body:
            raise DoesNotApply(self._idle)
        return base.reply.with_body(changed)

    def _labelled(self, reply: Reply, content_type: str) -> Reply:
        if reply.header("content-type") == content_type:
            raise DoesNotApply(self._idle)
        return reply.with_headers(content_type=content_type)

    @property
    def _idle(self) -> str:
        return f"{self!r} does not apply: it changes nothing in this reply."

    def of(self, envelope: Any) -> Any:
        """Return the envelope with this change; the one given may be changed on the way.

        Raises:
            DoesNotApply: it has no such place.
        """
        try:
            return _within(envelope, self.path, self)
        except (LookupError, TypeError, ValueError) as error:
            msg = f"{self!r} does not apply: this reply has no such place.{self._hint(envelope)}"
            raise DoesNotApply(msg) from error

    def _hint(self, envelope: Any) -> str:
        """Say what belongs there instead."""
        if self.kind in _OF_STREAMS:
            return f" {self.kind}() is for stream(...)."
        if isinstance(envelope, list) and self.path and isinstance(self.path[0], str):
            return f" In a stream a path begins with the number of an event, from 0 to {len(envelope) - 1}."
        if isinstance(envelope, dict) and self.path and self.path[0] not in envelope:
            return f" At the top there is {', '.join(map(repr, envelope))}."
        return ""

    def at(self, parent: Any, key: Any) -> None:
        """Change the member ``key`` of ``parent`` in place."""
        if not isinstance(parent, (dict, list)):
            raise TypeError
        value: Any = None if self.kind == "put" and isinstance(parent, dict) else parent[key]
        if self.kind == "remove":
            parent.pop(key)
        elif self.kind == "rename":
            _renamed(parent, key, self.detail[1] if self.detail else "")
        elif self.kind == "duplicate" and isinstance(parent, list):
            parent.insert(key, copy.deepcopy(value))
        else:
            changed: Any = parent
            changed[key] = self.changed(value)

    def changed(self, value: Any) -> Any:
        """Return what stands in the place of ``value``."""
        if self.kind == "reverse":
            return _reversed(value)
        if self.detail is None:
            raise TypeError
        if self.kind == "put":
            return copy.deepcopy(self.detail[1])
        if self.kind == "nest":
            return {self.detail[1]: value}
        return _RETYPES[self.detail[1]](value)


def _shown(value: Any) -> str:
    """Print a value so that it can be pasted: NaN and Infinity, which are no names in Python, as what makes them."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_shown(inner)}' for key, inner in value.items())}}}"
    return repr(value)


def _within(value: Any, path: Path, edit: Edit) -> Any:
    if not path:
        return edit.changed(value)
    key, rest = path[0], path[1:]
    if key is PARSED:
        return json.dumps(_within(json.loads(value), rest, edit), ensure_ascii=False)
    if not rest:
        edit.at(value, key)
    else:
        value[key] = _within(value[key], rest, edit)
    return value


def _loaded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        msg = "an edit of the envelope needs a body of JSON, and this reply has none."
        raise DoesNotApply(msg) from None


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")


def _renamed(parent: Any, key: str | int, to: str) -> None:
    if not isinstance(parent, dict):
        raise TypeError
    pairs = [(to if name == key else name, value) for name, value in parent.items() if name != to]
    parent.clear()
    parent.update(pairs)


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(reversed(value.items()))
    if isinstance(value, list):
        return value[::-1]
    raise TypeError


def _number(value: Any) -> int | float:
    if isinstance(value, str):
        return float(value) if value.replace(".", "", 1).isdigit() else len(value)
    if isinstance(value, (int, float)):
        return int(value) if isinstance(value, bool) else value + 0.5
    return 0 if value is None else len(value)


def _object(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else {"value": value}


_RETYPES: Final[Mapping[str, Callable[[Any], Any]]] = {
    "string": lambda value: json.dumps(value, ensure_ascii=False),
    "number": _number,
    "boolean": bool,
    "list": lambda value: [value],
    "object": _object,
}
_ON_BYTES: Final[Mapping[str, Callable[[bytes, Any], bytes]]] = {
    "cut": lambda body, at: body[: max(1, int(at * len(body))) if at >= 0 else int(at)],
    "encode": lambda body, to: body.decode(errors="replace").encode(to, errors="backslashreplace"),
}


def _checked(path: Path) -> Path:
    for step in path:
        if not isinstance(step, (str, int)) or isinstance(step, bool):
            msg = f"A path is made of keys and indexes; got {step!r} in {path!r}."
            raise InvalidUse(msg)
    return path


def _one_of(name: str, value: Any, known: Iterable[str]) -> Any:
    if not isinstance(value, str) or value not in known:
        msg = f"{name}={value!r} is not allowed.{nearest(str(value), known)} It is one of {', '.join(known)}."
        raise InvalidUse(msg)
    return value


def _some(path: Path, kind: str) -> Path:
    if not path:
        msg = f"{kind}() needs a path: the keys and indexes to the place, such as 'choices', 0, 'message'."
        raise InvalidUse(msg)
    return _checked(path)


def remove(*path: str | int) -> Edit:
    """Remove a key or an item."""
    return Edit("remove", _some(path, "remove"))


def put(*path: str | int, value: Any) -> Edit:
    """Put ``value`` at a place, which need not be there yet; without a path it is the whole body."""
    return Edit("put", _checked(path), ("value", value))


def retype(*path: str | int, to: str) -> Edit:
    """Say the same in another type: a number as text, an object as a list of one.

    Args:
        *path: the place.
        to: ``string`` (its JSON), ``number``, ``boolean``, ``list`` (of one) or ``object`` (the first item of a list).
    """
    return Edit("retype", _checked(path), ("to", _one_of("to", to, KINDS)))


def duplicate(*path: str | int) -> Edit:
    """Give an item of a list twice."""
    return Edit("duplicate", _some(path, "duplicate"))


def reverse(*path: str | int) -> Edit:
    """Turn the order of keys or items round."""
    return Edit("reverse", _checked(path))


def nest(*path: str | int, under: str) -> Edit:
    """Put an object with the one key ``under`` around a value."""
    return Edit("nest", _checked(path), ("under", under))


def rename(*path: str | int, to: str) -> Edit:
    """Give a key another name."""
    return Edit("rename", _some(path, "rename"), ("to", to))


def cut(at: float) -> Edit:
    """End the body early: after this part of its bytes (0.5), or so many bytes before its end (-1)."""
    good = isinstance(at, (int, float)) and not isinstance(at, bool) and (0 <= at < 1 or (at < 0 and at == int(at)))
    if not good:
        msg = f"at={at!r} is not allowed: it is a part of the body from 0 to below 1, or a negative number of bytes."
        raise InvalidUse(msg)
    return Edit("cut", (), ("at", at))


def encode(to: str) -> Edit:
    """Write the body in another encoding than UTF-8."""
    return Edit("encode", (), ("to", _one_of("to", to, ENCODINGS)))


def foreign(wire: str) -> Edit:
    """Give the envelope of another wire, with the same answer in it."""
    return Edit("foreign", (), ("wire", _one_of("wire", wire, WIRES)))


def content_type(to: str) -> Edit:
    """Call the body something else than it is: the header Content-Type, the same bytes."""
    return Edit("content_type", (), ("to", _one_of("to", to, CONTENT_TYPES)))
