"""The stream of the wire ``bedrock.converse``: any envelope, corrupted ones too, as a list of events.

A chunk is a member of the vendor's union: one key, the event's type, and what its payload says. A key that the envelope
does not have is in no event. Only a call has a start of its block; a text, a thought or the input of a call comes in
pieces, and what is of another type than it should be is whole in one delta. The counts come last, after the reason.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._aws_events import AWS_EVENTS
from pytest_llmfaults._wires._encoding import Event, dumped, plain_event
from pytest_llmfaults._wires._pieces import pieces
from pytest_llmfaults._wires._slot import ABSENT, Path, text_of, value_at, with_value
from pytest_llmfaults._wires._wire import Piece, Stream
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["STREAM"]

_AT_STOP: Final = ("stopReason", "additionalModelResponseFields")
"""Keys of an envelope that are told when the message stops."""

_EXCEPTIONS: Final[Mapping[int, str]] = {
    424: "modelStreamErrorException",
    429: "throttlingException",
    503: "serviceUnavailableException",
}
_DELTA: Final = "contentBlockDelta"


def chunks(envelope: Any, _request: Request) -> list[Any]:
    """Return the events of a stream that says what an envelope says.

    Args:
        envelope: the JSON of the reply that is no stream.

    Raises:
        DoesNotApply: its message has no content, which in a stream is the same as an empty one.
    """
    if not isinstance(envelope, dict) or not {"output", "stopReason"} & set(envelope):
        return [envelope]
    ends = {key: envelope[key] for key in _AT_STOP if key in envelope}
    counts = {key: value for key, value in envelope.items() if key not in {*_AT_STOP, "output"}}
    return [*_said(envelope), {"messageStop": ends}, {"metadata": counts}]


def _said(envelope: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of the message: none where there is no message."""
    output = envelope.get("output", {})
    message = output.get("message", ABSENT) if isinstance(output, dict) else output
    if message is ABSENT:
        return
    if not isinstance(message, dict):
        yield {"messageStart": message}
        return
    content = message.get("content")
    if "role" in message and "content" not in message:
        msg = "it takes the content away, and in a stream of this wire that is the same as an empty list of blocks."
        raise DoesNotApply(msg)
    told = {key: value for key, value in message.items() if not (key == "content" and isinstance(value, list))}
    yield {"messageStart": told}
    for index, block in enumerate(content if isinstance(content, list) else ()):
        for kind, more in _block_parts(block):
            yield {kind: {**more, "contentBlockIndex": index}}


def _block_parts(block: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the type of each event of a block, and what it holds besides the index."""
    if isinstance(block, dict) and "toolUse" in block:
        call = block["toolUse"]
        started = {key: value for key, value in call.items() if key != "input"} if isinstance(call, dict) else call
        yield "contentBlockStart", {"start": {**block, "toolUse": started}}
    for delta in _deltas(block):
        yield _DELTA, {"delta": delta}
    yield "contentBlockStop", {}


def _deltas(block: Any) -> Iterator[Any]:
    call, thought = value_at(block, ("toolUse",)), value_at(block, ("reasoningContent", "reasoningText"))
    if isinstance(block, dict) and "toolUse" in block:
        yield from ({"toolUse": {"input": piece}} for piece in _inputs(call))
    elif isinstance(thought, dict):
        texts = _pieces(thought["text"]) if "text" in thought else ()
        yield from ({"reasoningContent": {"text": piece}} for piece in texts)
        yield from ({"reasoningContent": {key: value}} for key, value in thought.items() if key != "text")
    elif isinstance(block, dict) and "text" in block:
        yield from ({**block, "text": piece} for piece in _pieces(block["text"]))
    else:
        yield block


def _inputs(call: Any) -> list[Any]:
    """Return the pieces of the input of a call; none where it has none."""
    if not isinstance(call, dict) or "input" not in call:
        return []
    value = call["input"]
    return [None] if value is None else _pieces(text_of(value))


def _pieces(text: Any) -> list[Any]:
    return pieces(text) or [text] if isinstance(text, str) else [text]


def _event(chunk: Any) -> Event:
    """Return the event of a chunk: its key is the name. What is no member of the union has none."""
    if not isinstance(chunk, dict) or len(chunk) != 1:
        return plain_event(chunk)
    ((name, payload),) = chunk.items()
    is_exception = isinstance(name, str) and name.endswith("Exception")
    return Event.data(dumped(payload), ("exception" if is_exception else "event", str(name)))


def _error(status: int, message: str) -> Event:
    other = "internalServerException" if status >= 500 else "validationException"
    return _event({_EXCEPTIONS.get(status, other): {"message": message}})


def _delta(*inner: str) -> Piece:
    """Make the place of a text in a delta."""
    path: Path = (_DELTA, "delta", *inner)

    def read(chunk: Any) -> str | None:
        text = value_at(chunk, path)
        return text if isinstance(text, str) else None

    return Piece(read, lambda chunk, text: with_value(chunk, path, text))


_TEXT: Final = _delta("text")
_THOUGHT: Final = _delta("reasoningContent", "text")
_ARGUMENTS: Final = _delta("toolUse", "input")


def _call(chunk: Any) -> int | None:
    is_start = value_at(chunk, ("contentBlockStart", "start", "toolUse")) is not None
    kind = _DELTA if _ARGUMENTS.read(chunk) is not None else "contentBlockStart" if is_start else ""
    index = value_at(chunk, (kind, "contentBlockIndex"))
    return index if isinstance(index, int) else None


STREAM: Final = Stream(
    encoding=AWS_EVENTS,
    chunks=chunks,
    pieces=pieces,
    event=_event,
    done=None,
    asks={},
    text=Piece(lambda chunk: _TEXT.read(chunk) or None, _TEXT.write),
    arguments=_ARGUMENTS,
    call=_call,
    speaks=lambda chunk: any(piece.read(chunk) for piece in (_TEXT, _THOUGHT, _ARGUMENTS)),
    finishes=lambda chunk: isinstance(chunk, dict) and "messageStop" in chunk,
    error=_error,
    goes_on=False,
)
