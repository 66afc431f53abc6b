"""Streams that are drawn: what each edit does, lines to paste, small when shrunk, and bugs found in readers."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
import requests
from hypothesis import Phase, find, given, settings
from hypothesis.vendor import pretty

from pytest_llmfaults import Answer, Fault, Reply, inject, strategies
from pytest_llmfaults._faults import faults
from pytest_llmfaults._strategies.stream_table import drawn_stream, tables
from pytest_llmfaults.errors import DoesNotApply, InvalidUse, Refused
from pytest_llmfaults.strategies import (
    Edit,
    StreamVariant,
    cut,
    duplicate,
    encode,
    fault,
    framed,
    insert,
    packets,
    put,
    remove,
    reverse,
    stream,
    swap,
)
from tests.strategies.finding import pasted
from tests.strategies.readers import SEEDED, Packets, by_the_book, is_wrong

WIRE: Final = "openai.chat"
QUICK: Final = settings(max_examples=200, database=None, derandomize=True, deadline=None)
LOOKING: Final = settings(QUICK, max_examples=3000, phases=[Phase.generate, Phase.shrink])
NOT_ASCII: Final = Answer("10 € für ACME")
BODY: Final = {"model": "gpt-5", "messages": [], "stream": True}
URL: Final = "https://gateway.example.com/v1/chat/completions"
PIECES: Final = ["", "Hello", " from", " a", " healthy", " model."]


def singles(rows: tuple[Fault, ...], answer: Answer | None = None) -> Iterator[StreamVariant]:
    """Yield every stream of one change at most, of each kind."""
    for table in tables(WIRE, rows, None, answer):
        for place in table.places:
            yield from (drawn_stream(entry) for entry in place.entries)


def pieces(given: StreamVariant) -> list[Any]:
    """Return the content of each event, None where there is none."""
    found = []
    for data in given.events:
        chunk = json.loads(data) if data != "[DONE]" else "end"
        choices = chunk.get("choices") if isinstance(chunk, dict) else None
        found.append(choices[0]["delta"].get("content") if choices else chunk)
    return found


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (remove(2), ["", "Hello", " a", " healthy", " model.", None, "end"]),
        (remove(-1), [*PIECES, None]),
        (duplicate(1), ["", "Hello", "Hello", " from", " a", " healthy", " model.", None, "end"]),
        (duplicate(-1), [*PIECES, None, "end", "end"]),
        (swap(1), ["", " from", "Hello", " a", " healthy", " model.", None, "end"]),
        (swap(6), [*PIECES, "end", None]),
        (reverse(), ["end", None, " model.", " healthy", " a", " from", "Hello", ""]),
        (put(1, value=None), ["", None, " from", " a", " healthy", " model.", None, "end"]),
        (put(1, "choices", value=[]), ["", None, " from", " a", " healthy", " model.", None, "end"]),
        (insert(0, value={}), [{}, *PIECES, None, "end"]),
        (insert(8, value={}), [*PIECES, None, "end", {}]),
        (put(1, "choices", 0, "delta", "content", value="!"), ["", "!", *PIECES[2:], None, "end"]),
    ],
    ids=repr,
)
def test_an_edit_of_events_changes_its_place(edit: Edit, expected: list[Any]) -> None:
    made = stream(WIRE, edit)
    found = [None if isinstance(one, dict) and "id" in one else one for one in pieces(made)]
    assert found == expected
    assert len(made.packets) == len(expected)
    assert pasted(repr(edit)) == edit


@pytest.mark.parametrize(
    ("edit", "start"),
    [
        (framed(line_end="\r\n"), b'data: {"id"'),
        (framed(line_end="\r"), b'data: {"id"'),
        (framed(space=""), b'data:{"id"'),
        (framed(blank=2), b'data: {"id"'),
    ],
    ids=repr,
)
def test_another_framing_says_the_same(edit: Edit, start: bytes) -> None:
    healthy, made = stream(WIRE), stream(WIRE, edit)
    assert made.body != healthy.body
    assert made.body.startswith(start)
    assert made.events == healthy.events
    assert pasted(repr(edit)) == edit


def test_events_without_blank_lines_run_into_one() -> None:
    assert stream(WIRE, framed(blank=0)).events == []


@pytest.mark.parametrize("size", [1, 7, 100, 65_536])
def test_packets_are_cut_anywhere(size: int) -> None:
    healthy, made = stream(WIRE, answer=NOT_ASCII), stream(WIRE, packets(size=size), answer=NOT_ASCII)
    assert made.body == healthy.body
    assert {len(packet) for packet in made.packets[:-1]} <= {size}
    assert 1 <= len(made.packets[-1]) <= size


def test_bytes_are_cut_and_encoded_in_the_packets_that_there_were() -> None:
    healthy = stream(WIRE, answer=NOT_ASCII)
    assert stream(WIRE, cut(-1), answer=NOT_ASCII).packets == (*healthy.packets[:-1], healthy.packets[-1][:-1])
    marked = stream(WIRE, encode("utf-8-sig"), answer=NOT_ASCII).packets
    assert marked == (b"\xef\xbb\xbf" + healthy.packets[0], *healthy.packets[1:])
    both = stream(WIRE, encode("utf-16"), packets(size=3), answer=NOT_ASCII)
    assert both.body.decode("utf-16") == healthy.body.decode()


def test_what_is_done_comes_in_one_order_whatever_was_given() -> None:
    one = stream(WIRE, packets(size=5), framed(space=""), remove(1))
    other = stream(WIRE, remove(1), framed(space=""), packets(size=5))
    assert one.reply == other.reply
    faulty = stream(WIRE, packets(size=5), fault("stream.error_mid_500"))
    assert faulty.events == stream(WIRE, fault("stream.error_mid_500")).events


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: packets(size=0), "size=0 is not allowed: a packet has 1 byte or more"),
        (lambda: packets(size=True), "size=True is not an integer"),
        (lambda: swap("choices"), "index='choices' is not an integer"),  # type: ignore[arg-type]
        (framed, "takes one of line_end=, space= and blank=; got 0"),
        (lambda: framed(space="", blank=2), "got 2"),
        (lambda: framed(blank=3), "blank=3 is not allowed. It is one of 0, 1, 2"),
        (lambda: stream("openai.chatt"), "openai.chat"),
        (lambda: stream(WIRE, of="cals"), "Did you mean 'calls'"),
        (lambda: stream(WIRE, "remove(1)"), "'remove(1)' is not a change"),  # type: ignore[arg-type]
        (lambda: strategies.streams(WIRE, families=["no.such"]), "no.such"),
        (lambda: strategies.streams(3), "wire=3 is not a name"),  # type: ignore[arg-type]
    ],
)
def test_what_is_not_allowed_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidUse) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ((swap(7),), "the last place for it in this stream is 6"),
        ((insert(9, value={}),), "the last place for it in this stream is 8"),
        ((remove(20),), "this reply has no such place"),
        ((packets(size=1), packets(size=2)), "a stream has one at most"),
        ((fault("stream.empty"), remove(1)), "do not go together"),
        ((fault("stream.slow_events"), packets(size=1)), "this stream has pauses"),
        ((framed(blank=1),), "changes nothing"),
        ((put(value=None),), "leaves no events"),
        ((fault("body.truncated_json"),), "the request asks for a stream"),
    ],
)
def test_what_finds_no_place_does_not_apply(changes: tuple[Any, ...], message: str) -> None:
    with pytest.raises(DoesNotApply) as caught:
        stream(WIRE, *changes)
    assert message in str(caught.value)


@QUICK
@given(strategies.streams(WIRE))
def test_a_stream_prints_as_what_makes_it(given: StreamVariant) -> None:
    line = pretty.pretty(given)
    assert "\n" not in line
    made = pasted(line)
    assert made == given
    assert hash(made) == hash(given)
    assert made.reply == given.reply
    assert b"".join(given.packets) == given.body


@pytest.mark.parametrize("answer", [None, NOT_ASCII], ids=["each kind", "one answer"])
def test_every_single_change_prints_as_what_makes_it(answer: Answer | None) -> None:
    count = 0
    for one in singles(faults(stream=True), answer):
        assert pasted(repr(one)).reply == one.reply, one
        count += 1
    assert count > 500


def test_every_place_is_reached() -> None:
    for table in tables(WIRE, faults(stream=True), None, None):
        assert set(table.by_byte) == set(table.places)


def test_faults_that_only_streams_have_come_often() -> None:
    families: list[str] = []

    @settings(QUICK, max_examples=400, phases=[Phase.generate])
    @given(strategies.streams(WIRE))
    def look(one: StreamVariant) -> None:
        families.append("edit" if one.fault is None else one.fault.family)

    look()
    assert families.count("stream") > 40
    assert families.count("edit") > 200


def test_a_healthy_stream_is_the_simplest() -> None:
    found = find(strategies.streams(WIRE), lambda _: True, settings=LOOKING)
    assert found.is_healthy
    assert repr(found) == "stream('openai.chat')"
    assert found.path is None


def test_two_changes_come_and_shrink_to_one() -> None:
    two = find(strategies.streams(WIRE), lambda one: len(one.changes) == 2, settings=LOOKING)
    assert len(two.changes) == 2
    one = find(strategies.streams(WIRE), lambda one: "[DONE]" not in one.events, settings=LOOKING)
    assert repr(one) == "stream('openai.chat', remove(-1))"
    assert (one.path, one.fault, one.slot) == ((-1,), None, None)


def test_families_choose_the_faults() -> None:
    def names(families: Any) -> set[str]:
        found: set[str] = set()
        settings(QUICK, max_examples=400)(
            given(strategies.streams(WIRE, families=families))(
                lambda one: found.update(one.fault.name for _ in [0] if one.fault is not None)
            )
        )()
        return found

    assert names(()) == set()
    assert {name.partition(".")[0] for name in names(["stream", "finish"])} == {"stream", "finish"}
    assert len(names(None)) > 20


@pytest.mark.parametrize("read", SEEDED, ids=[read.__name__ for read in SEEDED])
def test_a_bug_in_a_reader_is_found_and_shrinks_to_one_change(read: Callable[[Packets], str]) -> None:
    drawn = strategies.streams(WIRE, answer=NOT_ASCII)
    found = find(drawn, lambda one: is_wrong(read, one), settings=settings(LOOKING, max_examples=500))
    assert [repr(change) for change in found.changes] == [SEEDED[read]]


@settings(QUICK, max_examples=1000)
@given(strategies.streams(WIRE, answer=NOT_ASCII))
def test_nothing_is_found_in_a_correct_reader(given: StreamVariant) -> None:
    assert not is_wrong(by_the_book, given)


def replies(step: object, **body: Any) -> list[Reply]:
    """Send a request that meets a step, read what comes, and return what was played."""
    failing = contextlib.suppress(requests.RequestException)
    with inject(step) as seen, requests.Session() as session, failing:  # type: ignore[arg-type]
        session.post(URL, json={**BODY, **body}, timeout=30)
    return seen.replies


def test_injected_it_is_what_was_drawn() -> None:
    count = 0
    for one in list(singles(faults("stream", "finish", "transport")))[::17]:
        assert replies(one)[0] == one.reply, one
        count += 1
    assert count > 50
    two = stream(WIRE, remove(1), packets(size=9))
    assert replies(two) == [two.reply]
    assert replies(stream(WIRE, of="calls"))[0].body == stream(WIRE, of="calls").body


def test_a_request_without_a_stream_does_not_get_one() -> None:
    with pytest.raises(Refused, match=r"the request asks for none\. Let it say stream=true"):
        replies(stream(WIRE, remove(1)), stream=False)
