"""What Hypothesis finds in a reader of streams, and what it does not."""

from collections.abc import Iterable
from contextlib import suppress

from hypothesis import example, given
from reader import Unreadable, words

from pytest_llmfaults import Answer, strategies
from pytest_llmfaults.strategies import StreamVariant, packets, stream

WIRE = "openai.chat"


def told(packets: Iterable[bytes]) -> tuple[list[str], bool]:
    """Return what was read, and whether it ended well."""
    found: list[str] = []
    try:
        found += words(packets)
    except Unreadable:
        return found, False
    return found, True


@given(strategies.streams(WIRE))
def test_no_stream_breaks_the_reader(stream: StreamVariant) -> None:
    with suppress(Unreadable):
        assert all(words(stream.packets))


@given(strategies.streams(WIRE, answer=Answer("Halte die Stellung: 10 € für ACME.")))
@example(stream(WIRE, packets(size=1), answer=Answer("Größe")))  # pasted from an earlier failure
def test_packet_boundaries_say_nothing(stream: StreamVariant) -> None:
    assert told(stream.packets) == told([stream.body])
