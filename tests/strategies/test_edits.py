"""What each edit does, how it prints, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from pytest_llmfaults import Answer, fault, strategies
from pytest_llmfaults._strategies.bases import bases
from pytest_llmfaults._strategies.places import differences, on_bytes
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import DoesNotApply, InvalidUse, UnknownFault
from pytest_llmfaults.strategies import (
    PARSED,
    Edit,
    Variant,
    content_type,
    cut,
    duplicate,
    encode,
    foreign,
    framed,
    insert,
    nest,
    packets,
    put,
    remove,
    rename,
    retype,
    reverse,
    stream,
    swap,
    variant,
)
from tests.strategies.finding import pasted

MESSAGE = ("choices", 0, "message")


def after(*edits: Edit, of: str = "text") -> Any:
    return variant("openai.chat", *edits, of=of).value


@pytest.mark.parametrize(
    ("edit", "look", "expected"),
    [
        (remove(*MESSAGE, "content"), lambda value: "content" in value["choices"][0]["message"], False),
        (remove("choices", 0), lambda value: value["choices"], []),
        (put("choices", value=None), lambda value: value["choices"], None),
        (put("error", value={}), lambda value: value["error"], {}),
        (put(value=None), lambda value: value, None),
        (retype("created", to="string"), lambda value: value["created"], "1780000000"),
        (retype("usage", "total_tokens", to="number"), lambda value: value["usage"]["total_tokens"], 41.5),
        (retype("id", to="boolean"), lambda value: value["id"], True),
        (retype("id", to="number"), lambda value: value["id"], 33),
        (retype("model", to="list"), lambda value: value["model"], ["gpt-5"]),
        (retype("choices", to="object"), lambda value: value["choices"]["index"], 0),
        (retype("model", to="object"), lambda value: value["model"], {"value": "gpt-5"}),
        (retype("usage", to="string"), lambda value: json.loads(value["usage"])["total_tokens"], 41),
        (duplicate("choices", 0), lambda value: len(value["choices"]), 2),
        (reverse(), lambda value: next(iter(value)), "system_fingerprint"),
        (nest(under="data"), list, ["data"]),
        (nest("usage", under="data"), lambda value: list(value["usage"]), ["data"]),
        (rename("choices", to="outputs"), lambda value: list(value)[4], "outputs"),
    ],
    ids=lambda given: repr(given) if isinstance(given, Edit) else None,
)
def test_an_edit_changes_its_place(edit: Edit, look: Callable[[Any], Any], expected: Any) -> None:
    assert look(after(edit)) == expected
    assert pasted(repr(edit)) == edit


def test_a_path_leads_into_json_text() -> None:
    data = after(remove(*MESSAGE, "content", PARSED, "items", 0, "count"), of="data")
    assert json.loads(data["choices"][0]["message"]["content"])["items"][0] == {"name": "first"}
    whole = after(put(*MESSAGE, "content", PARSED, value=[]), of="data")
    assert whole["choices"][0]["message"]["content"] == "[]"
    assert repr(remove("a", PARSED, 0)) == "remove('a', PARSED, 0)"


def test_bytes_are_cut_and_encoded_anew() -> None:
    healthy = variant("openai.chat").body
    assert variant("openai.chat", cut(-1)).body == healthy[:-1]
    assert variant("openai.chat", cut(0.5)).body == healthy[: len(healthy) // 2]
    assert variant("openai.chat", cut(0)).body == healthy[:1]
    assert variant("openai.chat", encode("utf-16")).body.decode("utf-16") == healthy.decode()
    assert variant("openai.chat", encode("utf-8-sig")).body == b"\xef\xbb\xbf" + healthy
    assert not variant("openai.chat", cut(-1)).is_json
    assert variant("openai.chat", cut(-1)).value is None
    assert not variant("openai.chat", encode("utf-16")).is_json


def test_the_same_bytes_are_called_something_else() -> None:
    healthy, html = variant("openai.chat"), variant("openai.chat", content_type("text/html"))
    assert html.body == healthy.body
    assert html.reply.header("content-type") == "text/html"
    both = variant("openai.chat", content_type("text/html"), remove("choices"))
    assert both.reply.header("content-type") == "text/html"
    assert "choices" not in both.value
    assert content_type("text/html") in list(on_bytes(bases("openai.chat", None, None)["text"]))


def test_numbers_that_are_none_print_as_what_makes_them() -> None:
    edit = put("usage", value={"total": [float("nan"), float("inf")]})
    assert repr(edit) == "put('usage', value={'total': [float('nan'), float('inf')]})"
    assert repr(pasted(repr(edit))) == repr(edit)


def test_another_wires_envelope(monkeypatch: pytest.MonkeyPatch) -> None:
    import dataclasses

    from pytest_llmfaults import _wires
    from pytest_llmfaults._registry import Registry
    from pytest_llmfaults._strategies import edits, places

    other = dataclasses.replace(
        WIRES["openai.chat"], name="other.wire", envelope=lambda _request, answer: {"completion": answer.text}
    )
    more = Registry("wires", {**WIRES, "other.wire": other})
    for module in (_wires, edits, places):
        monkeypatch.setattr(module, "WIRES", more)
    found = bases("openai.chat", None, Answer("hello"))["answer"]
    assert foreign("other.wire") in list(on_bytes(found))
    assert json.loads(foreign("other.wire").reply(found).body) == {"completion": "hello"}
    assert repr(foreign("other.wire")) == "foreign(wire='other.wire')"


def test_several_changes_are_done_in_order() -> None:
    two = variant("openai.chat", put("choices", value=[]), fault("usage.absent"))
    assert two.value["choices"] == []
    assert "usage" not in two.value
    assert two.fault is None
    assert two.slot == "choices"


def test_what_a_variant_says_of_itself() -> None:
    healthy = variant("openai.chat")
    assert healthy.is_healthy
    assert (healthy.fault, healthy.slot, healthy.path) == (None, None, None)
    named = variant("openai.chat", fault("content.null"))
    assert named.fault is not None
    assert (named.fault.name, named.slot, named.path) == ("content.null", "content", (*MESSAGE, "content"))
    edited = variant("openai.chat", remove("usage", "prompt_tokens_details", "cached_tokens"))
    assert (edited.fault, edited.slot) == (None, "usage")
    assert edited.path == ("usage", "prompt_tokens_details", "cached_tokens")
    assert variant("openai.chat", fault("body.html_page")).reply.header("content-type") == "text/html; charset=utf-8"
    assert edited == variant("openai.chat", remove("usage", "prompt_tokens_details", "cached_tokens"))
    assert len({edited, named, named}) == 2


def test_values_are_fresh_copies() -> None:
    one = variant("openai.chat", put("error", value={"code": []}))
    one.value["error"]["code"].append("changed")
    assert one.value["error"] == {"code": []}


@pytest.mark.parametrize(
    "made",
    [
        variant("openai.chat"),
        variant("openai.chat", fault("transport.latency", seconds=3.0)),
        variant("openai.chat", remove("choices"), cut(0.25), of="calls"),
        variant("openai.chat", fault("content.empty"), answer=Answer("hello", reasoning="well")),
        variant("openai.chat", remove("usage"), request={"tools": [], "model": "m"}),
    ],
    ids=lambda made: repr(made)[:40],
)
def test_a_variant_prints_as_what_makes_it(made: Variant) -> None:
    again = pasted(repr(made))
    assert again == made
    assert again.reply == made.reply
    assert "\n" not in repr(made)


def test_the_healthy_reply_fits_the_request() -> None:
    tools = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]
    calls = variant("openai.chat", request={"tools": tools}).value["choices"][0]["message"]["tool_calls"]
    assert calls[0]["function"]["name"] == "look_up"
    assert variant("openai.chat", request={"tools": tools}, of="text").value["choices"][0]["message"]["content"]
    assert variant("openai.chat", request={"model": "mine"}).value["model"] == "mine"


def test_differences_are_single_edits() -> None:
    healthy = variant("openai.chat").value
    assert differences(healthy, healthy) == []
    assert differences(healthy, {**healthy, "id": None}) == [put("id", value=None)]
    assert differences(healthy, {"data": healthy}) == [put(value={"data": healthy})]
    length = differences(healthy, variant("openai.chat", fault("content.absent_length")).value)
    assert remove(*MESSAGE, "content") in length
    assert put("choices", 0, "finish_reason", value="length") in length


MISTAKES: Final[list[tuple[Callable[[], Any], type[Exception], str]]] = [
    (remove, InvalidUse, "remove() needs a path: the keys and indexes to the place, such as"),
    (lambda: remove(1.5), InvalidUse, "A path is made of keys and indexes; got 1.5"),  # type: ignore[arg-type]
    (lambda: retype("a", to="strin"), InvalidUse, "to='strin' is not allowed. Did you mean 'string'"),
    (lambda: cut(1.5), InvalidUse, "at=1.5 is not allowed: it is a part of the body"),
    (lambda: content_type("text/htm"), InvalidUse, "to='text/htm' is not allowed. Did you mean 'text/html'"),
    (lambda: encode("ebcdic"), InvalidUse, "to='ebcdic' is not allowed."),
    (lambda: foreign("nobody"), InvalidUse, "wire='nobody' is not allowed."),
    (lambda: variant("openai"), InvalidUse, "wire='openai' is not a wire."),
    (lambda: variant("openai.chat", remove("nothing")), DoesNotApply, "remove('nothing') does not apply"),
    (lambda: variant("openai.chat", remove("nothing")), DoesNotApply, "At the top there is 'id', 'object', "),
    (lambda: variant("openai.chat", packets(size=1)), DoesNotApply, "no such place. packets() is for stream(...)."),
    (lambda: variant("openai.chat", swap(1)), DoesNotApply, "no such place. swap() is for stream(...)."),
    (lambda: variant("openai.chat", insert(1, value={})), DoesNotApply, "insert() is for stream(...)."),
    (lambda: variant("openai.chat", framed(blank=2)), DoesNotApply, "framed() is for stream(...)."),
    (
        lambda: stream("openai.chat", remove("choices")),
        DoesNotApply,
        "no such place. In a stream a path begins with the number of an event, from 0 to 7.",
    ),
    (lambda: variant("openai.chat", put("id", "x", value=1)), DoesNotApply, "this reply has no such place"),
    (lambda: variant("openai.chat", remove("id", "x")), DoesNotApply, "this reply has no such place"),
    (lambda: variant("openai.chat", rename("choices", 0, to="x")), DoesNotApply, "no such place"),
    (lambda: variant("openai.chat", reverse("id")), DoesNotApply, "no such place"),
    (lambda: variant("openai.chat", put("object", value="chat.completion")), DoesNotApply, "it changes nothing"),
    (lambda: variant("openai.chat", cut(-1), remove("id")), DoesNotApply, "needs a body of JSON"),
    (lambda: variant("openai.chat", put(value=1), fault("content.null")), DoesNotApply, "after what was done"),
    (lambda: variant("openai.chat", "content.null"), InvalidUse, "'content.null' is not a change"),  # type: ignore[arg-type]
    (lambda: variant("openai.chat", of="txt"), InvalidUse, "of='txt' is no healthy reply to this request."),
    (lambda: variant("openai.chat", fault("no.such")), UnknownFault, "'no.such' is not a fault."),
]


@pytest.mark.parametrize(("call", "kind", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_what_makes_no_sense_is_refused(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)


def test_everything_public_is_documented() -> None:
    for name in strategies.__all__:
        assert getattr(strategies, name).__doc__, name
