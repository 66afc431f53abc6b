"""Streams of binary frames: broken checksums and lengths, exceptions, errors, and events in another framing."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final
from zlib import crc32

from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._streams import AT, begun, events, finish_index, parts, piece_indexes, stream_of
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires._aws_events import CHECKSUM_BYTES, PRELUDE_BYTES
from pytest_llmfaults._wires._encoding import Event, Part, dumped, encoded
from pytest_llmfaults._wires._sse import SSE

__all__ = ["ROWS"]

_SPEC: Final = "https://smithy.io/2.0/aws/amazon-eventstream.html"
_OUTPUT: Final = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html"
_MISMATCH: Final = "https://github.com/aws/aws-sdk-php/issues/3110"
_DROPPED: Final = "https://github.com/Mingye-Lu/AgenticCrawler/pull/128"

_LENGTHS: Final = PRELUDE_BYTES - CHECKSUM_BYTES
_MORE_BYTES: Final = 1 << 20
"""How much longer than it is a frame says to be: more than any stream here has left."""

_FAILURES: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "modelStreamErrorException": ("The model failed while it was writing.", {"originalStatusCode": 424}),
    "serviceUnavailableException": ("The service is not available. Try again later.", {}),
    "modelTimeoutException": ("The model took too long to answer.", {}),
}
"""What some exceptions say, beside those that other rows have; the last one is none of this operation."""


def _flipped(data: bytes, place: int) -> bytes:
    """Return bytes of which one has another lowest bit."""
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def _longer(frame: bytes) -> bytes:
    """Return a frame that says that it is longer, with the right checksum of what it says."""
    total, head = struct.unpack_from("!II", frame)
    lengths = struct.pack("!II", total + _MORE_BYTES, head)
    return lengths + struct.pack("!I", crc32(lengths)) + frame[PRELUDE_BYTES:]


def _at_middle(change: Callable[[bytes], bytes]) -> Play:
    """Make a fault that changes the frame of the middle piece of the answer."""

    def sent(base: Healthy) -> list[Part]:
        chunks = base.chunks()
        pieces = piece_indexes(base, chunks)
        found = parts(base, chunks)
        stream = stream_of(base)
        middle = pieces[len(pieces) // 2]
        found[middle] = change(stream.encoding.write(stream.event(chunks[middle])))
        return found

    return events(sent)


def _raised(exception: str) -> Event:
    """Return the event of an exception."""
    message, more = _FAILURES[exception]
    return Event.data(dumped({"message": message, **more}), ("exception", exception))


def _first(_base: Healthy, exception: str) -> list[Part]:
    return [_raised(exception)]


def _mid(base: Healthy, at: float, exception: str) -> list[Part]:
    return [*parts(base, begun(base, at), done=False), _raised(exception)]


def _error_frame(base: Healthy, at: float) -> list[Part]:
    """Return some of the answer, and a frame that is an error: a code and a message, and no payload."""
    error = Event.data("The connection to the model was lost.", ("error", "InternalError"))
    return [*parts(base, begun(base, at), done=False), error]


def _without_counts(base: Healthy) -> list[Part]:
    chunks = base.chunks()
    return parts(base, chunks[: finish_index(base, chunks) + 1])


def _as_sse(base: Healthy) -> Reply:
    return encoded(parts(base), SSE, base.wire.headers)


_framed = functools.partial(
    Fault, draw="fresh", scope="partial", wish="surface", streamed="only", touches=("event_frames",)
)
_raising = functools.partial(_framed, slot="error")
_KIND: Final = Parameter("exception", next(iter(_FAILURES)), choices=tuple(_FAILURES))

ROWS: Final = (
    _framed(
        name="stream.frame_prelude_checksum",
        play=_at_middle(lambda frame: _flipped(frame, _LENGTHS)),
        meaning="The checksum of the lengths of one frame is wrong.",
        sources=(_MISMATCH, _SPEC),
    ),
    _framed(
        name="stream.frame_checksum",
        play=_at_middle(lambda frame: _flipped(frame, -CHECKSUM_BYTES)),
        meaning="The checksum of one frame is wrong.",
        sources=(_MISMATCH, _SPEC),
    ),
    _framed(
        name="stream.frame_too_long",
        play=_at_middle(_longer),
        meaning="One frame says that it is longer than all that follows, and the stream ends cleanly.",
        sources=(_SPEC,),
    ),
    _framed(
        name="stream.framed_as_sse",
        play=_as_sse,
        meaning="The events come as server-sent events instead of frames.",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/BerriAI/litellm/issues/31845",
            "https://github.com/maximhq/bifrost/issues/4545",
        ),
    ),
    _raising(
        name="stream.exception_first",
        play=events(_first),
        meaning="The first frame is an exception, with the status of success.",
        scope="total",
        wish="retry",
        parameters=(_KIND,),
        sources=("https://github.com/boto/botocore/issues/3126", _OUTPUT),
    ),
    _raising(
        name="stream.exception_mid",
        play=events(_mid),
        meaning="An exception comes after some text.",
        parameters=(AT, _KIND),
        sources=(
            "https://github.com/boto/botocore/issues/3126",
            "https://github.com/aaif-goose/goose/pull/9579",
            _OUTPUT,
        ),
    ),
    _raising(
        name="stream.error_frame",
        play=events(_error_frame),
        meaning="A frame of the type error comes after some text: a code, a message, and no payload.",
        parameters=(AT,),
        sources=(_DROPPED, _SPEC),
    ),
    _framed(
        name="usage.metadata_absent",
        play=events(_without_counts),
        meaning="The stream ends after the reason, without the event that has the counts.",
        slot="usage",
        draw="same",
        wish="survive",
        sources=(_OUTPUT,),
    ),
)
