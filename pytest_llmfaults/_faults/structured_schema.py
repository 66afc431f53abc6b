"""Data that parses, and is not what the request asked for."""

from __future__ import annotations

import functools
from typing import Any, Final

from pytest_llmfaults._faults._data import (
    LIST,
    NUMBER,
    STRING,
    TEXT,
    Kind,
    as_text,
    enum_unknown,
    extra_key,
    first,
    missing_key,
    null_value,
    on_data,
    on_text,
    renamed_key,
    stretched,
    wrong,
)
from pytest_llmfaults._faults._fault import Fault, Parameter
from pytest_llmfaults._faults._values import BOOLEAN, INTEGER, enum_case, out_of_range
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]


def echo(_data: Any, schema: Any) -> Any:
    """Return the schema of the request."""
    if schema is None:
        msg = "it sends back the schema of the data, and the request has none."
        raise DoesNotApply(msg)
    return schema


def tail_in_first(value: list[str]) -> list[str]:
    """Return a list of texts as one text that holds them all, with the separators between them."""
    return ['","'.join(value)]


INNER_LIST: Final = Kind("a list inside", lambda place: LIST.test(place) and place.path != ())
LONG_LIST: Final = Kind("a list with an item", lambda place: LIST.test(place) and bool(place.value))
STRINGS: Final = Kind(
    "a list of two texts or more",
    lambda place: LIST.test(place) and len(place.value) > 1 and all(isinstance(item, str) for item in place.value),
)

_kept = functools.partial(Fault, slot="structured", draw="depends", scope="partial", wish="survive", needs="data")
_wrong = functools.partial(Fault, slot="structured", draw="depends", wish="reask", needs="data")

ROWS: Final = (
    _wrong(
        name="structured.wrapped_in_list",
        play=on_text(lambda text: f"[{text}]"),
        meaning="The data is the only item of a list.",
        sources=("https://github.com/lennartpollvogt/ollama-instructor/issues/6",),
    ),
    _wrong(
        name="structured.wrapped_in_key",
        play=on_data(lambda data, _schema: {"Answer": data}),
        meaning="The data is under a key that nobody asked for.",
        sources=("https://github.com/lennartpollvogt/ollama-instructor/issues/6",),
    ),
    _wrong(
        name="structured.unwrapped_list",
        play=on_data(lambda data, schema: first(INNER_LIST, data, schema).value),
        meaning="The list of the data stands where the object belongs.",
        sources=("https://github.com/lennartpollvogt/ollama-instructor/issues/6",),
    ),
    _wrong(
        name="structured.top_null",
        play=on_text(lambda _text: "null"),
        meaning="The data is null.",
        sources=(
            "https://github.com/vectorize-io/hindsight/pull/490",
            "https://github.com/lsdefine/GenericAgent/pull/746",
        ),
    ),
    _wrong(
        name="structured.top_string",
        play=on_text(lambda _text: '"ok"'),
        meaning="The data is a bare string.",
        sources=("https://github.com/vectorize-io/hindsight/pull/490",),
    ),
    _wrong(
        name="structured.top_number",
        play=on_text(lambda _text: "1"),
        meaning="The data is a bare number.",
        sources=("https://github.com/vectorize-io/hindsight/pull/490",),
    ),
    _wrong(
        name="structured.empty_object",
        play=on_text(lambda _text: "{}"),
        meaning="The data is an object without keys.",
        sources=("https://github.com/agent0ai/agent-zero/pull/1245",),
    ),
    _wrong(
        name="structured.empty_list",
        play=on_data(wrong(LONG_LIST, lambda _: [])),
        meaning="The list in the data has no items.",
        sources=("https://github.com/agent0ai/agent-zero/pull/1245",),
    ),
    _wrong(
        name="structured.schema_echo",
        play=on_data(echo),
        meaning="The schema comes back in place of the data.",
        sources=("https://github.com/getzep/graphiti/issues/912",),
    ),
    _wrong(
        name="structured.missing_key",
        play=on_data(missing_key),
        meaning="A required key is missing.",
        sources=(
            "https://github.com/SocialGouv/iterion/issues/67",
            "https://github.com/posit-dev/chatlas/issues/357",
            "https://github.com/agent0ai/agent-zero/pull/1245",
        ),
    ),
    _kept(
        name="structured.extra_key",
        play=on_data(extra_key),
        meaning="There is a key that the schema does not have.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _wrong(
        name="structured.renamed_key",
        play=on_data(renamed_key),
        meaning="A key has another name than the schema.",
        sources=("https://github.com/getzep/graphiti/pull/1773",),
    ),
    _wrong(
        name="structured.null_value",
        play=on_data(null_value),
        meaning="A required value is null.",
        sources=(
            "https://github.com/microsoft/autogen/issues/6352",
            "https://github.com/SocialGouv/iterion/issues/67",
        ),
    ),
    _wrong(
        name="structured.enum_case",
        play=on_data(enum_case),
        meaning="A value of an enumeration has another case.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _wrong(
        name="structured.enum_unknown",
        play=on_data(enum_unknown),
        meaning="A value is not one of the enumeration.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _wrong(
        name="structured.number_as_text",
        play=on_data(wrong(NUMBER, as_text)),
        meaning="A number is given as text.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _wrong(
        name="structured.number_with_unit",
        play=on_data(wrong(NUMBER, lambda value: f"{as_text(value)} units")),
        meaning="A number is given as text with a unit.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _wrong(
        name="structured.float_for_integer",
        play=on_data(wrong(INTEGER, lambda value: value + 0.5)),
        meaning="A whole number has a fraction.",
        sources=("https://github.com/BerriAI/litellm/issues/28023",),
    ),
    _wrong(
        name="structured.number_out_of_range",
        play=on_data(out_of_range),
        meaning="A number is outside its bounds.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _kept(
        name="structured.integer_off_by_one",
        play=on_data(wrong(INTEGER, lambda value: value + 1)),
        meaning="A whole number is one too large.",
        sources=("https://github.com/vectorize-io/hindsight/pull/908",),
    ),
    _wrong(
        name="structured.boolean_as_text",
        play=on_data(wrong(BOOLEAN, as_text)),
        meaning="A boolean is given as text.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _wrong(
        name="structured.text_as_list",
        play=on_data(wrong(STRING, lambda value: [value])),
        meaning="A text is given as a list.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _wrong(
        name="structured.text_empty",
        play=on_data(wrong(TEXT, lambda _: "")),
        meaning="A text is empty.",
        sources=("https://github.com/kishuxz/wherewasi/issues/68",),
    ),
    _wrong(
        name="structured.text_too_long",
        play=on_data(wrong(TEXT, stretched)),
        meaning="A text is far too long.",
        parameters=(Parameter("characters", 100000, minimum=1000, maximum=1000000),),
        sources=("https://github.com/plastic-labs/honcho/issues/569",),
    ),
    _wrong(
        name="structured.list_as_text",
        play=on_data(wrong(INNER_LIST, as_text)),
        meaning="A list is given as its JSON text.",
        sources=("https://github.com/anthropics/claude-agent-sdk-python/issues/510",),
    ),
    _wrong(
        name="structured.list_as_item",
        play=on_data(wrong(LONG_LIST, lambda value: value[0])),
        meaning="A list of one is given as its item.",
        sources=("https://github.com/anthropics/claude-agent-sdk-python/issues/510",),
    ),
    _wrong(
        name="structured.list_tail_in_first",
        play=on_data(wrong(STRINGS, tail_in_first)),
        meaning="The tail of a list of texts is inside its first item.",
        sources=("https://github.com/kishuxz/wherewasi/issues/68",),
    ),
)
