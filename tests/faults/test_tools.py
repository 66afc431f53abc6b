from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults.errors import DoesNotApply
from tests.faults import kit

X: Any = kit.ARGUMENTS
A = json.dumps(X)
FUNCTION: Any = {"name": "search", "arguments": A}
CALL: Any = {"id": "call_000000000000000000000001", "type": "function", "function": FUNCTION}
TAG = f"<tool_call>\n{json.dumps({'name': 'search', 'arguments': X})}\n</tool_call>"
IN_TAGS = (
    "<function=search><parameter=query>weather today</parameter><parameter=kind>news</parameter>"
    '<parameter=limit>3</parameter><parameter=tags>["sun", "rain"]</parameter></function>'
)
INVOKED = (
    '<invoke name="search"><parameter name="query">weather today</parameter><parameter name="kind">news</parameter>'
    '<parameter name="limit">3</parameter><parameter name="tags">["sun", "rain"]</parameter></invoke>'
)
DSML = """<|DSML|tool_calls>
<|DSML|invoke name="search">
<|DSML|parameter name="query" string="true">weather today</|DSML|parameter>
<|DSML|parameter name="kind" string="true">news</|DSML|parameter>
<|DSML|parameter name="limit" string="true">3</|DSML|parameter>
<|DSML|parameter name="tags" string="true">["sun", "rain"]</|DSML|parameter>
</|DSML|invoke>
</|DSML|tool_calls>""".replace("|", "\uff5c")
KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>"
    f"{A}<|tool_call_end|><|tool_calls_section_end|>"
)


def without(value: Any, key: str) -> Any:
    return {name: part for name, part in value.items() if name != key}


def function(**changes: Any) -> Any:
    return {**CALL, "function": {**FUNCTION, **changes}}


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("calls_empty", []),
        ("calls_null", None),
        ("calls_object", CALL),
        ("calls_text", json.dumps([CALL])),
        ("calls_null_item", [None]),
        ("function_absent", [without(CALL, "function")]),
        ("function_null", [{**CALL, "function": None}]),
        ("type_absent", [without(CALL, "type")]),
        ("type_null", [{**CALL, "type": None}]),
        ("id_absent", [without(CALL, "id")]),
        ("id_null", [{**CALL, "id": None}]),
        ("id_empty", [{**CALL, "id": ""}]),
        ("id_integer", [{**CALL, "id": 0}]),
        ("id_duplicate", [CALL, CALL]),
        ("name_absent", [{**CALL, "function": {"arguments": A}}]),
        ("name_null", [function(name=None)]),
        ("name_empty", [function(name="")]),
        ("name_unknown", [function(name="does_not_exist")]),
        ("name_case", [function(name="SEARCH")]),
        ("name_prefixed", [function(name="functions.search")]),
        ("name_twice", [function(name="searchsearch")]),
        ("name_with_marker", [function(name="search<|channel|>commentary")]),
        ("same_call_twice", [CALL, {**CALL, "id": "call_again"}]),
        ("one_call_bad", [CALL, {**function(arguments=A[: len(A) // 2]), "id": "call_again"}]),
        ("one_call_unknown", [CALL, {**function(name="does_not_exist"), "id": "call_again"}]),
        ("arguments_absent", [{**CALL, "function": {"name": "search"}}]),
    ],
)
def test_calls(name: str, calls: Any) -> None:
    envelope = kit.played(f"tools.{name}", *kit.CASES["calls"])["choices"][0]
    assert envelope["message"]["tool_calls"] == calls
    assert envelope["message"]["content"] is None
    assert envelope["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("null", None),
        ("empty", ""),
        ("space", " "),
        ("object", X),
        ("list", [X]),
        ("truncated", A[: len(A) // 2]),
        ("truncated_stop", A[: len(A) // 2]),
        ("truncated_length", A[: len(A) // 2]),
        ("incomplete_length", json.dumps(without(X, "tags"))),
        ("value_cut_length", json.dumps({**X, "tags": ["sun", "ra"]})),
        ("doubled_brace", '{"' + A),
        ("bare_word", A.replace('"weather today"', "OOPS")),
        ("prose", "I will look that up."),
        ("python", 'query = """line1\nline2"""'),
        ("python_literal", repr(X)),
        ("fenced", f"```json\n{A}\n```"),
        ("trailing_comma", A[:-1] + ",}"),
        ("raw_control_characters", A.replace("today", "today\n- b")),
        ("trailing_text", f"{A}\n\nNow I will search."),
        ("twice", A + A),
        ("double_encoded", json.dumps(A)),
        ("nested_encoded", json.dumps({**X, "tags": '["sun", "rain"]'})),
        ("null_text", "null"),
        ("list_text", "[1]"),
        ("string_text", '"s"'),
        ("number_text", "1"),
        ("huge", "{" + "x" * 100_000),
        ("empty_object", "{}"),
        ("missing_key", json.dumps(without(X, "query"))),
        ("extra_key", json.dumps({**X, "note": "extra"})),
        ("renamed_key", A.replace('"query"', '"query_value"')),
        ("null_value", json.dumps({**X, "query": None})),
        ("wrong_type", json.dumps({**X, "query": {"value": "weather today"}})),
        ("enum_unknown", json.dumps({**X, "kind": "other"})),
    ],
)
def test_arguments(name: str, arguments: Any) -> None:
    assert kit.arguments(f"tools.arguments_{name}") == arguments


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("call_in_text_json", json.dumps({"name": "search", "arguments": X})),
        ("call_in_text_fenced", f"```json\n{json.dumps({'name': 'search', 'arguments': X})}\n```"),
        ("call_in_text_tag", TAG),
        ("call_in_text_function", IN_TAGS),
        ("call_in_text_function_cut", "<function=search><parameter=query>weathe"),
        ("call_in_text_invoke", INVOKED),
        ("call_in_text_kimi", KIMI),
        ("call_in_text_llama", json.dumps({"name": "search", "parameters": X})),
        ("call_in_text_llama_tag", "<|python_tag|>" + json.dumps({"name": "search", "parameters": X})),
        ("call_in_text_mistral", "[TOOL_CALLS]" + json.dumps([{"name": "search", "arguments": X}])),
        ("call_in_text_dsml", DSML),
        ("call_in_text_kimi_cut", f"reply:0<|tool_call_argument_begin|>{A}<|tool_calls_section_end|>"),
        ("result_in_text", f'{TAG}\n<tool_response>\n{{"ok": true}}\n</tool_response>\nDone.'),
    ],
)
def test_a_call_in_the_text(name: str, content: str) -> None:
    envelope = kit.played(f"tools.{name}", *kit.CASES["calls"])["choices"][0]
    assert envelope["message"] == {"role": "assistant", "content": content, "refusal": None, "annotations": []}
    assert envelope["finish_reason"] == "stop"


def test_a_call_in_the_reasoning() -> None:
    message = kit.message("tools.call_in_reasoning_kimi", "calls")
    assert (message["content"], message["reasoning_content"]) == ("", KIMI)
    assert "tool_calls" not in message


def test_the_legacy_field() -> None:
    message = kit.message("tools.function_call", "calls")
    assert message["function_call"] == FUNCTION
    assert "tool_calls" not in message
    assert kit.ending("tools.function_call", "calls")[0] == "function_call"
    assert kit.message("tools.function_call_with_reasoning", "calls")["reasoning_content"].startswith("First I look")


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("finish_stop", ("stop", 17, 0)),
        ("finish_unknown", ("other", 17, 0)),
        ("finish_tool_call", ("tool_call", 17, 0)),
        ("arguments_truncated", ("tool_calls", 17, 0)),
        ("arguments_truncated_stop", ("stop", 17, 0)),
        ("arguments_truncated_length", ("length", 90, 0)),
        ("arguments_incomplete_length", ("length", 90, 0)),
        ("arguments_value_cut_length", ("length", 90, 0)),
    ],
)
def test_endings(name: str, ending: tuple[str, int, int]) -> None:
    assert kit.ending(f"tools.{name}", "calls", max_tokens=90) == ending


def test_one_bad_call_among_good_ones() -> None:
    ask, answer = kit.CASES["two calls"]
    first, second = kit.played("tools.one_call_bad", ask, answer, k=1)["choices"][0]["message"]["tool_calls"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(first["function"]["arguments"])
    assert json.loads(second["function"]["arguments"])["query"] == "example"
    first, second = kit.played("tools.id_duplicate", ask, answer)["choices"][0]["message"]["tool_calls"]
    assert first["id"] == second["id"]
    assert (first["function"]["name"], second["function"]["name"]) == ("search", "find")


def test_calls_in_a_choice_of_their_own() -> None:
    first, second = kit.played("tools.calls_in_second_choice", *kit.CASES["calls"])["choices"]
    assert (first["index"], first["message"]["content"], first["finish_reason"]) == (0, "Let me look.", "tool_calls")
    assert "tool_calls" not in first["message"]
    assert (second["index"], second["message"]["content"]) == (1, None)
    assert second["message"]["tool_calls"] == [CALL]


def test_a_call_that_nobody_offered() -> None:
    message = kit.message("tools.unasked", "text")
    assert message["tool_calls"][0]["function"] == {"name": "search", "arguments": "{}"}
    assert message["content"] is None


def test_a_forced_call_that_does_not_come() -> None:
    ask = kit.request(tools=[kit.tool("search")], tool_choice={"type": "function", "function": {"name": "search"}})
    choice = kit.played("tools.forced_ignored", ask, Answer())["choices"][0]
    assert choice["message"]["content"] == "I will do that."
    assert "tool_calls" not in choice["message"]
    assert choice["finish_reason"] == "stop"


def test_parameters() -> None:
    assert kit.arguments("tools.arguments_truncated", at=0.25) == A[: len(A) // 4]
    assert kit.arguments("tools.arguments_huge", characters=1000) == "{" + "x" * 1000


def test_wrong_types() -> None:
    parameters = {"type": "object", "properties": {"a": {}}, "required": ["a"]}
    for good, bad in ((1, "1"), (1.5, "1.5"), (True, 1), (None, 1), ([1], 1), ({"b": 1}, 1)):
        assert json.loads(kit.arguments("tools.arguments_wrong_type", {"a": good}, parameters)) == {"a": bad}


@pytest.mark.parametrize(
    ("name", "given", "parameters", "words"),
    [
        ("arguments_empty_object", X, without(kit.SEARCH, "required"), "it corrupts a required key, and"),
        ("arguments_missing_key", X, without(kit.SEARCH, "required"), "it corrupts a required key beside other keys"),
        ("arguments_null_value", X, without(kit.SEARCH, "required"), "it corrupts a required value that may not be"),
        ("arguments_enum_unknown", {"query": "x"}, kit.SEARCH, "it corrupts a value of an enumeration, and"),
        ("arguments_nested_encoded", {"query": "x"}, kit.SEARCH, "it corrupts a list or an object inside, and"),
        ("arguments_value_cut_length", {"limit": 1}, kit.SEARCH, "it corrupts a text of two characters or more, and"),
        ("arguments_bare_word", {}, kit.SEARCH, "it corrupts a key of an object, and"),
        ("arguments_incomplete_length", {}, kit.SEARCH, "it corrupts a key of an object, and"),
        ("call_in_text_function_cut", {}, kit.SEARCH, "it corrupts a key of an object, and"),
    ],
)
def test_refusals_say_what_is_missing(name: str, given: Any, parameters: Any, words: str) -> None:
    with pytest.raises(DoesNotApply) as caught:
        kit.call(f"tools.{name}", given, parameters)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"tools.{name} does not apply to POST api.openai.com/v1/chat/completions: ")


def test_refusals_of_a_request() -> None:
    with pytest.raises(DoesNotApply, match=r"a tool call, and the request offers no tools. Offer tools, or give"):
        kit.played("tools.id_null", kit.request(), Answer())
    old = kit.request(functions=[{"name": "search"}])
    with pytest.raises(DoesNotApply, match=r"it corrupts tool_calls, and the reply calls none. Offer tools"):
        kit.played("tools.id_null", old, Answer())
    with pytest.raises(DoesNotApply, match="it ignores a tool_choice that forces a call, and the request forces none"):
        kit.played("tools.forced_ignored", *kit.CASES["calls"])
    with pytest.raises(DoesNotApply, match="it calls a tool that nobody offered, and the request offers tools"):
        kit.played("tools.unasked", *kit.CASES["calls"])
    with pytest.raises(DoesNotApply, match=r"it corrupts call 3, and the reply has 2. Give k= or an answer="):
        kit.played("tools.one_call_bad", *kit.CASES["two calls"], k=3)


def test_a_call_of_a_tool_that_nobody_offered_has_its_own_shape() -> None:
    answer = Answer(tool_calls=(ToolCall("other", {"a": "x", "b": 1}),))
    (call,) = kit.played("tools.arguments_missing_key", kit.request(), answer)["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "other", "arguments": '{"b": 1}'}


def test_an_answer_of_data_or_text_makes_way_for_calls() -> None:
    for answer in (Answer("Text."), Answer(data={"a": 1}), Answer()):
        message = kit.played("tools.id_null", kit.CASES["calls"][0], answer)["choices"][0]["message"]
        assert message["tool_calls"][0]["function"]["name"] == "search"
        assert message["content"] is None
