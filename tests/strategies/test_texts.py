"""Texts of a schema: valid ones among them, and what cannot be made valid is said by name."""

from __future__ import annotations

import re
from typing import Any, Final

import pydantic
import pytest
from hypothesis import Phase, given, settings
from hypothesis.strategies import SearchStrategy

from pytest_llmfaults import strategies
from pytest_llmfaults._schema import example
from pytest_llmfaults._strategies.validity import lacks
from pytest_llmfaults.errors import InvalidUse

DRAWN: Final = 200


class Order(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", strict=True)

    code: str = pydantic.Field(pattern="^[A-Z]{3}$")
    day: str = pydantic.Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")
    marks: list[str] = pydantic.Field(min_length=1)
    count: int = pydantic.Field(ge=3, le=9)


def drawn(strategy: SearchStrategy[str]) -> list[str]:
    texts: list[str] = []
    quick = settings(max_examples=DRAWN, database=None, derandomize=True, deadline=None, phases=[Phase.generate])

    @quick
    @given(strategy)
    def look(text: str) -> None:
        texts.append(text)

    look()
    return texts


def is_valid(text: str) -> bool:
    try:
        Order.model_validate_json(text)
    except pydantic.ValidationError:
        return False
    return True


TOOL: Final = {"name": "place", "description": "Place an order."}
SHAPES: Final = {
    "the schema": Order.model_json_schema(),
    "an openai tool": {"type": "function", "function": {**TOOL, "parameters": Order.model_json_schema()}},
    "an anthropic tool": {**TOOL, "input_schema": Order.model_json_schema()},
    "a flat tool": {"type": "function", **TOOL, "parameters": Order.model_json_schema()},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_arguments_of_a_tool_with_patterns_are_valid_now_and_then(shape: str) -> None:
    valid = sum(map(is_valid, drawn(strategies.tool_arguments(SHAPES[shape]))))
    assert DRAWN // 10 < valid < DRAWN // 2


@pytest.mark.parametrize("whole", [False, True], ids=["schema", "response_format"])
def test_data_with_patterns_is_valid_now_and_then(whole: bool) -> None:
    schema = Order.model_json_schema()
    given = {"type": "json_schema", "json_schema": {"name": "order", "schema": schema}} if whole else schema
    valid = sum(map(is_valid, drawn(strategies.structured_text(given))))
    assert DRAWN // 10 < valid < DRAWN // 2


def test_a_tool_without_parameters_takes_none() -> None:
    assert "{}" in drawn(strategies.tool_arguments({"type": "function", "function": {"name": "now"}}))


PATTERNS: Final = (
    "^[A-Z]{3}$",
    r"^\d{4}-\d{2}$",
    r"^(foo|bar)+\.[^a-z]$",
    r"^\S+@\S+\.\w{2,}$",
    "x",
    r"^([ab])\1$",
    "^#[0-9a-fA-F]{6}$",
    r"^[^\W\d]+\D?$",
    "^[^a]b*?.{5,}$",
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_an_example_has_its_pattern(pattern: str) -> None:
    assert re.search(pattern, example({"type": "string", "pattern": pattern}))
    longer = example({"type": "string", "pattern": "^[a-z]+$", "minLength": 9, "maxLength": 9})
    assert re.fullmatch("[a-z]{9}", longer)


def within(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, "required": ["a"]}


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "strng"}, "type='strng'"),
        ({"enum": []}, "enum=[]"),
        ({"type": "integer", "minimum": 5, "maximum": 1}, "minimum=5"),
        ({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 1}, "exclusiveMinimum=1"),
        ({"type": "string", "pattern": "["}, "pattern='['"),
        ({"type": "string", "pattern": "^(?!a)[a-z]$"}, "pattern='^(?!a)[a-z]$'"),
        ({"type": "string", "pattern": "^a$", "minLength": 2}, "pattern='^a$'"),
        ({"not": {}}, "not={}"),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 3, "uniqueItems": True}, "uniqueItems=True"),
    ],
)
def test_what_cannot_be_made_valid_is_named(schema: Any, word: str) -> None:
    with pytest.raises(InvalidUse) as caught:
        strategies.structured_text(schema)
    assert f"nothing that fits {word}" in str(caught.value)
    with pytest.raises(InvalidUse, match=r"no value of it could be made.* at a was found\. Where it is possible, say"):
        strategies.tool_arguments(within(schema))


def test_an_alternative_that_cannot_be_made_is_named() -> None:
    with pytest.raises(InvalidUse, match=r"nothing that fits anyOf=\[\{'type': 'strng'\}\]"):
        strategies.structured_text({"anyOf": [{"type": "strng"}]})


def test_a_default_stands_for_what_cannot_be_made() -> None:
    schema = within({"type": "string", "pattern": "^(?!a)[a-z]$", "default": "b"})
    assert '{"a": "b"}' in drawn(strategies.tool_arguments(schema))


def test_what_is_valid_lacks_nothing() -> None:
    for schema, value in (
        ({"type": "number", "multipleOf": 0.1}, 0.3),
        ({"type": ["string", "null"], "minLength": 3}, None),
        ({"not": {"type": "string", "minLength": 3}}, "ab"),
        ({"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": False}, {"x1": 1}),
        ({"type": "array", "uniqueItems": True, "maxItems": 2}, [1, 2]),
        (Order.model_json_schema(), example(Order.model_json_schema())),
    ):
        assert list(lacks(schema, value)) == []


def test_no_number_is_no_multiple() -> None:
    assert list(lacks({"multipleOf": 7}, float("inf"))) == [((), "multipleOf", 7)]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "array"}, "schema={'type': 'array'} describes no object, and the arguments of a call are one"),
        ({"function": {"name": "x", "parameters": 3}}, "schema=3 is not a JSON schema"),
        (Order, "Give Order.model_json_schema()."),
    ],
)
def test_what_describes_no_arguments_is_refused_at_the_call(schema: Any, message: str) -> None:
    with pytest.raises(InvalidUse) as caught:
        strategies.tool_arguments(schema)
    assert message in str(caught.value)
