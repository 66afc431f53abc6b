"""Amazon's event stream, written and read: the official SDK's reader is the judge."""

from __future__ import annotations

import json

import pytest
from botocore.eventstream import ChecksumMismatch, EventStreamBuffer

from pytest_llmfaults._wires._aws_events import AWS_EVENTS, CHECKSUM_BYTES, PRELUDE_BYTES
from pytest_llmfaults._wires._encoding import Event, encoded, plain_event
from pytest_llmfaults.errors import DoesNotApply

NAMED = Event.data('{"text": "日本 🙂"}', ("event", "delta"))
RAISED = Event.data('{"message": "no"}', ("exception", "throttlingException"))
FAILED = Event.data("lost", ("error", "InternalError"))


def frames(body: bytes) -> list[tuple[dict[str, str], str]]:
    buffer = EventStreamBuffer()
    buffer.add_data(body)
    return [(frame.headers, frame.payload.decode()) for frame in buffer]


def test_the_official_reader_finds_what_was_written() -> None:
    content = {":content-type": "application/json"}
    body = encoded([NAMED, RAISED, FAILED, plain_event(None)], AWS_EVENTS).body
    assert frames(body) == [
        ({":event-type": "delta", **content, ":message-type": "event"}, '{"text": "日本 🙂"}'),
        (
            {":exception-type": "throttlingException", **content, ":message-type": "exception"},
            '{"message": "no"}',
        ),
        ({":error-code": "InternalError", ":error-message": "lost", ":message-type": "error"}, ""),
        ({**content, ":message-type": "event"}, "null"),
    ]


def test_what_was_written_is_read_as_far_as_it_is_whole() -> None:
    body = encoded([NAMED, RAISED, FAILED, plain_event([1])], AWS_EVENTS).body
    found = AWS_EVENTS.read(body)
    assert list(map(json.loads, found)) == [
        {"delta": {"text": "日本 🙂"}},
        {"throttlingException": {"message": "no"}},
        {"InternalError": None},
        [1],
    ]
    first = len(AWS_EVENTS.write(NAMED))
    for cut in range(len(body)):
        assert AWS_EVENTS.read(body[:cut]) == found[: len(frames(body[:cut]))]
    assert len(AWS_EVENTS.read(body[:first])) == 1


def test_nothing_is_read_behind_a_broken_frame() -> None:
    good, size = AWS_EVENTS.write(NAMED), len(AWS_EVENTS.write(NAMED))
    for place in range(size):
        bad = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
        assert len(AWS_EVENTS.read(good + bad + good)) == 1
    for place in (PRELUDE_BYTES - 1, PRELUDE_BYTES, size - CHECKSUM_BYTES):
        bad = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
        with pytest.raises(ChecksumMismatch):
            frames(bad)


def test_half_a_surrogate_pair_becomes_its_escape() -> None:
    assert frames(AWS_EVENTS.write(Event.data('"\ud83d"', ("event", "delta"))))[0][1] == '"\\ud83d"'


@pytest.mark.parametrize(
    ("event", "what"),
    [
        (Event.comment("keepalive"), "a comment"),
        (Event((("id", "1"), ("data", "1"))), "the id of an event"),
        (Event((("retry", "3000"),)), "a line of retry"),
        (Event((("data", "1"), ("data", "2"))), "several names, or not one payload"),
        (Event((("event", "a"), ("event", "b"), ("data", "1"))), "several names, or not one payload"),
        (Event((("event", "a"),)), "several names, or not one payload"),
    ],
)
def test_what_no_frame_can_say_is_refused(event: Event, what: str) -> None:
    with pytest.raises(DoesNotApply, match=f"^it sends {what}, and a frame of an Amazon event stream has one payload"):
        AWS_EVENTS.write(event)
