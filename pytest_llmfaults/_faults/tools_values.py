"""Arguments of the right shape in which one value is not what the offered tool takes."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

from pytest_llmfaults._faults import _values
from pytest_llmfaults._faults._data import NUMBER, TEXT, as_text, on_data, wrong
from pytest_llmfaults._faults._fault import Fault, Parameter
from pytest_llmfaults._faults._items import SOME_OBJECTS, added_key, one_item

__all__ = ["ROWS"]


def wrapped(arguments: Any, _schema: Any, key: str) -> Any:
    """Put the arguments under a key of their own."""
    return {key: arguments}


data = functools.partial(on_data, slot="arguments")
_kept = functools.partial(Fault, slot="arguments", draw="depends", scope="partial", wish="survive", needs="tool_calls")
_wrong = functools.partial(Fault, slot="arguments", draw="depends", wish="reask", needs="tool_calls")

ROWS: Final = (
    _wrong(
        name="tools.arguments_wrapped",
        play=data(wrapped),
        meaning="The arguments are under a key that nobody asked for.",
        parameters=(Parameter("key", "arguments", choices=("arguments", "properties", "parameters", "input")),),
        sources=(
            "https://github.com/AstrBotDevs/AstrBot/pull/10076",
            "https://github.com/timtoole02/Camelid/pull/703",
            "https://github.com/sgl-project/sglang/pull/39344",
        ),
    ),
    _wrong(
        name="tools.arguments_number_zero",
        play=data(_values.zero),
        meaning="A number of the arguments that was above zero is zero.",
        sources=("https://github.com/mims-harvard/ToolUniverse/pull/612",),
    ),
    _wrong(
        name="tools.arguments_true_for_number",
        play=data(_values.true_for_number),
        meaning="A boolean is given in place of a number of the arguments.",
        sources=("https://github.com/norrietaylor/distillery/pull/250",),
    ),
    _wrong(
        name="tools.arguments_number_as_text",
        play=data(wrong(NUMBER, as_text)),
        meaning="A number of the arguments is given as text.",
        sources=(
            "https://github.com/samchon/typia/pull/1774",
            "https://github.com/MoonshotAI/kimi-cli/pull/2513",
        ),
    ),
    _wrong(
        name="tools.arguments_number_out_of_range",
        play=data(_values.out_of_range),
        meaning="A number of the arguments is outside its bounds.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _wrong(
        name="tools.arguments_infinity",
        play=data(wrong(NUMBER, lambda _number: math.inf)),
        meaning="A number of the arguments is infinite.",
        sources=("https://github.com/langchain-ai/langchain-google/issues/1874",),
    ),
    _kept(
        name="tools.arguments_float_whole",
        play=data(_values.whole_float),
        meaning="A whole number of the arguments is given as a float without a fraction.",
        sources=(
            "https://github.com/langchain-ai/langchain-google/issues/1109",
            "https://github.com/langchain-ai/langchain-google/pull/1110",
        ),
    ),
    _wrong(
        name="tools.arguments_boolean_as_text",
        play=data(wrong(_values.BOOLEAN, as_text)),
        meaning="A boolean of the arguments is given as text.",
        sources=("https://github.com/samchon/typia/pull/1774",),
    ),
    _wrong(
        name="tools.arguments_boolean_as_word",
        play=data(_values.boolean_word),
        meaning="A boolean of the arguments is given as yes or no.",
        sources=("https://github.com/samchon/typia/pull/1774",),
    ),
    _wrong(
        name="tools.arguments_enum_case",
        play=data(_values.enum_case),
        meaning="A value of an enumeration in the arguments has another case.",
        sources=("https://github.com/posit-dev/chatlas/issues/357",),
    ),
    _wrong(
        name="tools.arguments_enum_padded",
        play=data(_values.enum_padded),
        meaning="White space stands around a value of an enumeration in the arguments.",
        sources=("https://github.com/can1357/oh-my-pi/pull/4465",),
    ),
    _kept(
        name="tools.arguments_name_padded",
        play=data(_values.name_padded),
        meaning="White space stands around a text of the arguments that is no value of an enumeration.",
        sources=("https://github.com/sgl-project/sglang/pull/20543",),
    ),
    _wrong(
        name="tools.arguments_text_empty",
        play=data(wrong(TEXT, lambda _text: "")),
        meaning="A text of the arguments is empty.",
        sources=("https://github.com/strands-agents/harness-sdk/pull/3638",),
    ),
    _wrong(
        name="tools.arguments_null_as_text",
        play=data(_values.null_word),
        meaning="A text of the arguments is the word null, or another word that means nothing.",
        parameters=(Parameter("word", "null", choices=("null", "None", "N/A")),),
        sources=("https://github.com/UKGovernmentBEIS/inspect_ai/issues/1477",),
    ),
    _kept(
        name="tools.arguments_text_entities",
        play=data(_values.entities),
        meaning="A text of the arguments has entities of HTML in place of characters.",
        sources=(
            "https://github.com/openclaw/openclaw/pull/35184",
            "https://github.com/tetsuo-ai/AgenC/pull/1280",
        ),
    ),
    _kept(
        name="tools.arguments_text_line_end_escaped",
        play=data(_values.escaped_line_end),
        meaning="A text of the arguments has a backslash and an n where a line end belongs.",
        sources=(
            "https://github.com/openclaw/openclaw/issues/14452",
            "https://github.com/openclaw/openclaw/pull/14634",
        ),
    ),
    _wrong(
        name="tools.arguments_list_too_long",
        play=data(_values.list_too_long),
        meaning="A list of the arguments is far longer than asked: its items come again and again.",
        parameters=(Parameter("count", 100, minimum=10, maximum=10000),),
        sources=("https://github.com/parsehawk/parsehawk/issues/107",),
    ),
    _kept(
        name="tools.arguments_item_extra_key",
        play=data(one_item(SOME_OBJECTS, added_key)),
        meaning="One item of a list of the arguments has a key that the schema does not have.",
        parameters=(Parameter("k", 1, minimum=1, maximum=32),),
        sources=("https://github.com/strands-agents/harness-sdk/pull/3638",),
    ),
)
