"""Data of the right shape in which one value is not what was asked for: a zero, a boolean, white space, a long list."""

from __future__ import annotations

import functools
from typing import Final

from pytest_llmfaults._faults import _values
from pytest_llmfaults._faults._data import on_data
from pytest_llmfaults._faults._fault import Fault, Parameter

__all__ = ["ROWS"]

_kept = functools.partial(Fault, slot="structured", draw="depends", scope="partial", wish="survive", needs="data")
_wrong = functools.partial(Fault, slot="structured", draw="depends", wish="reask", needs="data")

ROWS: Final = (
    _wrong(
        name="structured.number_zero",
        play=on_data(_values.zero),
        meaning="A number that was above zero is zero.",
        sources=("https://github.com/Tracer-Cloud/opensre/pull/1995",),
    ),
    _wrong(
        name="structured.true_for_number",
        play=on_data(_values.true_for_number),
        meaning="A boolean is given in place of a number.",
        sources=("https://github.com/norrietaylor/distillery/pull/250",),
    ),
    _kept(
        name="structured.float_whole",
        play=on_data(_values.whole_float),
        meaning="A whole number is given as a float without a fraction.",
        sources=("https://github.com/langchain-ai/langchain-google/issues/1109",),
    ),
    _wrong(
        name="structured.boolean_as_word",
        play=on_data(_values.boolean_word),
        meaning="A boolean is given as yes or no.",
        sources=(
            "https://github.com/langgenius/dify/issues/28086",
            "https://github.com/langchain-ai/langchain/issues/5396",
        ),
    ),
    _wrong(
        name="structured.enum_padded",
        play=on_data(_values.enum_padded),
        meaning="White space stands around a value of an enumeration.",
        sources=(
            "https://github.com/can1357/oh-my-pi/pull/4465",
            "https://github.com/pydantic/pydantic/issues/8597",
        ),
    ),
    _kept(
        name="structured.name_padded",
        play=on_data(_values.name_padded),
        meaning="White space stands around a text that is no value of an enumeration.",
        sources=("https://github.com/getsentry/sentry/pull/70392",),
    ),
    _wrong(
        name="structured.null_as_text",
        play=on_data(_values.null_word),
        meaning="A text is the word null, or another word that means nothing.",
        parameters=(Parameter("word", "null", choices=("null", "None", "N/A")),),
        sources=(
            "https://github.com/tanchongmin/strictjson/issues/11",
            "https://github.com/UKGovernmentBEIS/inspect_ai/issues/1477",
        ),
    ),
    _wrong(
        name="structured.list_too_long",
        play=on_data(_values.list_too_long),
        meaning="A list is far longer than asked: its items come again and again.",
        parameters=(Parameter("count", 100, minimum=10, maximum=10000),),
        sources=(
            "https://github.com/vllm-project/vllm-ascend/issues/13646",
            "https://github.com/parsehawk/parsehawk/issues/107",
        ),
    ),
)
