"""What both wires of Ollama have: how a reply ends, its counts, its errors, and how it comes in lines.

https://docs.ollama.com/api/streaming
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._request import Asks, Request
from pytest_llmfaults._wires._encoding import Event, dumped
from pytest_llmfaults._wires._ndjson import NDJSON
from pytest_llmfaults._wires._pieces import pieces
from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Slot, at, said, value_at, with_value
from pytest_llmfaults._wires._wire import Stream, Wire
from pytest_llmfaults.errors import DoesNotApply

__all__ = [
    "ASKS",
    "COMMON",
    "MODEL",
    "begun",
    "ending",
    "error",
    "event",
    "format_schema",
    "lines_of",
    "stream",
    "untold",
    "wire",
]

MODEL: Final = "qwen3"
_CREATED: Final = "2026-05-28T20:26:40.000000Z"
_COUNTS: Final = ("prompt_eval_count", "eval_count")
_AT_THE_END: Final = (
    "done_reason",
    "context",
    "total_duration",
    "load_duration",
    "prompt_eval_count",
    "prompt_eval_duration",
    "eval_count",
    "eval_duration",
)
"""Keys that only the last line of a stream has."""

_REASONS: Final[Mapping[Any, Any]] = {"tool_calls": "stop", UNSAID: None}
"""What faults call a reason, and what Ollama calls it; the other words are its own."""

_ESCAPED: Final = {0x2028: "\\u2028", 0x2029: "\\u2029"}
"""What the server's JSON escapes in texts; readers that split at each line end of Unicode depend on it."""

_FILTERED: Final = "content_filter"


ASKS: Final = Asks(
    stream=lambda request: request.field("stream") is not False,
    how="stream=true, or nothing about it",
    limit=lambda request: value_at(request.json, ("options", "num_predict")),
)
"""A request asks for a stream unless it says no."""


def format_schema(request: Request) -> Any:
    """Return the schema of the data that a request asks for, or None."""
    wanted = request.field("format")
    if wanted == "json":
        return {"type": "object"}
    return wanted if isinstance(wanted, dict) else None


def begun(model: str | None) -> dict[str, Any]:
    """Return how each reply and each line begins; ``model`` is what the request names."""
    return {"model": model or MODEL, "created_at": _CREATED}


def ending(answer: Answer) -> dict[str, Any]:
    """Return how a reply ends: durations are in nanoseconds."""
    return {
        "total_duration": 1_912_000_000,
        "load_duration": 52_000_000,
        "prompt_eval_count": answer.usage.prompt,
        "prompt_eval_duration": 310_000_000,
        "eval_count": answer.usage.completion,
        "eval_duration": 1_540_000_000,
    }


def lines_of(parts: Iterable[Mapping[str, Any]], last: Mapping[str, Any]) -> list[Any]:
    """Return the lines of a stream: one for each part, then the last.

    Args:
        parts: what each line but the last has in the place of the same keys.
        last: the line that ends it: the reply that is no stream, without what the parts say.
    """
    shared = {key: value for key, value in last.items() if key not in _AT_THE_END}
    more = {"done": False} if "done" in last else {}
    return [*({**shared, **part, **more} for part in parts), dict(last)]


def untold(message: Mapping[str, Any], key: str) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """Take the texts out of a message: thoughts first, then what stands at ``key``.

    Returns:
        The texts piece by piece, and the message without them. What is no text stays.
    """
    texts = {name: message[name] for name in ("thinking", key) if isinstance(message.get(name), str) and message[name]}
    rest = {name: "" if name == key and key in texts else value for name, value in message.items()}
    if "thinking" in texts:
        del rest["thinking"]
    empty = {key: ""} if isinstance(message.get(key), str) else {}
    return [{**empty, name: piece} for name, text in texts.items() for piece in pieces(text)], rest


def error(_status: int, message: str, _code: str | None) -> Mapping[str, Any]:
    """Return the body of an error: its text and nothing else."""
    return {"error": message}


def event(chunk: Any) -> Event:
    """Return the event of a line; as in the server's own, no character in it is a line end for anybody."""
    return Event.data(dumped(chunk).translate(_ESCAPED))


def _read_usage(envelope: Any) -> Any:
    return {key: envelope[key] for key in _COUNTS if key in envelope} or None


def _write_usage(envelope: Any, value: Any) -> Any:
    if value is ABSENT:
        return {key: inner for key, inner in envelope.items() if key not in _COUNTS}
    if isinstance(value, dict) and value:
        return {**envelope, **value}
    msg = "it changes the field of the usage, and this wire has none: its counts stand beside the answer."
    raise DoesNotApply(msg)


def _write_finish(envelope: Any, value: Any) -> Any:
    if value == _FILTERED:
        msg = "it is about a filter, and this wire has no reason for one."
        raise DoesNotApply(msg)
    return with_value(envelope, ("done_reason",), said(_REASONS, value))


COMMON: Final[Mapping[str, Slot]] = {
    "created": at("created_at"),
    "model": at("model"),
    "done": at("done"),
    "finish": Slot(lambda _envelope: ("done_reason",), write=_write_finish),
    "usage": Slot(lambda _envelope: None, _read_usage, _write_usage),
    "usage_prompt": at("prompt_eval_count"),
    "usage_completion": at("eval_count"),
    "error": at("error"),
}

stream: Final = functools.partial(
    Stream,
    encoding=NDJSON,
    pieces=pieces,
    event=event,
    done=None,
    asks={},
    arguments=None,
    call=lambda _chunk: None,
    finishes=lambda chunk: value_at(chunk, ("done",)) is True,
    error=lambda status, message: event(error(status, message, None)),
    goes_on=False,
)
"""Makes the stream of a wire."""

wire: Final = functools.partial(
    Wire,
    data_slot=lambda _request: "content",
    wants_data=lambda request, _data: format_schema(request),
    error=error,
    headers=(),
    environment={},
    asks=ASKS,
)
"""Makes a wire."""
