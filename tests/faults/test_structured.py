from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults.errors import DoesNotApply
from tests.faults import kit

X: Any = kit.DATA
D = json.dumps(X)
BUY, SELL = X["actions"]
FENCED = f"```json\n{D}\n```"
ORDER: Any = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "side": {"$ref": "#/$defs/Side"},
        "price": {"type": "number", "maximum": 100},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "fills": {"type": "array", "items": {"$ref": "#/$defs/Fill"}},
    },
    "required": ["side", "price", "fills"],
    "$defs": {
        "Side": {"type": "string", "enum": ["buy", "sell"]},
        "Fill": {
            "type": "object",
            "properties": {"venue": {"type": "string"}, "count": {"type": "integer"}, "side": {"$ref": "#/$defs/Side"}},
            "required": ["count"],
        },
    },
}
FILLS: Any = [{"venue": "A", "count": 1, "side": "buy"}, {"venue": "B", "count": 2, "side": "sell"}]
GOOD: Any = {"order_id": "o-1", "side": "sell", "price": 9.5, "note": "Done.", "fills": FILLS}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fenced", FENCED),
        ("fenced_no_language", f"```\n{D}\n```"),
        ("fenced_unclosed", f"```json\n{D}"),
        ("fenced_inner_fence", FENCED.replace("BUY", r"BUY```py\nx = 1\n```")),
        ("fence_empty", "```json\n```"),
        ("prose_around", f"Here is the result: {D} I hope this helps!"),
        ("prose_before", f"Here is the result:\n{D}"),
        ("prose_after", f"{D}\n\nI hope this helps!"),
        ("prose_fenced", f"Here is the result:\n\n{FENCED}\n"),
        ("prose_only", "- The first point.\n- The second point."),
        ("think_before", f"<think>First I look.</think>\n{D}"),
        ("think_fenced", f"<think>First I look.</think>\n{FENCED}"),
        ("think_with_braces", f'<think>Maybe {{"a": 1}}?</think>\n{D}'),
        ("thoughts_fenced", f"```thinking\nFirst I look.\n```\n{D}"),
        ("noise_before", f"ny\n{D}"),
        ("digit_before", f"1{D}"),
        ("tag_after", f"{D}</tool>"),
        ("bom", f"\ufeff{D}"),
        ("two_objects", D + D),
        ("two_objects_lines", f"{D}\n{D}"),
        ("double_encoded", json.dumps(D)),
    ],
)
def test_wrapping(name: str, text: str) -> None:
    assert kit.structured(f"structured.{name}") == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("truncated", D[: len(D) // 2]),
        ("truncated_length", D[: len(D) // 2]),
        ("digit_before_length", "1" + D[: len(D) // 2]),
        ("truncated_with_list_inside", D.replace("BUY", "[step 1] done")[:-1]),
        ("missing_last_brace", D[:-1]),
        ("bracket_mismatch", D[:-2] + "}}"),
        ("key_quote_lost_at_end", D.replace('"actions"', '"actions')),
        ("key_quote_lost_at_start", D.replace('"actions"', 'actions"')),
        ("lone_backslash", D.replace('"BUY"', r'"C:\dBUY"')),
        ("invalid_unicode_escape", D.replace('"BUY"', r'"BUY\u4e"')),
        ("raw_control_characters", D.replace('"BUY"', '"BUY\n\t"')),
        ("trailing_comma", D.replace("}", ",}").replace("]", ",]")),
        ("missing_comma", D.replace('"BUY",', '"BUY" ', 1)),
        ("comments", D.replace("{", "{ // the result\n", 1)),
        ("python_literal", repr(X)),
        ("nan", D.replace("2", "NaN")),
        ("infinity", D.replace("2", "Infinity")),
    ],
)
def test_syntax(name: str, text: str) -> None:
    assert kit.structured(f"structured.{name}") == text


def test_unquoted_keys() -> None:
    assert kit.structured("structured.unquoted_keys", {"a_b": "c: d", "e": [1]}) == '{a_b: "c: d", e: [1]}'


def test_smart_quotes() -> None:
    text = kit.structured("structured.smart_quotes", {"a": 'say "x"', "n": 1})
    assert text == '{\u201ca\u201d: \u201csay \\"x\\"\u201d, \u201cn\u201d: 1}'


def test_python_constants() -> None:
    text = kit.structured("structured.python_constants", {"a": True, "b": None, "c": "null", "d": False})
    assert text == '{"a": True, "b": None, "c": "null", "d": False}'


def test_commas_and_brackets_in_texts_stay() -> None:
    assert kit.structured("structured.trailing_comma", {"a": "x], y}", "b": []}) == '{"a": "x], y}", "b": [],}'
    assert kit.structured("structured.missing_comma", {"a": [1, 2], "b": "x, y"}) == '{"a": [1, 2]  "b": "x, y"}'
    assert kit.structured("structured.bracket_mismatch", {"a": [1], "b": "]"}) == '{"a": [1}, "b": "]"}'


@pytest.mark.parametrize("at", [0.05, 0.3, 0.95])
def test_truncated_at(at: float) -> None:
    assert kit.structured("structured.truncated", at=at) == D[: math.floor(at * len(D))]


def test_a_text_is_no_json_after_a_syntax_row() -> None:
    for name, reply in kit.replies("data", "structured").items():
        if name in {"structured.truncated", "structured.lone_backslash", "structured.comments", "structured.bom"}:
            with pytest.raises(ValueError, match=r"\w"):
                json.loads(json.loads(reply.body)["choices"][0]["message"]["content"])


@pytest.mark.parametrize("name", ["truncated_length", "digit_before_length", "whitespace_flood"])
def test_the_budget_is_used_up(name: str) -> None:
    assert kit.ending(f"structured.{name}", "data", max_tokens=64) == ("length", 64, 0)


def test_whitespace_flood() -> None:
    assert kit.structured("structured.whitespace_flood", count=100) == D + "\n" * 100


def test_split_object() -> None:
    assert kit.structured("structured.split_object", {"a": 1, "b": 2, "c": 3}) == '{"a": 1}{"b": 2, "c": 3}'


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("wrapped_in_list", [X]),
        ("wrapped_in_key", {"Answer": X}),
        ("unwrapped_list", [BUY, SELL]),
        ("top_null", None),
        ("top_string", "ok"),
        ("top_number", 1),
        ("empty_object", {}),
        ("empty_list", {"actions": []}),
        ("missing_key", {"actions": [{"ticker": "ACME", "quantity": 2}, SELL]}),
        ("extra_key", {**X, "note": "extra"}),
        ("renamed_key", {"actions_value": X["actions"]}),
        ("null_value", {"actions": None}),
        ("enum_case", {"actions": [{**BUY, "action": "buy"}, SELL]}),
        ("enum_unknown", {"actions": [{**BUY, "action": "other"}, SELL]}),
        ("number_as_text", {"actions": [{**BUY, "quantity": "2"}, SELL]}),
        ("number_with_unit", {"actions": [{**BUY, "quantity": "2 units"}, SELL]}),
        ("float_for_integer", {"actions": [{**BUY, "quantity": 2.5}, SELL]}),
        ("number_out_of_range", {"actions": [{**BUY, "quantity": -999999999}, SELL]}),
        ("integer_off_by_one", {"actions": [{**BUY, "quantity": 3}, SELL]}),
        ("text_as_list", {"actions": [{**BUY, "action": ["BUY"]}, SELL]}),
        ("text_empty", {"actions": [{**BUY, "action": ""}, SELL]}),
        ("list_as_text", {"actions": json.dumps([BUY, SELL])}),
        ("list_as_item", {"actions": BUY}),
        ("one_item_bad", {"actions": [BUY, {"ticker": "INIT", "quantity": 1}]}),
        ("one_item_null", {"actions": [BUY, None]}),
        ("one_item_text", {"actions": [BUY, "SELL"]}),
        ("one_item_wrong_type", {"actions": [BUY, {**SELL, "action": {"value": "SELL"}}]}),
        ("one_item_enum_unknown", {"actions": [BUY, {**SELL, "action": "other"}]}),
        ("one_item_too_long", {"actions": [BUY, {**SELL, "action": "SELL" * 25_000}]}),
        ("one_item_twice", {"actions": [BUY, SELL, SELL]}),
        ("items_as_text", {"actions": ["BUY", "SELL"]}),
    ],
)
def test_without_a_schema_the_data_has_its_own_shape(name: str, data: Any) -> None:
    assert json.loads(kit.structured(f"structured.{name}")) == data


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("missing_key", {key: GOOD[key] for key in GOOD if key != "side"}),
        ("null_value", {**GOOD, "side": None}),
        ("extra_key", {**GOOD, "note_": "extra"}),
        ("renamed_key", {"orderId" if key == "order_id" else key: value for key, value in GOOD.items()}),
        ("enum_case", {**GOOD, "side": "SELL"}),
        ("enum_unknown", {**GOOD, "side": "other"}),
        ("number_out_of_range", {**GOOD, "price": 999_999_999}),
        ("float_for_integer", {**GOOD, "fills": [{**FILLS[0], "count": 1.5}, FILLS[1]]}),
        ("one_item_bad", {**GOOD, "fills": [FILLS[0], {"venue": "B", "side": "sell"}]}),
        ("one_item_enum_unknown", {**GOOD, "fills": [FILLS[0], {**FILLS[1], "side": "other"}]}),
        ("schema_echo", ORDER),
    ],
)
def test_a_schema_says_what_is_required_and_limited(name: str, changed: Any) -> None:
    assert json.loads(kit.structured(f"structured.{name}", GOOD, ORDER)) == changed


def test_other_shapes() -> None:
    data = {"on": True, "tags": ["a", "b", "c"], "text": "ab"}
    assert json.loads(kit.structured("structured.boolean_as_text", data)) == {**data, "on": "true"}
    assert json.loads(kit.structured("structured.list_tail_in_first", data)) == {**data, "tags": ['a","b","c']}
    assert json.loads(kit.structured("structured.text_too_long", data, characters=1001))["text"] == "ab" * 500 + "a"


def test_enumerations_that_know_the_other_word() -> None:
    schema = {"type": "object", "properties": {"kind": {"enum": ["other", "news"]}}}
    assert json.loads(kit.structured("structured.enum_unknown", {"kind": "news"}, schema)) == {"kind": "other_"}


def test_outermost_comes_first() -> None:
    data = {"meta": {"id": "deep"}, "answer": "outer"}
    assert json.loads(kit.structured("structured.text_empty", data)) == {**data, "answer": ""}


@pytest.mark.parametrize("k", [1, 2])
def test_k_picks_the_item(k: int) -> None:
    items = json.loads(kit.structured("structured.one_item_null", k=k))["actions"]
    assert [index for index, item in enumerate(items, 1) if item is None] == [k]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("one_item_null(k=3)", X, "it corrupts item 3 of a list, and the list has 2. Give k= or a longer list."),
        ("one_item_null", {"a": [1]}, "it corrupts one item of a list, and the answer's data holds no list of two or"),
        ("one_item_bad", {"a": [1, 2]}, "it corrupts a list of two objects or more, and the answer's data has none."),
        ("boolean_as_text", X, "it corrupts a boolean, and the answer's data has none. Give an answer= whose data"),
        ("schema_echo", X, "it sends back the schema of the data, and the request has none."),
        ("split_object", X, "it corrupts an object of two keys or more, and the answer's data has none."),
        ("missing_key", {"a": 1}, "it corrupts a required key beside other keys, and the answer's data has none."),
        ("enum_unknown", {"a": "Some words."}, "it corrupts a value of an enumeration, and the answer's data has none"),
        ("list_as_text", [1, 2], "it corrupts a list inside, and the answer's data has none."),
        ("python_literal", [1, 2], "it changes nothing in this reply. Give answer=."),
        ("float_for_integer", {"a": 10**400}, "it corrupts a whole number, and the answer's data has none."),
        ("nan", {"a": True}, "it corrupts a number, and the answer's data has none."),
        ("unwrapped_list", [1, 2], "it corrupts a list inside, and the answer's data has none."),
        ("bracket_mismatch", {"a": 1}, "it corrupts a list, and the answer's data has none."),
        ("python_constants", {"a": 1}, "it corrupts true, false or null, and the answer's data has none."),
        ("trailing_comma", {}, "it corrupts an object or list with something in it, and the answer's data has none."),
        ("unquoted_keys", [1], "it corrupts a key, and the answer's data has none."),
    ],
)
def test_refusals_say_what_is_missing(name: str, data: Any, words: str) -> None:
    plain, _, value = name.partition("(k=")
    values = {"k": int(value[:-1])} if value else {}
    with pytest.raises(DoesNotApply) as caught:
        kit.structured(f"structured.{plain}", data, **values)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"structured.{plain} does not apply to POST api.openai.com/v1/chat/completions")


def test_a_number_that_may_have_a_fraction_is_no_integer() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "integer"}}}
    assert json.loads(kit.structured("structured.float_for_integer", {"a": 1, "b": 2}, schema)) == {"a": 1, "b": 2.5}


def test_a_required_value_that_may_be_null_is_passed_over() -> None:
    part = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    schema = {"type": "object", "properties": {"a": part, "b": {"type": "string"}}, "required": ["a", "b"]}
    data = {"a": "x", "b": "y"}
    assert json.loads(kit.structured("structured.null_value", data, schema)) == {"a": "x", "b": None}


def test_the_data_is_corrupted_where_it_goes() -> None:
    ask = kit.request(tools=[kit.tool("plan", {"type": "object"})], tool_choice="required")
    (call,) = kit.played("structured.fenced", ask, Answer(data=X))["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "plan", "arguments": FENCED}
    old = kit.request(functions=[{"name": "plan"}], function_call={"name": "plan"})
    message = kit.played("structured.fenced", old, Answer(data=X))["choices"][0]["message"]
    assert message["function_call"] == {"name": "plan", "arguments": FENCED}


def test_the_schema_is_that_of_the_tool_that_fits() -> None:
    ask = kit.request(tools=[kit.tool("search"), kit.tool("order", ORDER)], tool_choice="required")
    (call,) = kit.played("structured.missing_key", ask, Answer(data=GOOD))["choices"][0]["message"]["tool_calls"]
    assert call["function"]["name"] == "order"
    assert "side" not in json.loads(call["function"]["arguments"])


def test_an_answer_that_says_nothing_gets_data_with_two_items() -> None:
    schema = {"type": "object", "properties": {"fills": ORDER["properties"]["fills"]}, "$defs": ORDER["$defs"]}
    ask = kit.request(response_format={"type": "json_schema", "json_schema": {"schema": schema}})
    text = kit.played("structured.one_item_bad", ask, Answer())["choices"][0]["message"]["content"]
    first, second = json.loads(text)["fills"]
    assert "count" in first
    assert "count" not in second


def test_one_item_of_a_list_of_objects_though_a_list_of_texts_comes_first() -> None:
    data = {"tags": ["a", "b"], **X}
    assert json.loads(kit.structured("structured.one_item_enum_unknown", data))["actions"][1]["action"] == "other"
    assert json.loads(kit.structured("structured.one_item_null", data))["tags"] == ["a", None]
    assert json.loads(kit.structured("structured.one_item_too_long", data))["tags"][1] == "b" * 100_000


def test_a_reply_that_holds_no_text_of_data_is_refused() -> None:
    fault = CATALOGUE["structured.fenced"]
    healthy = kit.base(fault, kit.request(), Answer(data=X))
    silent = dataclasses.replace(healthy, reply=CATALOGUE["content.null"].reply(healthy))
    with pytest.raises(DoesNotApply, match="it corrupts the JSON text of structured, and the reply has none"):
        fault.reply(silent)
