"""The stream of the wire ``anthropic.messages``: any envelope, corrupted ones too, as a list of events.

A key that the envelope does not have is in no event. A block comes as its start, the pieces of its text, thought or
input, and its end; what is of another type than it should be is whole in the start. Events of pings are in no healthy
stream here: ``control.stream_ping`` is the row for them.

https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._encoding import Event, typed_event
from pytest_llmfaults._wires._pieces import pieces
from pytest_llmfaults._wires._slot import text_of, value_at, with_value
from pytest_llmfaults._wires._sse import SSE
from pytest_llmfaults._wires._wire import Piece, Stream

__all__ = ["STREAM", "error_type"]

_ERROR_TYPES: Final[Mapping[int, str]] = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_LATER: Final = ("stop_reason", "stop_sequence", "stop_details", "container")
"""Keys of a message that are told at its end; at the start they are null."""

_COUNTED: Final = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
    "output_tokens_details",
    "server_tool_use",
)
"""Keys of the usage that are told at the end."""

_TEXTS: Final[Mapping[Any, str]] = {"text": "text", "thinking": "thinking"}
"""The key of a block's text, by the block's type."""


def error_type(status: int) -> str:
    """Return what the wire calls an error of this status."""
    return _ERROR_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")


def chunks(envelope: Any, _request: Request) -> list[Any]:
    """Return the events of a stream that says what an envelope says, all but the last.

    Args:
        envelope: the JSON of the reply that is no stream.
    """
    if not isinstance(envelope, dict) or not {"content", "role"} & set(envelope):
        return [envelope]
    content = envelope.get("content")
    found: list[Any] = [{"type": "message_start", "message": dict(_started(envelope))}]
    for index, block in enumerate(content if isinstance(content, list) else ()):
        found += [{"type": kind, "index": index, **more} for kind, more in _block_parts(block)]
    return [*found, _ended(envelope)]


def _started(envelope: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in envelope.items():
        if key in _LATER:
            yield key, None
        elif key == "content" and isinstance(value, list):
            yield key, []
        elif key == "usage" and isinstance(value, dict):
            yield key, dict(_counted_first(value))
        else:
            yield key, value


def _counted_first(usage: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the usage at the start: one token of the answer was made."""
    for key, value in usage.items():
        if key != "output_tokens_details":
            yield key, min(value, 1) if key == "output_tokens" and isinstance(value, int) else value


def _ended(envelope: Mapping[str, Any]) -> dict[str, Any]:
    delta = {key: envelope[key] for key in _LATER if key in envelope}
    end: dict[str, Any] = {"type": "message_delta", "delta": delta}
    usage = envelope.get("usage")
    if isinstance(usage, dict):
        end["usage"] = {key: usage[key] for key in _COUNTED if key in usage}
    elif "usage" in envelope:
        end["usage"] = usage
    return end


def _block_parts(block: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the type of each event of a block, and what it holds besides the index."""
    start, deltas = _opened(block) if isinstance(block, dict) else (block, [])
    yield "content_block_start", {"content_block": start}
    for delta in deltas:
        yield "content_block_delta", {"delta": delta}
    yield "content_block_stop", {}


def _opened(block: Mapping[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
    """Return a block as it starts, and its deltas."""
    kind = block.get("type")
    if kind == "tool_use" and isinstance(block.get("input"), dict):
        parts = ["", *pieces(text_of(block["input"]))]
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in parts]
    key = _TEXTS.get(kind) if isinstance(kind, str) else None
    if key is None or not isinstance(block.get(key), str):
        return block, []
    deltas = [{"type": f"{key}_delta", key: piece} for piece in pieces(block[key])]
    if isinstance(block.get("signature"), str):
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {**block, key: "", "signature": ""}, deltas
    return {**block, key: ""}, deltas


def _delta(kind: str, key: str) -> Piece:
    """Make the place of a text in a delta of this kind."""

    def read(chunk: Any) -> str | None:
        delta = chunk.get("delta") if isinstance(chunk, dict) else None
        text = delta.get(key) if isinstance(delta, dict) and delta.get("type") == kind else None
        return text if isinstance(text, str) else None

    return Piece(read, lambda chunk, text: with_value(chunk, ("delta", key), text))


_TEXT: Final = _delta("text_delta", "text")
_THOUGHT: Final = _delta("thinking_delta", "thinking")
_ARGUMENTS: Final = _delta("input_json_delta", "partial_json")


def _call(chunk: Any) -> int | None:
    is_call = _ARGUMENTS.read(chunk) is not None or value_at(chunk, ("content_block", "type")) == "tool_use"
    index = chunk.get("index") if is_call else None
    return index if isinstance(index, int) else None


def _error(status: int, message: str) -> Event:
    return typed_event({"type": "error", "error": {"type": error_type(status), "message": message}})


STREAM: Final = Stream(
    encoding=SSE,
    chunks=chunks,
    pieces=pieces,
    event=typed_event,
    done=typed_event({"type": "message_stop"}),
    asks={},
    text=Piece(lambda chunk: _TEXT.read(chunk) or None, _TEXT.write),
    arguments=_ARGUMENTS,
    call=_call,
    speaks=lambda chunk: any(piece.read(chunk) for piece in (_TEXT, _THOUGHT, _ARGUMENTS)),
    finishes=lambda chunk: value_at(chunk, ("type",)) == "message_delta",
    error=_error,
    goes_on=False,
)
