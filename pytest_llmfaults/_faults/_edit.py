"""The small pure functions that rows name: each returns a ``play`` function, ``(healthy, **values) -> reply``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from pytest_llmfaults._faults._fault import Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import ABSENT, UNSAID, Path, with_value
from pytest_llmfaults.errors import DoesNotApply

__all__ = [
    "ABSENT",
    "UNSAID",
    "Play",
    "answers",
    "chain",
    "error",
    "half",
    "page",
    "put",
    "raw",
    "reshape",
    "rewrite",
    "with_value",
    "without",
]

Play = Callable[..., Reply]


def without(envelope: Any, path: Path) -> Any:
    """Return a copy of ``envelope`` without the key at ``path``."""
    return with_value(envelope, path, ABSENT)


def put(slot: str, value: Any, *more: tuple[str, Any]) -> Play:
    """Make a fault that puts ``value`` into ``slot``, and further values into further slots."""

    def play(base: Healthy) -> Reply:
        envelope = base.envelope()
        for name, new in ((slot, value), *more):
            envelope = base.put(envelope, name, new)
        return base.with_envelope(envelope)

    return play


def rewrite(slot: str, change: Callable[[Any], Any]) -> Play:
    """Make a fault that replaces what is in ``slot`` by ``change(what is there)``."""

    def play(base: Healthy) -> Reply:
        return base.with_envelope(base.put(base.envelope(), slot, change(base.held(slot))))

    return play


def reshape(change: Callable[..., Any]) -> Play:
    """Make a fault that replaces the whole envelope by ``change(envelope, **values)``."""
    return lambda base, **values: base.with_envelope(change(base.envelope(), **values))


def raw(change: Callable[..., bytes], *, content_type: str | None = None, **headers: str | None) -> Play:
    """Make a fault that replaces the bytes of the body by ``change(body, **values)``, and sets headers."""

    def play(base: Healthy, **values: Any) -> Reply:
        reply = base.reply.with_body(change(base.reply.body, **values), content_type=content_type)
        return reply.with_headers(**headers)

    return play


def error(
    status: int, message: str, code: str | None = None, *, fields: Mapping[str, Any] | None = None, **headers: str
) -> Play:
    """Make a fault that answers ``status`` with the wire's own error body; ``fields`` are further ones of its error."""

    def play(base: Healthy) -> Reply:
        body = base.wire.error(status, message, code)
        held = body.get("error") if isinstance(body, Mapping) else None
        if fields and not isinstance(held, Mapping):
            what = "a text" if isinstance(held, str) else "no object"
            msg = f"it says more in the error than its text, and on the wire {base.wire.name} an error is {what}."
            raise DoesNotApply(msg)
        body = {**body, "error": {**body["error"], **fields}} if fields else body
        return base.wire.failed(status, body).with_headers(**headers)

    return play


def answers(status: int, body: Any, content_type: str = "application/json", **headers: str) -> Play:
    """Make a fault that answers ``status`` with this body on every wire: bytes and text as they are, else JSON."""
    if isinstance(body, (str, bytes)):
        data = body if isinstance(body, bytes) else body.encode()
        reply = Reply.bytes(data, status=status, content_type=content_type)
    else:
        reply = Reply.json(body, status=status)
    return lambda _base: reply.with_headers(**headers)


def page(title: str) -> str:
    """Return a proxy's HTML page."""
    return (
        f"<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n"
        f"<body><h1>{title}</h1><p>The request could not be served.</p></body></html>\n"
    )


def half(value: Any) -> Any:
    """Return the first half of a text; anything else as it is."""
    return value[: len(value) // 2] if isinstance(value, str) else value


def chain(first: Play, *more: Play) -> Play:
    """Make a fault that does one edit after the other; the parameters' values go to the first."""

    def play(base: Healthy, **values: Any) -> Reply:
        reply = first(base, **values)
        for one in more:
            reply = one(dataclasses.replace(base, reply=reply))
        return reply

    return play
