"""The stream of the wire ``openai.responses``: any envelope, corrupted ones too, as a list of events.

A key that the envelope does not have is in no event. Each part of an item comes as its start, the pieces of its text,
the whole text and its end; then the whole item, and in the last event the whole envelope. What is of another type than
it should be is whole in the start. There is no end mark: the last event is the end, and its name tells the status.

https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._encoding import Event, typed_event
from pytest_llmfaults._wires._pieces import pieces
from pytest_llmfaults._wires._slot import value_at, with_value
from pytest_llmfaults._wires._sse import SSE
from pytest_llmfaults._wires._wire import Piece, Stream

__all__ = ["STREAM"]

_Made: TypeAlias = "Iterator[tuple[str, dict[str, Any]]]"
"""The type of each event and what it holds besides its number."""

_LATER: Final[Mapping[str, Any]] = {
    "completed_at": None,
    "error": None,
    "incomplete_details": None,
    "output": [],
    "status": "in_progress",
    "usage": None,
}
"""Keys of a response that are told at its end, and what they are until then."""

_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "output_text": ("text", "output_text"),
    "refusal": ("refusal", "refusal"),
    "reasoning_text": ("text", "reasoning_text"),
    "summary_text": ("text", "reasoning_summary_text"),
}
"""The key of a part's text, and what its events are called, by the part's type."""

_LISTS: Final[Mapping[str, tuple[str, str]]] = {
    "summary": ("reasoning_summary_part", "summary_index"),
    "content": ("content_part", "content_index"),
}
"""The lists of parts that an item can have: what the events of a part are called, and its number."""

_ENDS: Final[Mapping[str, str]] = {
    "incomplete": "response.incomplete",
    "failed": "response.failed",
    "queued": "response.queued",
    "in_progress": "response.in_progress",
}
_BEGINS: Final = "response.output_item.added"
_LAST: Final = ("response.completed", "response.incomplete", "response.failed")
_ERROR_CODES: Final[Mapping[int, str]] = {400: "invalid_prompt", 429: "rate_limit_exceeded"}


def chunks(envelope: Any, _request: Request) -> list[Any]:
    """Return the events of a stream that says what an envelope says.

    Args:
        envelope: the JSON of the reply that is no stream.
    """
    if not isinstance(envelope, dict) or not {"output", "status"} & set(envelope):
        return [envelope]
    found = [{"type": kind, "sequence_number": number, **more} for number, (kind, more) in enumerate(_told(envelope))]
    return list(found)


def _told(envelope: Mapping[str, Any]) -> _Made:
    begun = {key: _LATER.get(key, value) for key, value in envelope.items()}
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    output = envelope.get("output")
    for index, item in enumerate(output if isinstance(output, list) else ()):
        for kind, more in _item_told(item):
            yield f"response.{kind}", {"output_index": index, **more}
    status = envelope.get("status")
    end = _ENDS.get(status, "response.completed") if isinstance(status, str) else "response.completed"
    yield end, {"response": dict(envelope)}


def _item_told(item: Any) -> _Made:
    if not isinstance(item, dict):
        yield "output_item.added", {"item": item}
        yield "output_item.done", {"item": item}
        return
    lists = {key: value for key, value in item.items() if key in _LISTS and isinstance(value, list)}
    arguments = item.get("arguments") if item.get("type") == "function_call" else None
    begun = {**item, **{key: [] for key in lists}, **({"arguments": ""} if isinstance(arguments, str) else {})}
    yield "output_item.added", {"item": {**begun, "status": "in_progress"} if "status" in item else begun}
    of_item = {"item_id": item["id"]} if "id" in item else {}
    for key, parts in lists.items():
        kind, number = _LISTS[key]
        for index, part in enumerate(parts):
            for name, more in _part_told(kind, part):
                yield name, {**of_item, number: index, **more}
    if isinstance(arguments, str):
        for piece in pieces(arguments):
            yield "function_call_arguments.delta", {**of_item, "delta": piece}
        yield "function_call_arguments.done", {**of_item, "arguments": arguments}
    yield "output_item.done", {"item": item}


def _part_told(kind: str, part: Any) -> _Made:
    """Yield the events of a part of an item, whose start and end are called ``kind``."""
    known = part.get("type") if isinstance(part, dict) else None
    key, name = _TEXTS.get(known, ("", "")) if isinstance(known, str) else ("", "")
    text = part.get(key) if isinstance(part, dict) else None
    if not isinstance(text, str):
        yield f"{kind}.added", {"part": part}
        yield f"{kind}.done", {"part": part}
        return
    more: dict[str, Any] = {"logprobs": []} if name == "output_text" else {}
    yield f"{kind}.added", {"part": {**part, key: ""}}
    for piece in pieces(text):
        yield f"{name}.delta", {"delta": piece, **more}
    yield f"{name}.done", {key: text, **more}
    yield f"{kind}.done", {"part": part}


def _delta(*kinds: str) -> Piece:
    """Make the place of a text in a delta of these kinds."""
    names = [f"response.{kind}.delta" for kind in kinds]

    def read(chunk: Any) -> str | None:
        text = chunk.get("delta") if isinstance(chunk, dict) and chunk.get("type") in names else None
        return text if isinstance(text, str) else None

    return Piece(read, lambda chunk, text: with_value(chunk, ("delta",), text))


_TEXT: Final = _delta("output_text")
_ARGUMENTS: Final = _delta("function_call_arguments")
_ANYTHING: Final = _delta("function_call_arguments", *(name for _, name in _TEXTS.values()))


def _call(chunk: Any) -> int | None:
    begins = value_at(chunk, ("type",)) == _BEGINS and value_at(chunk, ("item", "type")) == "function_call"
    index = chunk.get("output_index") if begins or _ARGUMENTS.read(chunk) is not None else None
    return index if isinstance(index, int) else None


def _finishes(chunk: Any) -> bool:
    return isinstance(chunk, dict) and chunk.get("type") in _LAST


def _error(status: int, message: str) -> Event:
    code = _ERROR_CODES.get(status, "server_error")
    return typed_event({"type": "error", "sequence_number": 0, "code": code, "message": message, "param": None})


STREAM: Final = Stream(
    encoding=SSE,
    chunks=chunks,
    pieces=pieces,
    event=typed_event,
    done=None,
    asks={},
    text=Piece(lambda chunk: _TEXT.read(chunk) or None, _TEXT.write),
    arguments=_ARGUMENTS,
    call=_call,
    speaks=lambda chunk: bool(_ANYTHING.read(chunk)),
    finishes=_finishes,
    error=_error,
    goes_on=False,
)
