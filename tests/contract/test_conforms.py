"""Which values are known to break the schema that a request asked with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import requests

from pytest_llmfaults import Answer
from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.conforms import violates
from pytest_llmfaults._contract.study import drive, observing_baseline, studying
from pytest_llmfaults._faults import faults
from pytest_llmfaults._run import Settings

ORDER = {
    "type": "object",
    "properties": {
        "ticker": {"type": "string", "minLength": 1, "maxLength": 6},
        "quantity": {"type": "integer", "minimum": 1, "exclusiveMaximum": 100},
        "side": {"enum": ["BUY", "SELL"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["ticker"],
}
SCHEMA = {
    "$defs": {"order": ORDER},
    "type": "object",
    "properties": {"orders": {"type": "array", "items": {"$ref": "#/$defs/order"}, "maxItems": 2}},
    "additionalProperties": False,
}


def orders(*changes: dict[str, Any]) -> dict[str, Any]:
    return {"orders": [{"ticker": "ACME", **change} for change in changes]}


@pytest.mark.parametrize(
    "value",
    [
        {},
        orders({}, {"quantity": 1}),
        orders({"quantity": 1.0, "side": "BUY", "note": None}),
        orders({"note": "x", "of_its_own": [1]}),
    ],
)
def test_what_the_schema_accepts(value: Any) -> None:
    assert not violates(SCHEMA, value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "{}",
        {"orders": None},
        {"orders": [{}]},
        {"orders": [None]},
        {"others": []},
        orders({}, {}, {}),
        orders({"ticker": ""}),
        orders({"ticker": "ACMEACME"}),
        orders({"quantity": 0}),
        orders({"quantity": 100}),
        orders({"quantity": True}),
        orders({"quantity": "1"}),
        orders({"quantity": 1.5}),
        orders({"side": "HOLD"}),
        orders({"note": 3}),
        orders({"of_its_own": float("nan")}),
    ],
)
def test_what_it_does_not_accept(value: Any) -> None:
    assert violates(SCHEMA, value)


@pytest.mark.parametrize("word", [{"pattern": "^A"}, {"not": {}}, {"format": "date"}, {"type": "of the future"}])
def test_what_is_not_read_is_taken_as_kept(word: dict[str, Any]) -> None:
    assert not violates(word, "x")


def test_null_is_accepted_where_it_is_a_type() -> None:
    assert not violates({"type": ["string", "null"], "enum": ["BUY"]}, None)
    assert violates({"type": ["string", "null"], "enum": ["BUY"]}, "SELL")


def test_a_value_deeper_than_it_looks_is_taken_as_kept() -> None:
    schema = {"type": "array", "items": {"$ref": "#"}}
    value: Any = "no list"
    for _ in range(5000):
        value = [value]
    assert not violates(schema, value)


def asking(made: Callable[[Any], Any]) -> Callable[[], Any]:
    def ask() -> Any:
        asked = {"type": "json_schema", "json_schema": {"name": "orders", "schema": SCHEMA}}
        body = {"model": "gpt-5", "messages": [], "response_format": asked}
        reply = requests.post("https://gateway.example.com/v1/chat/completions", json=body, timeout=5)
        return made(reply.json()["choices"][0]["message"]["content"])

    return ask


def loaded(text: str) -> Any:
    import json

    return json.loads(text)


@pytest.mark.parametrize(
    ("made", "unfit"),
    [
        (loaded, ["structured.missing_key"]),
        (lambda text: loaded(text)["orders"], []),  # changed on the way: nothing is known of it
        (lambda text: text, []),
    ],
    ids=["as asked", "changed", "text"],
)
def test_it_is_known_only_where_the_healthy_value_fits(made: Callable[[Any], Any], unfit: list[str]) -> None:
    subject = Subject(call=asking(made), settings=Settings(), answers=Answer(data=orders({"quantity": 3})))
    rows = faults("structured.missing_key", "structured.integer_off_by_one")
    study = drive(studying(subject, rows, drive(observing_baseline(subject))))
    assert [one.fault.name for one in study.ranked_input() if one.unfit] == unfit
