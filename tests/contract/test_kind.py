"""What kind of value a call returned: what counts, and what is merely carried over from the reply."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from pytest_llmfaults import Reply
from pytest_llmfaults._contract.call import Called
from pytest_llmfaults._contract.kind import Kinds
from pytest_llmfaults._ledger import Ledger
from pytest_llmfaults._request import Request
from pytest_llmfaults._views import View

HEALTHY: Final = {"object": "chat.completion", "text": "Hello from a healthy model."}


def called(value: Any, *replies: Any, error: BaseException | None = None) -> Called:
    """Return a call that met these replies and returned ``value``."""
    ledger = Ledger()
    for one in replies:
        reply = one if isinstance(one, Reply) else Reply.json(one)
        ledger.attempt(Request("POST", "https://x.example.com/"), "step", reply, None, lambda: 0.0)
    return Called(
        view=View(lambda: ledger.attempts),
        elapsed_seconds=0.0,
        outcome="returns",
        module=None,
        after=None,
        random=False,
        inapplicable=None,
        value=value,
        error=error,
    )


def kinds(value: Any, describe: Callable[[Any], str] | None = None) -> Kinds:
    return Kinds(called(value, HEALTHY), describe)


@dataclasses.dataclass
class Decision:
    actions: tuple[str, ...] = ()
    error: str | None = None


class Plain:
    def __init__(self, **more: Any) -> None:
        self.__dict__.update(more)


class Slotted:
    __slots__ = ("_hidden", "text")

    def __init__(self, text: Any) -> None:
        self.text = text
        self._hidden = object()


class Pair(NamedTuple):
    text: str | None
    error: str | None


class Color(enum.Enum):
    RED = 1


def kind(value: Any, healthy: Any, *replies: Any) -> str:
    return kinds(healthy).of(called(value, *replies))


@pytest.mark.parametrize(
    ("value", "reply"),
    [
        ("other", {"text": "other"}),
        ("one two", {"text": "two", "more": "one"}),
        ("caf\u00e9 \u00fc", Reply.json({"text": "caf\u00e9 \u00fc"})),
        ("caf\u00e9", Reply.bytes(b'{"text": "caf\\u00e9"}')),
        ("line\nbreak", Reply.bytes(b'{"text": "line\\nbreak"}')),
        ('a "quoted" word', {"text": json.dumps({"inner": 'a "quoted" word'})}),
        ("503", Reply.text("", status=503)),
        ("Healthy MODEL", {"text": "x"}),
        ("[]", []),
        ("a text that was cut in the mid", {"text": "a text that was cut in the middle"}),
    ],
)
def test_a_text_of_the_reply_is_the_same_as_another(value: str, reply: Any) -> None:
    assert kind(value, HEALTHY["text"], reply) == kinds(HEALTHY["text"]).healthy == "'…'"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "None"),
        (True, "True"),
        (False, "False"),
        ("", "''"),
        (" \n", "blank"),
        (0, "int 0"),
        (7, "int"),
        (-1, "-int"),
        (0.5, "float"),
        (b"", "bytes ''"),
        (Color.RED, "Color.RED"),
        ([], "list[]"),
        (["x", "y"], "list['…']"),
        (["x", None, {}], "list['…', None, empty dict]"),
        ((), "tuple[]"),
        ({}, "dict()"),
        ({"x": "y"}, "dict(…)"),
        (LookupError("x"), "LookupError()"),
        (object, "type()"),
    ],
    ids=repr,
)
def test_types_and_what_is_absent_empty_or_null_count(value: Any, expected: str) -> None:
    assert kind(value, HEALTHY["text"], {"x": "y"}) == expected


def test_words_of_the_client_count() -> None:
    known = kinds(Decision(("Hello",)))
    empty, unreadable = (called(Decision((), error), []) for error in ("empty answer", "unreadable answer"))
    for one in (empty, unreadable):
        known.learn(one)
    assert known.of(empty) == "Decision(actions=empty tuple, error='empty answer')"
    assert known.of(unreadable) == "Decision(actions=empty tuple, error='unreadable answer')"
    again = called(Decision((), "unreadable answer"), {"text": "an answer"})
    assert known.of(again) == known.of(unreadable), "a word that is the client's own stays so"
    carrying = [called(Decision((), f"not readable: {text}"), {"text": text}) for text in ("one two", "three")]
    assert {known.of(one) for one in carrying} == {"Decision(actions=empty tuple, error='not readable …')"}


def test_nothing_is_learned_from_a_reply_whose_words_cannot_be_seen() -> None:
    known = kinds("Hello")
    known.learn(called("strange words", Reply.bytes("strange words".encode("utf-16"))))
    known.learn(called("strange words", Reply.bytes(b"\x1f\x8b", headers={"Content-Encoding": "gzip"})))
    known.learn(called(None, [], error=LookupError("strange words")))
    assert known.of(called("strange words", {"text": "strange words"})) == known.healthy


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"text": "y", "usage": {"a": 1}}, "dict()"),
        ({"text": "y", "usage": None}, "dict(usage=None)"),
        ({"text": "y", "usage": {}}, "dict(usage=empty dict)"),
        ({"text": "y", "usage": [1]}, "dict(usage=list)"),
        ({"text": 3, "usage": {"b": 1}}, "dict(text=int)"),
        ({"usage": {"a": 1}}, "dict(no text)"),
        ({"text": "y", "usage": {"a": 1}, "x": 1}, "dict(…)"),
        (Plain(text="y"), "Plain(text='…', no usage)"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_of_an_object_what_differs_from_the_healthy_one(value: Any, expected: str) -> None:
    healthy = {"text": "Hello", "usage": {"a": 1}}
    found = kind(value, healthy, {"text": "y"})
    assert found == expected
    assert (found == kinds(healthy).healthy) == (expected == "dict()")


def test_objects_of_every_make() -> None:
    assert kind(Pair(None, "y"), Pair("Hello", None), {"x": "y"}) == "Pair(error='…', text=None)"
    assert kind(Slotted(None), Slotted("Hello"), []) == "Slotted(text=None)"
    assert kind(Plain(a=None), Plain(a="Hello", _b=1), []) == "Plain(a=None)"


def test_a_description_says_what_counts() -> None:
    def size(value: Any) -> str:
        return "nothing" if not value else f"something such as {value}"

    known = kinds("Hello", size)
    for value in ("", None):
        known.learn(called(value, []))
    assert known.of(called("", [])) == known.of(called(None, [])) == "'nothing'"
    assert known.of(called("one", {"x": "one"})) == known.of(called("two", {"x": "two"})) == known.healthy
    for plain in (str, repr):
        assert kinds("Hello", plain).of(called(None, [])) == "None", "it says nothing about what matters"
