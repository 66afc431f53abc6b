"""Arguments of a call that parse, and are not what the offered tool takes."""

from __future__ import annotations

import functools
from typing import Any, Final

from pytest_llmfaults._faults._data import (
    OBJECT,
    TEXT,
    Kind,
    as_text,
    enum_unknown,
    extra_key,
    first,
    in_order,
    lacks,
    missing_key,
    null_value,
    on_data,
    pick,
    renamed_key,
    required,
    wrong,
)
from pytest_llmfaults._faults._edit import ABSENT, chain, with_value
from pytest_llmfaults._faults._fault import Fault
from pytest_llmfaults._faults._message import ends, halves

__all__ = ["ROWS"]


def without_last_key(arguments: Any, schema: Any) -> Any:
    """Remove the last key."""
    place = first(FILLED, arguments, schema)
    return with_value(arguments, (*place.path, list(place.value)[-1]), ABSENT)


def value_cut(arguments: Any, schema: Any) -> Any:
    """Cut the last text in half."""
    place = pick(LONG_TEXT, reversed(in_order(arguments, schema)))
    return with_value(arguments, place.path, halves(place.value)[0])


def emptied(arguments: Any, schema: Any) -> Any:
    """Remove all keys, where one is required."""
    if not required(first(OBJECT, arguments, schema)):
        words = "a required key"
        raise lacks(words)
    return {}


def other_type(value: Any) -> Any:
    """Return a value of another type: a text in an object, a number as text, 1 for anything else."""
    if isinstance(value, str):
        return {"value": value}
    return as_text(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 1


FILLED: Final = Kind("a key of an object", lambda place: OBJECT.test(place) and bool(place.value))
NESTED: Final = Kind(
    "a list or an object inside", lambda place: isinstance(place.value, (list, dict)) and place.path != ()
)
LONG_TEXT: Final = Kind("a text of two characters or more", lambda place: TEXT.test(place) and len(place.value) > 1)
VALUE: Final = Kind("a value", lambda place: place.path != ())

data = functools.partial(on_data, slot="arguments")
_kept = functools.partial(Fault, slot="arguments", draw="depends", scope="partial", wish="survive", needs="tool_calls")
_wrong = functools.partial(Fault, slot="arguments", draw="depends", wish="reask", needs="tool_calls")

ROWS: Final = (
    _kept(
        name="tools.arguments_nested_encoded",
        play=data(wrong(NESTED, as_text)),
        meaning="A value of the arguments is the JSON text of a list or object.",
        sources=(
            "https://github.com/MoonshotAI/kimi-cli/pull/2513",
            "https://github.com/anthropics/claude-agent-sdk-python/issues/510",
        ),
    ),
    Fault(
        name="tools.arguments_incomplete_length",
        play=chain(data(without_last_key), ends("length", "budget")),
        slot="arguments",
        draw="same",
        wish="surface",
        needs="tool_calls",
        meaning="The arguments are valid JSON without their last key, because the budget is used up.",
        sources=(
            "https://github.com/ahwurm/localharness/issues/77",
            "https://github.com/jaseci-labs/jac/pull/6766",
        ),
    ),
    Fault(
        name="tools.arguments_value_cut_length",
        play=chain(data(value_cut), ends("length", "budget")),
        slot="arguments",
        draw="same",
        wish="surface",
        needs="tool_calls",
        meaning="The arguments are valid JSON with half of a value, because the budget is used up.",
        sources=(
            "https://github.com/ahwurm/localharness/issues/77",
            "https://github.com/NorthlandPositronics/Cogtrix/pull/1370",
        ),
    ),
    _wrong(
        name="tools.arguments_empty_object",
        play=data(emptied),
        meaning="The arguments are an empty object although keys are required.",
        sources=("https://github.com/strands-agents/harness-sdk/pull/3638",),
    ),
    _wrong(
        name="tools.arguments_missing_key",
        play=data(missing_key),
        meaning="A required key of the arguments is missing.",
        sources=(
            "https://github.com/strands-agents/harness-sdk/pull/3638",
            "https://github.com/jaseci-labs/jac/pull/6766",
        ),
    ),
    _kept(
        name="tools.arguments_extra_key",
        play=data(extra_key),
        meaning="The arguments have a key that the schema does not have.",
        sources=("https://github.com/strands-agents/harness-sdk/pull/3638",),
    ),
    _wrong(
        name="tools.arguments_renamed_key",
        play=data(renamed_key),
        meaning="A key of the arguments has another name than the schema.",
        sources=("https://github.com/strands-agents/harness-sdk/pull/3638",),
    ),
    _wrong(
        name="tools.arguments_null_value",
        play=data(null_value),
        meaning="A required value of the arguments is null.",
        sources=("https://github.com/strands-agents/harness-sdk/pull/3638",),
    ),
    _wrong(
        name="tools.arguments_wrong_type",
        play=data(wrong(VALUE, other_type)),
        meaning="A value of the arguments has another type than the schema.",
        sources=(
            "https://github.com/MoonshotAI/kimi-cli/pull/2513",
            "https://github.com/strands-agents/harness-sdk/pull/3638",
        ),
    ),
    _wrong(
        name="tools.arguments_enum_unknown",
        play=data(enum_unknown),
        meaning="A value of the arguments is not one of the enumeration.",
        sources=("https://github.com/strands-agents/harness-sdk/pull/3638",),
    ),
)
