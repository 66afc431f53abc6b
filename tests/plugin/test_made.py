"""What a person makes by hand: a slip is refused where it is made, and said by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from pytest_llmfaults import Answer, Pause, Reply, ToolCall, Usage
from pytest_llmfaults.errors import InvalidUse

CALL: Final = ToolCall("f")
SLIPS: Final[list[tuple[Callable[..., Any], dict[str, Any], str]]] = [
    (Reply, {"framing": "chnk"}, "framing='chnk' is not one of length, chunked, close. Did you mean 'chunked'?"),
    (Reply, {"ending": "cutt"}, "ending='cutt' is not one of clean, cut, reset, stalled, stale. Did you mean 'cut'?"),
    (Reply, {"connection": "open"}, "connection='open' is not one of accepted, refused,"),
    (Reply, {"status": "200"}, "An HTTP status has three digits; got status='200'."),
    (Reply, {"chunks": ("text",)}, "got 'text'. A text is sent as text.encode(), or whole by Reply.text(...)."),
    (Reply, {"chunks": b"data"}, "chunks are a tuple of bytes and Pause(...), such as (b'data',); got b'data'."),
    (Reply, {"chunks": (b"a", 3)}, "chunks are a tuple of bytes and Pause(...), such as (b'data',); got 3."),
    (Reply, {"chunks": None}, "got None."),
    (Reply, {"headers": ("a", "b")}, "headers=('a', 'b') is not allowed: they are pairs of texts, such as"),
    (Reply, {"headers": (("a", 3),)}, "headers=(('a', 3),) is not allowed: they are pairs of texts"),
    (Reply, {"headers": None}, "headers=None is not allowed: they are pairs of texts"),
    (Reply, {"headers": {"a": "b\r\nc"}}, "A header cannot hold a line break; got 'a'"),
    (Reply, {"first_byte_seconds": "3"}, "first_byte_seconds='3' is not allowed: it is a number of seconds from 0."),
    (Reply, {"head_bytes": -1}, "head_bytes=-1 is not allowed: it is a number of bytes from 0, or None for all."),
    (Reply, {"raw_head": "HTTP/1.1"}, "raw_head='HTTP/1.1' is not allowed: it is bytes, or None"),
    (Pause, {"seconds": "1"}, "A pause lasts 0 seconds or more, or None for ever; got seconds='1'."),
    (Pause, {"seconds": True}, "got seconds=True."),
    (
        Answer,
        {"tool_calls": CALL},
        "nor 'offered'. One call is a list of one: [ToolCall(",
    ),
    (Answer, {"tool_calls": None}, "tool_calls=None is neither a list of ToolCalls nor 'offered'. None at all is ()."),
    (Answer, {"tool_calls": [{"name": "f"}]}, "tool_calls=[{'name': 'f'}] is neither"),
    (Answer, {"tool_calls": "offerd"}, "tool_calls='offerd' is neither a list of ToolCalls nor 'offered'."),
    (Answer, {"reasoning": 3}, "Answer(reasoning=3) is not allowed: it is a string, or None."),
    (Answer, {"finish": ["stop"]}, "Answer(finish=['stop']) is not allowed: it is a string, or None."),
    (Answer, {"usage": {"prompt": 3}}, "usage={'prompt': 3} is no Usage, such as Usage("),
    (ToolCall, {"name": None}, "ToolCall(name=None) is not allowed: it is a string."),
    (ToolCall, {"name": "f", "id": 3}, "ToolCall(id=3) is not allowed: it is a string, or None."),
    (Usage, {"prompt": "3"}, "Usage(prompt='3') is not allowed: it is a number of tokens, an integer from 0."),
    (Usage, {"reasoning": -1}, "Usage(reasoning=-1) is not allowed"),
]


@pytest.mark.parametrize(("make", "given", "message"), SLIPS, ids=range(len(SLIPS)))
def test_a_slip_is_refused_where_it_is_made(make: Callable[..., Any], given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidUse) as caught:
        make(**given)
    assert message in str(caught.value)


def test_headers_as_a_dict_and_lists_are_read() -> None:
    reply = Reply(headers={"Retry-After": "3"}, chunks=[b"a", Pause(1), b"b"])  # type: ignore[arg-type]
    assert reply == Reply(headers=(("Retry-After", "3"),), chunks=(b"a", Pause(1), b"b"))
    assert Answer(tool_calls=[CALL]) == Answer(tool_calls=(CALL,))  # type: ignore[arg-type]
