"""The stream of the wire ``openai.chat``: any envelope, corrupted ones too, as a list of chunks.

A key that the envelope does not have is in no chunk. What is null, or of another type than text, is whole in one delta.
Text comes in pieces: one delta a word, and three or more where it is long enough.

https://platform.openai.com/docs/api-reference/chat-streaming/streaming
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._encoding import Event, plain_event
from pytest_llmfaults._wires._pieces import pieces
from pytest_llmfaults._wires._slot import with_value
from pytest_llmfaults._wires._sse import SSE
from pytest_llmfaults._wires._wire import Piece, Stream

__all__ = ["STREAM", "said", "wants_usage"]

_ERROR_TYPES: Final[Mapping[int, str]] = {400: "invalid_request_error", 429: "rate_limit_error"}
_KINDS: Final[Mapping[Any, str]] = {"chat.completion": "chat.completion.chunk"}
_UNSAID: Final[tuple[Any, ...]] = ({"annotations": []},)
"""What an envelope holds and no delta."""


def chunks(envelope: Any, request: Request) -> list[Any]:
    """Return the chunks of a stream that says what an envelope says.

    Args:
        envelope: the JSON of the reply that is no stream.
        request: the request; it says whether usage is asked for.
    """
    return said(envelope, usage=wants_usage(request))


def said(envelope: Any, *, usage: bool) -> list[Any]:
    """Return the chunks of a stream that says what an envelope says; ``usage`` is whether one of their own has that."""
    if not isinstance(envelope, dict):
        return [envelope]
    choices = envelope.get("choices")
    if isinstance(choices, list) and choices:
        found = [_chunk(envelope, [part]) for choice in choices for part in _choice_parts(choice)]
    else:
        found = [_chunk(envelope, _with_delta(choices))]
    if usage and "usage" in envelope:
        found.append({**_chunk(envelope, []), "usage": envelope["usage"]})
    return found


def wants_usage(request: Request) -> bool:
    """Tell whether a request for a stream asks for the usage."""
    options = request.field("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _chunk(envelope: Mapping[str, Any], choices: Any) -> dict[str, Any]:
    changed = {"choices": choices, "object": _kind(envelope.get("object"))}
    return {key: changed.get(key, value) for key, value in envelope.items() if key != "usage"}


def _kind(name: Any) -> Any:
    return _KINDS.get(name, name) if isinstance(name, str) else name


def _with_delta(value: Any) -> Any:
    """Name a message as a stream does, in what stands where a list of choices belongs."""
    if isinstance(value, dict):
        return {("delta" if key == "message" else key): inner for key, inner in value.items()}
    return [_with_delta(item) for item in value] if isinstance(value, list) else value


def _choice_parts(choice: Any) -> Iterator[Any]:
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        yield _with_delta(choice)
        return
    for delta in _deltas(message):
        yield {("delta" if key == "message" else key): value for key, value in _unfinished(choice, delta)}
    yield _with_delta({**choice, "message": {}})


def _unfinished(choice: Mapping[str, Any], delta: Any) -> Iterator[tuple[str, Any]]:
    """Yield the members of a choice that goes on: the reason, and what comes with it, is null until the last one."""
    for key, value in choice.items():
        if key == "message":
            yield key, delta
        elif key in {"index", "finish_reason", "logprobs"} or value is None:
            yield key, value if key == "index" else None


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    calls, legacy = message.get("tool_calls"), message.get("function_call")
    later = {
        key
        for key, value in message.items()
        if key != "role" and ((isinstance(value, str) and value) or {key: value} in _UNSAID)
    }
    later |= {"tool_calls"} if isinstance(calls, list) and calls else set()
    later |= {"function_call"} if isinstance(legacy, dict) else set()
    first = {key: value for key, value in message.items() if key not in later}
    yield {**first, "content": ""} if "content" in later else first
    texts = {key: value for key, value in message.items() if key in later and isinstance(value, str)}
    spoken = {key: texts.pop(key) for key in ("content", "refusal") if key in texts}
    yield from _side_by_side(texts)
    for key, text in spoken.items():
        yield from _side_by_side({key: text})
    if "tool_calls" in later:
        for index, call in enumerate(calls or ()):
            yield from _call_deltas(index, call)
    if "function_call" in later:
        yield from ({"function_call": part} for part in _function_parts(legacy))


def _side_by_side(texts: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the pieces of several texts, one of each in a delta: some servers give thoughts under two names."""
    for row in itertools.zip_longest(*(pieces(text) for text in texts.values())):
        yield {key: piece for key, piece in zip(texts, row, strict=True) if piece is not None}


def _call_deltas(index: int, call: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(call, dict):
        yield {"tool_calls": [call]}
        return
    parts = _function_parts(call.get("function"))
    first = {**call, "function": next(parts)} if "function" in call else call
    yield {"tool_calls": [{"index": index, **first}]}
    yield from ({"tool_calls": [{"index": index, "function": part}]} for part in parts)


def _function_parts(function: Any) -> Iterator[Any]:
    """Yield a function with empty arguments, then the pieces of them."""
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if not isinstance(arguments, str):
        yield function
        return
    yield {**function, "arguments": ""}
    yield from ({"arguments": piece} for piece in pieces(arguments))


def _first_delta(chunk: Any) -> Mapping[str, Any]:
    try:
        delta = chunk["choices"][0]["delta"]
    except (KeyError, IndexError, TypeError):
        return {}
    return delta if isinstance(delta, dict) else {}


def _first_call(chunk: Any) -> Mapping[str, Any]:
    calls = _first_delta(chunk).get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else None
    return call if isinstance(call, dict) else {}


def _text(chunk: Any) -> str | None:
    text = _first_delta(chunk).get("content")
    return text if isinstance(text, str) and text else None


def _arguments(chunk: Any) -> str | None:
    function = _first_call(chunk).get("function")
    text = function.get("arguments") if isinstance(function, dict) else None
    return text if isinstance(text, str) else None


def _speaks(chunk: Any) -> bool:
    return any(value for key, value in _first_delta(chunk).items() if key != "role")


def _has_choice(chunk: Any) -> bool:
    return isinstance(chunk, dict) and bool(chunk.get("choices"))


def _error(status: int, message: str) -> Event:
    kind = _ERROR_TYPES.get(status, "server_error")
    return plain_event({"error": {"message": message, "type": kind, "param": None, "code": status}})


STREAM: Final = Stream(
    encoding=SSE,
    chunks=chunks,
    pieces=pieces,
    event=plain_event,
    done=Event.data("[DONE]"),
    asks={"usage": 'stream_options={"include_usage": True}'},
    text=Piece(_text, lambda chunk, text: with_value(chunk, ("choices", 0, "delta", "content"), text)),
    arguments=Piece(
        _arguments,
        lambda chunk, text: with_value(chunk, ("choices", 0, "delta", "tool_calls", 0, "function", "arguments"), text),
    ),
    call=lambda chunk: _first_call(chunk).get("index"),
    speaks=_speaks,
    finishes=_has_choice,
    error=_error,
    goes_on=True,
)
