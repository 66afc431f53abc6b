"""The stream of the wire ``cohere.chat``: any envelope, corrupted ones too, as a list of events.

A block comes as its start, the pieces of its text, and its end; a call as its start, the pieces of its arguments, and
its end; a plan as pieces and nothing else. What is of another type than it should be is whole in the first event that
has its place.

https://docs.cohere.com/docs/streaming
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._encoding import Event, typed_event
from pytest_llmfaults._wires._pieces import pieces
from pytest_llmfaults._wires._slot import value_at, with_value
from pytest_llmfaults._wires._sse import SSE
from pytest_llmfaults._wires._wire import Piece, Stream

__all__ = ["STREAM"]

_EMPTY: Final[Mapping[str, Any]] = {"content": [], "tool_plan": "", "tool_calls": [], "citations": []}
"""What the message of the first event has, before anything is said."""

_AT_THE_END: Final = ("finish_reason", "usage", "error")
"""Keys that the last event tells."""

_TEXTS: Final = ("text", "thinking")
"""Types of blocks, each the key of its text, too."""


def chunks(envelope: Any, _request: Request) -> list[Any]:
    """Return the events of a stream that says what an envelope says, all but the end mark.

    Args:
        envelope: the JSON of the reply that is no stream.
    """
    if not isinstance(envelope, dict) or not {"message", "finish_reason"} & set(envelope):
        return [envelope]
    message = envelope.get("message")
    said = list(_said(message)) if isinstance(message, dict) else []
    return [_started(envelope), *said, _ended(envelope)]


def _started(envelope: Mapping[str, Any]) -> dict[str, Any]:
    event = {key: value for key, value in envelope.items() if key not in {*_AT_THE_END, "message"}}
    delta = {"message": _begun(envelope["message"])} if "message" in envelope else {}
    return {**event, "type": "message-start", "delta": delta}


def _begun(message: Any) -> Any:
    """Return a message before anything of it is said; a turn that calls tools needs no content."""
    if not isinstance(message, dict):
        return message
    unsaid = {} if {"content", "tool_calls"} & set(message) else {"content"}
    empty = {key: value for key, value in _EMPTY.items() if key not in unsaid}
    told = {
        key: empty[key] if key in empty and type(value) is type(empty[key]) else value for key, value in message.items()
    }
    return {**told, **{key: value for key, value in empty.items() if key not in told}}


def _said(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    blocks, plan, calls = (message.get(key) for key in ("content", "tool_plan", "tool_calls"))
    for index, block in enumerate(blocks if isinstance(blocks, list) else ()):
        yield from _whole("content", index, "content", *_opened(block))
    for piece in pieces(plan) if isinstance(plan, str) else ():
        yield {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": piece}}}
    for index, call in enumerate(calls if isinstance(calls, list) else ()):
        yield from _whole("tool-call", index, "tool_calls", *_called(call))


def _whole(kind: str, index: int, key: str, start: Any, deltas: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of a block or a call."""
    yield {"type": f"{kind}-start", "index": index, "delta": {"message": {key: start}}}
    for delta in deltas:
        yield {"type": f"{kind}-delta", "index": index, "delta": {"message": {key: delta}}}
    yield {"type": f"{kind}-end", "index": index}


def _opened(block: Any) -> tuple[Any, list[Any]]:
    """Return a block as it starts, and its deltas."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind not in _TEXTS or not isinstance(block.get(kind), str):
        return block, []
    return {**block, kind: ""}, [{kind: piece} for piece in pieces(block[kind])]


def _called(call: Any) -> tuple[Any, list[Any]]:
    """Return a call as it starts, and its deltas."""
    arguments = value_at(call, ("function", "arguments"))
    if not isinstance(arguments, str):
        return call, []
    start = with_value(call, ("function", "arguments"), "")
    return start, [{"function": {"arguments": piece}} for piece in pieces(arguments)]


def _ended(envelope: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "message-end", "delta": {key: envelope[key] for key in _AT_THE_END if key in envelope}}


def _piece(kind: str, *path: str) -> Piece:
    """Make the place of a text in an event of this type."""

    def read(chunk: Any) -> str | None:
        text = value_at(chunk, path) if isinstance(chunk, dict) and chunk.get("type") == kind else None
        return text if isinstance(text, str) else None

    return Piece(read, lambda chunk, text: with_value(chunk, path, text))


_MESSAGE: Final = ("delta", "message")
_TEXT: Final = _piece("content-delta", *_MESSAGE, "content", "text")
_THOUGHT: Final = _piece("content-delta", *_MESSAGE, "content", "thinking")
_PLAN: Final = _piece("tool-plan-delta", *_MESSAGE, "tool_plan")
_ARGUMENTS: Final = _piece("tool-call-delta", *_MESSAGE, "tool_calls", "function", "arguments")


def _call(chunk: Any) -> int | None:
    kind = value_at(chunk, ("type",))
    index = chunk.get("index") if kind in {"tool-call-start", "tool-call-delta"} else None
    return index if isinstance(index, int) else None


def _error(_status: int, message: str) -> Event:
    """Return how an error ends a stream: a reason, and its text; nothing tells one from another but the words."""
    return typed_event({"type": "message-end", "delta": {"finish_reason": "ERROR", "error": message}})


STREAM: Final = Stream(
    encoding=SSE,
    chunks=chunks,
    pieces=pieces,
    event=typed_event,
    done=Event.data("[DONE]"),
    asks={},
    text=Piece(lambda chunk: _TEXT.read(chunk) or None, _TEXT.write),
    arguments=_ARGUMENTS,
    call=_call,
    speaks=lambda chunk: any(piece.read(chunk) for piece in (_TEXT, _THOUGHT, _PLAN, _ARGUMENTS)),
    finishes=lambda chunk: value_at(chunk, ("type",)) == "message-end",
    error=_error,
    goes_on=True,
)
