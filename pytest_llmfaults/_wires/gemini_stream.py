"""The stream of the wire ``gemini``: any envelope, corrupted ones too, as a list of smaller envelopes.

Each event is an envelope with a piece of one part; a call comes whole. The last one has an empty text and the reason,
and nothing comes after it: there is no end mark. A content that has no parts is whole in the last one, and an envelope
without candidates is the only event.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._encoding import plain_event
from pytest_llmfaults._wires._pieces import pieces
from pytest_llmfaults._wires._slot import value_at, with_value
from pytest_llmfaults._wires._sse import SSE
from pytest_llmfaults._wires._wire import Piece, Stream
from pytest_llmfaults._wires.gemini_request import other_form
from pytest_llmfaults._wires.gemini_slots import is_call, is_thought

__all__ = ["STREAM", "error_body"]

_STATUSES: Final[Mapping[int, str]] = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_FIRST_PART: Final = ("candidates", 0, "content", "parts", 0)
_TEXT: Final = (*_FIRST_PART, "text")


def error_body(status: int, message: str) -> dict[str, Any]:
    """Return the body of an error of this status."""
    word = _STATUSES.get(status, "UNKNOWN" if status >= 500 else "INVALID_ARGUMENT")
    return {"error": {"code": status, "message": message, "status": word}}


def chunks(envelope: Any, _request: Request) -> list[Any]:
    """Return the events of a stream that says what an envelope says.

    Args:
        envelope: the JSON of the reply that is no stream.
    """
    candidates = envelope.get("candidates") if isinstance(envelope, dict) else None
    if not isinstance(candidates, list) or not candidates:
        return [envelope]
    found = [part for candidate in candidates for part in _candidate_parts(candidate)]
    last = len(found) - 1
    return [_chunk(envelope, part, is_last=index == last) for index, part in enumerate(found)]


def _chunk(envelope: Mapping[str, Any], candidate: Any, *, is_last: bool) -> dict[str, Any]:
    made = {**envelope, "candidates": [candidate]}
    usage = envelope.get("usageMetadata")
    if not is_last and "usageMetadata" in envelope:
        made["usageMetadata"] = dict(_counted_so_far(usage)) if isinstance(usage, dict) else usage
    return made


def _counted_so_far(usage: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the usage before the last event: the prompt is counted, and nothing else."""
    for key, value in usage.items():
        if key.startswith("prompt"):
            yield key, value
        elif key == "totalTokenCount":
            yield key, usage.get("promptTokenCount", value)


def _candidate_parts(candidate: Any) -> Iterator[Any]:
    """Yield the candidate of each event."""
    content = candidate.get("content") if isinstance(candidate, dict) else None
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(parts, list) or not parts:
        yield candidate
        return
    going_on = {"content": content} | {key: candidate[key] for key in ("index",) if key in candidate}
    for part in parts:
        for piece in _part_pieces(part):
            yield with_value(going_on, ("content", "parts"), [piece])
    yield with_value(candidate, ("content", "parts"), [{"text": ""}])


def _part_pieces(part: Any) -> Iterator[Any]:
    """Yield a part in pieces; what is signed is signed with its last piece."""
    text = part.get("text") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(text, str):
        yield part
        return
    *first, last = pieces(text) or [""]
    unsigned = {key: value for key, value in part.items() if key != "thoughtSignature"}
    yield from ({**unsigned, "text": piece} for piece in first)
    yield {**part, "text": last}


def _text(chunk: Any) -> str | None:
    text = value_at(chunk, _TEXT)
    return text if isinstance(text, str) and text and not is_thought(value_at(chunk, _FIRST_PART)) else None


def _speaks(chunk: Any) -> bool:
    return bool(value_at(chunk, _TEXT)) or is_call(value_at(chunk, _FIRST_PART))


STREAM: Final = Stream(
    encoding=SSE,
    chunks=chunks,
    pieces=pieces,
    event=plain_event,
    done=None,
    asks={},
    text=Piece(_text, lambda chunk, text: with_value(chunk, _TEXT, text)),
    arguments=None,
    call=lambda chunk: 0 if is_call(value_at(chunk, _FIRST_PART)) else None,
    speaks=_speaks,
    finishes=lambda chunk: isinstance(chunk, dict) and bool(chunk.get("candidates")),
    error=lambda status, message: plain_event(error_body(status, message)),
    goes_on=False,
    other_form=other_form,
)
