"""Data whose JSON text does not parse, or parses only with a lenient parser."""

from __future__ import annotations

import functools
import json
import math
from typing import Final

from pytest_llmfaults._faults._data import NUMBER, STRING, cut, on_data, on_text, wrong
from pytest_llmfaults._faults._edit import chain
from pytest_llmfaults._faults._fault import Fault, Parameter
from pytest_llmfaults._faults._message import ends, halves
from pytest_llmfaults._faults._tokens import change, every, trailing_commas

__all__ = ["ROWS"]

PYTHON: Final = {"true": "True", "false": "False", "null": "None"}

_kept = functools.partial(Fault, slot="structured", draw="depends", scope="partial", wish="survive", needs="data")
_lost = functools.partial(Fault, slot="structured", draw="fresh", wish="reask", needs="data")
_wrong = functools.partial(Fault, slot="structured", draw="depends", wish="reask", needs="data")

ROWS: Final = (
    _lost(
        name="structured.truncated",
        play=on_text(cut),
        meaning="The data is cut and the finish reason does not say so.",
        parameters=(Parameter("at", 0.5, minimum=0.05, maximum=0.95),),
        sources=(
            "https://github.com/juspay/neurolink/pull/1304",
            "https://github.com/BasedHardware/omi/pull/5957",
            "https://github.com/run-llama/llama_index/pull/22098",
        ),
    ),
    Fault(
        name="structured.truncated_length",
        play=chain(on_text(cut), ends("length", "budget")),
        slot="structured",
        draw="same",
        wish="surface",
        needs="data",
        meaning="The data is cut because the budget is used up.",
        parameters=(Parameter("at", 0.5, minimum=0.05, maximum=0.95),),
        sources=(
            "https://github.com/vercel/ai/pull/18770",
            "https://github.com/BasedHardware/omi/pull/5957",
            "https://github.com/stanfordnlp/dspy/pull/10126",
        ),
    ),
    Fault(
        name="structured.digit_before_length",
        play=chain(on_text(lambda text: f"1{halves(text)[0]}"), ends("length", "budget")),
        slot="structured",
        draw="same",
        wish="surface",
        needs="data",
        meaning="A digit stands before the data, which is cut because the budget is used up.",
        sources=("https://github.com/vectorize-io/hindsight/issues/1656",),
    ),
    _lost(
        name="structured.truncated_with_list_inside",
        play=chain(on_data(wrong(STRING, lambda _: "[step 1] done")), on_text(lambda text: text[:-1])),
        meaning="The data is cut, and a string in it holds a complete list.",
        sources=("https://github.com/juspay/neurolink/pull/1304",),
    ),
    _kept(
        name="structured.missing_last_brace",
        play=on_text(lambda text: text[:-1]),
        meaning="The data lacks its last brace only.",
        sources=("https://github.com/GD4AI/obsidian-llm-wiki/issues/682",),
    ),
    _lost(
        name="structured.bracket_mismatch",
        play=on_text(change("]", lambda _: "}", last=True)),
        meaning="A list in the data is closed by a brace.",
        sources=("https://github.com/GD4AI/obsidian-llm-wiki/issues/682",),
    ),
    _lost(
        name="structured.key_quote_lost_at_end",
        play=on_text(change("key", lambda key: key[:-1])),
        meaning="A key lost its closing quote.",
        sources=("https://github.com/GD4AI/obsidian-llm-wiki/issues/682",),
    ),
    _lost(
        name="structured.key_quote_lost_at_start",
        play=on_text(change("key", lambda key: key[1:])),
        meaning="A key lost its opening quote.",
        sources=("https://github.com/GD4AI/obsidian-llm-wiki/issues/682",),
    ),
    _lost(
        name="structured.unquoted_keys",
        play=on_text(every({"key"}, lambda key: key[1:-1], "a key")),
        meaning="The keys of the data have no quotes.",
        sources=("https://github.com/GD4AI/obsidian-llm-wiki/issues/682",),
    ),
    _lost(
        name="structured.lone_backslash",
        play=on_text(change("text", lambda text: '"C:\\d' + text[1:])),
        meaning="A string holds a backslash that escapes nothing.",
        sources=("https://github.com/GD4AI/obsidian-llm-wiki/issues/682",),
    ),
    _lost(
        name="structured.invalid_unicode_escape",
        play=on_text(change("text", lambda text: text[:-1] + '\\u4e"')),
        meaning="A string holds a broken escape of a character.",
        sources=("https://github.com/mem0ai/mem0/issues/4540",),
    ),
    _kept(
        name="structured.raw_control_characters",
        play=on_text(change("text", lambda text: text[:-1] + '\n\t"')),
        meaning="A string holds a raw line end.",
        sources=(
            "https://github.com/rhesis-ai/rhesis/pull/2488",
            "https://github.com/livekit/agents/pull/4196",
        ),
    ),
    _kept(
        name="structured.trailing_comma",
        play=on_text(trailing_commas),
        meaning="A comma stands before a closing bracket.",
        sources=("https://github.com/ducroo/SICTIC-AI/pull/37",),
    ),
    _lost(
        name="structured.missing_comma",
        play=on_text(change("comma of an object", lambda _: " ")),
        meaning="A comma between two keys is missing.",
        sources=("https://github.com/GD4AI/obsidian-llm-wiki/issues/682",),
    ),
    _kept(
        name="structured.comments",
        play=on_text(change("{", lambda _: "{ // the result\n")),
        meaning="The data holds a comment.",
    ),
    _kept(
        name="structured.python_constants",
        play=on_text(every(PYTHON, lambda word: PYTHON[word], "true, false or null")),
        meaning="The constants of the data are those of Python.",
        sources=("https://github.com/run-llama/llama_index/issues/11921",),
    ),
    _kept(
        name="structured.python_literal",
        play=on_text(lambda text: repr(json.loads(text))),
        meaning="The data is a Python literal.",
        sources=("https://github.com/run-llama/llama_index/issues/11921",),
    ),
    _kept(
        name="structured.smart_quotes",
        play=on_text(every({"key", "text"}, lambda text: f"\u201c{text[1:-1]}\u201d", "a key or a text")),
        meaning="The data is in typographic quotes.",
        sources=("https://github.com/GD4AI/obsidian-llm-wiki/issues/682",),
    ),
    _wrong(
        name="structured.nan",
        play=on_data(wrong(NUMBER, lambda _: math.nan)),
        meaning="A number of the data is not a number.",
    ),
    _wrong(
        name="structured.infinity",
        play=on_data(wrong(NUMBER, lambda _: math.inf)),
        meaning="A number of the data is infinite.",
    ),
)
