"""One value that is not what was asked for: the same changes in data and in the arguments of a call."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from pytest_llmfaults.errors import DoesNotApply
from tests.faults import kit

SCHEMA: Any = {
    "type": "object",
    "properties": {
        "side": {"type": "string", "enum": ["buy", "sell"]},
        "note": {"type": "string"},
        "count": {"type": "integer"},
        "price": {"type": "number", "minimum": 0},
        "final": {"type": "boolean"},
        "fills": {"type": "array", "items": {"type": "object", "properties": {"note": {"type": "string"}}}},
    },
    "required": ["side", "note"],
}
FILLS: Any = [{"venue": "A"}, {"venue": "B", "note_": "x"}]
GOOD: Any = {"side": "buy", "note": "Done.", "count": 2, "price": 9.5, "final": True, "fills": FILLS}
BOTH = [
    ("number_zero", {"count": 0}),
    ("true_for_number", {"count": True}),
    ("number_as_text", {"count": "2"}),
    ("number_out_of_range", {"price": -999_999_999}),
    ("float_whole", {"count": 2.0}),
    ("boolean_as_text", {"final": "true"}),
    ("boolean_as_word", {"final": "yes"}),
    ("enum_case", {"side": "BUY"}),
    ("enum_padded", {"side": " buy "}),
    ("name_padded", {"note": " Done. "}),
    ("null_as_text", {"note": "null"}),
    ("list_too_long", {"fills": FILLS * 50}),
]


def of_data(name: str, data: Any = GOOD, schema: Any = SCHEMA, **values: Any) -> Any:
    return json.loads(kit.structured(f"structured.{name}", data, schema, **values))


def of_call(name: str, data: Any = GOOD, schema: Any = SCHEMA, **values: Any) -> Any:
    return json.loads(kit.arguments(f"tools.arguments_{name}", data, schema, **values))


@pytest.mark.parametrize(("name", "changed"), BOTH)
def test_the_same_in_data_and_in_a_call(name: str, changed: Any) -> None:
    expected = json.dumps({**GOOD, **changed})
    assert json.dumps(of_data(name)) == expected
    assert json.dumps(of_call(name)) == expected


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("infinity", {"count": math.inf}),
        ("text_empty", {"side": ""}),
        ("text_entities", {"note": "Done. &amp; &#x27;more&#x27;"}),
        ("text_line_end_escaped", {"note": "Done.\\nmore"}),
        ("item_extra_key", {"fills": [{"venue": "A", "note_": "extra"}, FILLS[1]]}),
    ],
)
def test_in_a_call(name: str, changed: Any) -> None:
    assert of_call(name) == {**GOOD, **changed}


def test_a_raw_line_end_strikes_a_text_that_is_free() -> None:
    whole = kit.arguments("tools.arguments_raw_control_characters", GOOD, SCHEMA)
    assert whole == json.dumps(GOOD).replace("Done.", "Done.\n- b")
    assert kit.arguments("tools.arguments_raw_control_characters", {"side": "buy"}, SCHEMA) == '{"side": "buy\n- b"}'


@pytest.mark.parametrize("key", ["arguments", "properties", "parameters", "input"])
def test_a_wrapper(key: str) -> None:
    assert of_call("wrapped", key=key) == {key: GOOD}


def test_an_item_with_a_key_of_its_own() -> None:
    assert of_data("one_item_extra_key")["fills"] == [FILLS[0], {**FILLS[1], "note__": "extra"}]
    assert of_data("one_item_extra_key", k=1)["fills"] == [{**FILLS[0], "note_": "extra"}, FILLS[1]]
    assert of_call("item_extra_key", k=2)["fills"][0] == FILLS[0]


def test_degrees() -> None:
    assert of_data("null_as_text", word="N/A")["note"] == "N/A"
    assert of_call("null_as_text", word="None")["note"] == "None"
    assert len(of_data("list_too_long", count=11)["fills"]) == 11
    assert of_data("list_too_long", count=11)["fills"][-1] == FILLS[0]
    assert of_data("boolean_as_word", {"on": False}, None) == {"on": "no"}


def test_without_a_schema_the_first_word_is_an_enumeration_and_the_second_is_free() -> None:
    (first, _) = of_data("enum_padded", kit.DATA, None)["actions"]
    assert first == {"action": " BUY ", "ticker": "ACME", "quantity": 2}
    (first, _) = of_data("name_padded", kit.DATA, None)["actions"]
    assert first == {"action": "BUY", "ticker": " ACME ", "quantity": 2}


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("number_zero", {"a": 0, "b": -1}, "it corrupts a number above zero, and"),
        ("true_for_number", {"a": True}, "it corrupts a number, and"),
        ("boolean_as_word", {"a": 1}, "it corrupts a boolean, and"),
        ("name_padded", {"a": "word"}, "it corrupts a text that is no value of an enumeration, and"),
        ("enum_padded", {"a": "Two words."}, "it corrupts a word of an enumeration, and"),
        ("list_too_long", {"a": []}, "it corrupts a list with an item, and"),
        ("list_too_long", {"a": [1] * 100}, "it makes a list longer, to 100 items, and the list has 100. Give count="),
    ],
)
def test_refusals(name: str, data: Any, words: str) -> None:
    for play in (of_data, of_call):
        with pytest.raises(DoesNotApply) as caught:
            play(name, data, None)
        assert words in str(caught.value)


def test_an_item_of_a_list_of_objects_is_needed() -> None:
    with pytest.raises(DoesNotApply, match="it corrupts a list of objects, and"):
        of_call("item_extra_key", {"a": [1]}, None)
    with pytest.raises(DoesNotApply, match="it corrupts item 3 of a list, and the list has 2"):
        of_call("item_extra_key", k=3)
