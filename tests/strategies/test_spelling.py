"""The line that spells a variant is read again, and nothing else is."""

from __future__ import annotations

from typing import Any, Final

import pytest

from pytest_llmfaults import Answer
from pytest_llmfaults._faults import CATALOGUE, healthy
from pytest_llmfaults._strategies import draw
from pytest_llmfaults._strategies.changes import row, spelled
from pytest_llmfaults._strategies.spelling import read
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import DoesNotApply, InvalidUse, UnknownFault
from pytest_llmfaults.strategies import PARSED, content_type, fault, put, remove, variant
from tests.faults.kit import request, tool

WIRE: Final = "openai.chat"


@pytest.mark.parametrize("asked", [None, {"tools": [tool("search")]}], ids=["plain", "tools"])
def test_every_single_change_is_spelled_and_read_again(asked: Any) -> None:
    tables = draw.tables(WIRE, "reply", tuple(CATALOGUE.values()), asked, None)
    count = 0
    for one in draw.singles(tables):
        line = spelled(one.changes, one.of)
        changes, of = read(line)
        assert (spelled(changes, of), of) == (line, one.of)
        assert "\n" not in line
        assert variant(WIRE, *changes, of=of, request=asked).reply == one.reply
        count += 1
    assert count > 500


def test_several_changes_and_which_reply_they_change() -> None:
    line = "remove('choices', 0, 'message', 'content', PARSED, 'items'), fault('status.503'), of='data'"
    changes, of = read(line)
    path = ("choices", 0, "message", "content", PARSED, "items")
    assert [repr(change) for change in changes] == [repr(remove(*path)), repr(fault("status.503"))]
    assert of == "data"


def test_numbers_that_are_none_and_other_plain_values() -> None:
    change = put("usage", value=[float("nan"), float("-inf"), -1, 0.5, None, True, {"a": []}])
    line = "put('usage', value=[float('nan'), float('-inf'), -1, 0.5, None, True, {'a': []}])"
    assert repr(change) == line
    assert repr(read(line)[0][0]) == line


def test_other_ways_of_writing_it_come_to_the_same() -> None:
    assert row(*read('remove( "choices",0 )')).name == "remove('choices', 0)"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "it names no change"),
        ("remove('choices'", "it is cut, or was edited by hand"),
        ("content.empty", "content.empty is not a change"),
        ("of='calls'", "it names no change"),
        ("remove('choices'), wire='x'", "beside changes, only of='...' is known"),
        ("remove('choices'), of=3", "beside changes, only of='...' is known"),
        ("remov('choices')", "remov is not a change. Did you mean 'remove'"),
        ("put('choices')", "put('choices') has other arguments than put() takes"),
        ("put('choices', value=open('x'))", "open('x') is not a plain value"),
        ("__import__('os').system('true')", "is not a change"),
        ("put('choices', value=(lambda: 1)())", "is not a plain value"),
        ("put('choices', value=b'x')", "is not a plain value"),
        ("remove('choices'); remove('id')", "it is cut, or was edited by hand"),
        ("retype('id', to='strin')", "to='strin' is not allowed"),
        ("fault('transport.latency', seconds='x')", "seconds='x' is not allowed"),
    ],
)
def test_what_is_no_variant_is_refused(line: str, message: str) -> None:
    with pytest.raises(InvalidUse) as caught:
        read(line)
    assert message in str(caught.value)


def test_a_fault_that_there_is_none_of() -> None:
    with pytest.raises(UnknownFault):
        read("fault('content.long_gone')")


def test_a_row_changes_what_is_due_or_another_healthy_reply() -> None:
    asked = request(tools=[tool("search")])
    due = healthy(WIRES[WIRE], asked, Answer("due"))
    text = row((put("choices", 0, "finish_reason", value="odd"),))
    assert b'"due"' in text.reply(due).body
    calls = row((put("choices", 0, "finish_reason", value="odd"),), "calls")
    assert b'"search"' in calls.reply(due).body
    assert b'"due"' not in calls.reply(due).body
    with pytest.raises(DoesNotApply, match=r"there is no healthy reply 'data' to this request, only calls, text"):
        row((remove("id"),), "data").reply(due)


def test_a_row_that_changes_nothing_does_not_apply() -> None:
    due = healthy(WIRES[WIRE], request(), Answer("due"))
    html = row((content_type("text/html"),)).reply(due)
    assert (html.header("content-type"), html.body) == ("text/html", due.reply.body)
    with pytest.raises(DoesNotApply):
        row((content_type("text/html"), content_type("text/html"))).reply(due)
