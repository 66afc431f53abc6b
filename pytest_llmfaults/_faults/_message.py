"""Edits of what the message says and how it ends, shared by the families that change the answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from pytest_llmfaults._answer import Usage
from pytest_llmfaults._faults._edit import ABSENT, Play
from pytest_llmfaults._faults._fault import Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["THOUGHT", "Tokens", "beside", "ends", "halves", "only", "said"]

Tokens: TypeAlias = "int | Literal['budget'] | None"
"""A number of tokens, the whole budget of the request, or None: as in the healthy reply."""

THOUGHT: Final = "First I look at the question."
_BUDGET: Final = 4096


def only(
    content: Any,
    *slots: tuple[str, Any],
    keys: Mapping[str, Any] | None = None,
    finish: str = "stop",
    tokens: Tokens = None,
    thought: Tokens = 0,
) -> Play:
    """Make a fault whose message holds ``content`` and nothing else to go by: the calls are gone.

    Args:
        content: the content, or a function that makes it from the healthy answer's text.
        *slots: further slots and their values, which may be such functions too.
        keys: further keys of the message that are no slot of the wire, the same way.
        finish: finish reason.
        tokens: tokens of the answer.
        thought: tokens of the reasoning among them.
    """

    def play(base: Healthy) -> Reply:
        envelope = base.envelope()
        text = said(base)
        for name in ("tool_calls", "legacy_call"):
            if name in base.wire.slots:
                envelope = base.put(envelope, name, ABSENT)
        envelope = _filled(base, envelope, text, (("content", content), *slots), keys)
        return ends(finish, tokens, thought)(dataclasses.replace(base, reply=base.with_envelope(envelope)))

    return play


def beside(content: Any, *slots: tuple[str, Any], keys: Mapping[str, Any] | None = None) -> Play:
    """Make a fault that changes the text of a good answer; see :func:`only` for the arguments."""

    def play(base: Healthy) -> Reply:
        text = base.value("content")
        if not isinstance(text, str):
            msg = "it corrupts the answer's text, and the reply has none: it calls a tool. Give answer=Answer('text')."
            raise DoesNotApply(msg)
        return base.with_envelope(_filled(base, base.envelope(), text, (("content", content), *slots), keys))

    return play


def ends(finish: str | None = None, tokens: Tokens = None, thought: Tokens = 0) -> Play:
    """Make a fault that changes the finish reason and the tokens that were used.

    A wire that tells no tokens is not told them, nor one without reasons that nothing was wrong.
    """

    def play(base: Healthy) -> Reply:
        envelope = base.envelope()
        if finish is not None and ("finish" in base.wire.slots or finish != "stop"):
            envelope = base.put(envelope, "finish", finish)
        if tokens is not None and "usage" in base.wire.slots:
            envelope = base.put(envelope, "usage", _usage(base, tokens, thought))
        return base.with_envelope(envelope)

    return play


def _usage(base: Healthy, tokens: Tokens, thought: Tokens = 0) -> Any:
    """Return the wire's usage of a reply that took ``tokens``, ``thought`` of them for reasoning."""
    usage = base.answer.usage
    changed = Usage(usage.prompt, _count(base.request, tokens), _count(base.request, thought))
    reply = base.wire.healthy(base.request, dataclasses.replace(base.answer, usage=changed))
    return dataclasses.replace(base, reply=reply).value("usage")


def _count(request: Request, tokens: Tokens) -> int:
    if isinstance(tokens, int):
        return tokens
    limit = request.token_limit
    return _BUDGET if limit is None else limit


def said(base: Healthy) -> str:
    """Return the text of the answer: its content, or else the arguments of its first call."""
    texts = map(base.value, ("content", "structured", "arguments"))
    return next((text for text in texts if isinstance(text, str)), "")


def halves(text: str) -> tuple[str, str]:
    """Return the two halves of a text; the first has at least one character."""
    middle = max(1, len(text) // 2)
    return text[:middle], text[middle:]


def _filled(
    base: Healthy,
    envelope: Any,
    text: str,
    slots: tuple[tuple[str, Any], ...],
    keys: Mapping[str, Any] | None,
) -> Any:
    for name, value in slots:
        envelope = base.put(envelope, name, value(text) if callable(value) else value)
    own = base.path("reasoning") if keys else None
    for key, value in (keys or {}).items():
        if own is not None and own[-1] == key:
            msg = f"it uses the field {key} of other wires, and on the wire {base.wire.spoken} the thoughts have it."
            raise DoesNotApply(msg)
        made = value(text) if callable(value) else value
        envelope = base.put(envelope, "message", {**base.slot("message").get(envelope), key: made})
    return envelope
