from __future__ import annotations

import datetime as dt
import enum
import json
import math
import uuid
from typing import Annotated, Any, Literal

import pydantic
import pytest

from pytest_llmfaults._schema import example, fits, walk


class Side(enum.Enum):
    BUY = "buy"
    SELL = "sell"


class Fill(pydantic.BaseModel):
    venue: str
    count: Annotated[int, pydantic.Field(gt=0, le=3)]


class Limit(pydantic.BaseModel):
    kind: Literal["limit"]
    price: Annotated[float, pydantic.Field(gt=10, lt=11)]


class Market(pydantic.BaseModel):
    kind: Literal["market"]


class Order(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    id: uuid.UUID
    side: Side
    how: Annotated[Limit | Market, pydantic.Field(discriminator="kind")]
    fills: Annotated[list[Fill], pydantic.Field(min_length=2, max_length=4)]
    on: dt.date
    at: dt.datetime | None
    note: str | None = None
    tags: set[str] = set()
    names: dict[str, int]
    pair: tuple[int, str]
    ratio: Annotated[float, pydantic.Field(le=-5)]
    step: Annotated[int, pydantic.Field(multiple_of=5, gt=5)]
    code: Annotated[str, pydantic.Field(min_length=10, max_length=12)]
    flag: bool = False
    anything: Any


class Tree(pydantic.BaseModel):
    value: int
    children: list[Tree]
    parent: Tree | None


class Envelope(pydantic.BaseModel):
    trees: list[Tree]
    order: Order | None


@pytest.mark.parametrize("model", [Fill, Limit, Order, Tree, Envelope])
@pytest.mark.parametrize("items", [1, 2])
def test_an_example_is_valid_under_the_schema_of_a_model(model: type[pydantic.BaseModel], items: int) -> None:
    data = example(model.model_json_schema(), items=items)
    model.model_validate_json(json.dumps(data), strict=True)
    assert fits(model.model_json_schema(), data)


def test_an_example_shows_optional_parts_and_the_wanted_number_of_items() -> None:
    data = example(Order.model_json_schema(), items=3)
    assert data["note"] == "example"
    assert data["tags"] == ["example", "example1", "example2"]
    assert len(data["fills"]) == 3
    assert example(Order.model_json_schema(), items=9)["fills"] == data["fills"] + data["fills"][:1]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, "example"),
        (True, {}),
        ({"const": 3}, 3),
        ({"const": None}, None),
        ({"enum": ["b", "a"]}, "b"),
        ({"type": ["null", "integer"]}, 1),
        ({"type": "null"}, None),
        ({"type": "integer", "default": 7}, 7),
        ({"type": "integer", "default": "seven"}, 1),
        ({"type": "array", "items": {"type": "integer"}, "default": []}, [1]),
        ({"type": "array", "items": {"type": "integer"}, "maxItems": 0}, []),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": True}, [1, 2, 3]),
        ({"type": "array", "items": {"enum": ["x", "y"]}, "minItems": 2, "uniqueItems": True}, ["x", "y"]),
        ({"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}}, [[True]]),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, [1, "example"]),
        ({"type": "array"}, ["example"]),
        ({"type": "string", "format": "date"}, "2026-01-02"),
        ({"type": "string", "minLength": 9}, "examplexx"),
        ({"type": "string", "maxLength": 3}, "exa"),
        ({"properties": {"a": {"type": "string"}}}, {"a": "example"}),
        ({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2}, {"key_1": 1, "key_2": 1}),
        ({"oneOf": [{"type": "null"}, {"type": "boolean"}]}, True),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}, "example"),
        ({"allOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]}, {"a": 1, "b": 2}),
        ({"$ref": "#/definitions/a~1b", "definitions": {"a/b": {"type": "integer"}}}, 1),
    ],
)
def test_examples(schema: Any, value: Any) -> None:
    assert example(schema) == value


@pytest.mark.parametrize("kind", ["integer", "number"])
@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"minimum": 5},
        {"minimum": -7, "maximum": -6},
        {"maximum": -5},
        {"maximum": 0},
        {"exclusiveMaximum": 0},
        {"exclusiveMinimum": 0},
        {"exclusiveMinimum": 3, "exclusiveMaximum": 5},
        {"minimum": 0, "maximum": 1},
        {"minimum": 2, "maximum": 2},
        {"minimum": 1, "exclusiveMinimum": 4},
        {"multipleOf": 5},
        {"multipleOf": 5, "minimum": 12},
        {"multipleOf": 5, "exclusiveMinimum": 5},
        {"multipleOf": 5, "maximum": -3},
        {"multipleOf": 5, "minimum": -9, "maximum": -3},
        {"multipleOf": 5, "exclusiveMinimum": 0, "maximum": 9},
    ],
)
def test_numbers_keep_their_bounds(kind: str, bounds: dict[str, int]) -> None:
    value = example({"type": kind, **bounds})
    assert isinstance(value, int if kind == "integer" else float)
    assert bounds.get("minimum", -math.inf) <= value <= bounds.get("maximum", math.inf)
    assert bounds.get("exclusiveMinimum", -math.inf) < value < bounds.get("exclusiveMaximum", math.inf)
    assert value % bounds.get("multipleOf", value or 1) == 0


def test_a_recursion_without_an_end_ends() -> None:
    schema = {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}}
    assert example(schema) == {}
    endless = {**schema, "$defs": {"A": {**schema["$defs"]["A"], "required": ["a"]}}}  # type: ignore[index]
    assert "a" in example(endless)


@pytest.mark.parametrize(
    ("schema", "value", "good"),
    [
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, {"a": 1}, True),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, {}, False),
        ({"type": "object", "properties": {"a": {}}}, {"b": 1}, False),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": {}}, {"b": 1}, True),
        ({"type": "object"}, {"b": 1}, True),
        ({"type": "object"}, [1], False),
        ({"type": "object", "properties": {"kind": {"const": "x"}}}, {"kind": "y"}, False),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, 1.5, False),
        ({"type": "integer"}, True, False),
        ({"type": "number"}, 1, True),
        ({"type": ["string", "null"]}, None, True),
        ({"enum": [1]}, 2, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, False),
        (True, 1, True),
        (False, 1, False),
    ],
)
def test_fits(schema: Any, value: Any, good: bool) -> None:
    assert fits(schema, value) is good


def test_walk_goes_depth_first_with_the_schema_that_fits() -> None:
    schema = {
        "properties": {
            "items": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "string"}]}},
            "pair": {"prefixItems": [{"type": "integer"}], "items": {"type": "boolean"}},
        },
        "additionalProperties": {"type": "null"},
        "$defs": {"N": {"type": "number", "minimum": 0}},
    }
    found = [(path, part) for path, _, part in walk({"items": [1, "a", []], "pair": [1, True], "x": None}, schema)]
    assert found[1:] == [
        (("items",), schema["properties"]["items"]),  # type: ignore[index]
        (("items", 0), {"type": "number", "minimum": 0}),
        (("items", 1), {"type": "string"}),
        (("items", 2), {}),
        (("pair",), schema["properties"]["pair"]),  # type: ignore[index]
        (("pair", 0), {"type": "integer"}),
        (("pair", 1), {"type": "boolean"}),
        (("x",), {"type": "null"}),
    ]
