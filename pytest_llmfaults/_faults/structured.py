"""Good data, in the wrong wrapping."""

from __future__ import annotations

import functools
import json
from typing import Final

from pytest_llmfaults._faults._data import STRING, dumped, lacks, on_data, on_text, wrong
from pytest_llmfaults._faults._edit import chain
from pytest_llmfaults._faults._fault import Fault, Parameter
from pytest_llmfaults._faults._message import ends

__all__ = ["ROWS"]

THINK: Final = "<think>First I look.</think>\n"


def fenced(text: str) -> str:
    """Return the text in a fence."""
    return f"```json\n{text}\n```"


def split(text: str) -> str:
    """Return the members of an object in two objects, one after the other."""
    data = json.loads(text)
    if not isinstance(data, dict) or len(data) < 2:
        words = "an object of two keys or more"
        raise lacks(words)
    members = list(data.items())
    middle = len(members) // 2
    return dumped(dict(members[:middle])) + dumped(dict(members[middle:]))


_kept = functools.partial(Fault, slot="structured", draw="depends", scope="partial", wish="survive", needs="data")
_lost = functools.partial(Fault, slot="structured", draw="fresh", wish="reask", needs="data")

ROWS: Final = (
    _kept(
        name="structured.fenced",
        play=on_text(fenced),
        meaning="The data is in a fence with its language.",
        sources=(
            "https://github.com/crewAIInc/crewAI/pull/4641",
            "https://github.com/microsoft/essex-toolkit/issues/437",
            "https://github.com/redis/agent-memory-server/issues/236",
        ),
    ),
    _kept(
        name="structured.fenced_no_language",
        play=on_text(lambda text: f"```\n{text}\n```"),
        meaning="The data is in a fence without a language.",
        sources=("https://github.com/crewAIInc/crewAI/pull/4641",),
    ),
    _kept(
        name="structured.fenced_unclosed",
        play=on_text(lambda text: f"```json\n{text}"),
        meaning="The data follows a fence that is never closed.",
        sources=("https://github.com/crewAIInc/crewAI/pull/4641",),
    ),
    _kept(
        name="structured.fenced_inner_fence",
        play=chain(on_data(wrong(STRING, lambda value: f"{value}```py\nx = 1\n```")), on_text(fenced)),
        meaning="The data is in a fence and a value holds a fence.",
        sources=("https://github.com/langchain-ai/langchain/issues/19646",),
    ),
    _lost(
        name="structured.fence_empty",
        play=on_text(lambda _text: "```json\n```"),
        meaning="The answer is a fence around nothing.",
    ),
    _kept(
        name="structured.prose_around",
        play=on_text(lambda text: f"Here is the result: {text} I hope this helps!"),
        meaning="The data stands between two sentences.",
        sources=("https://github.com/mem0ai/mem0/pull/4525",),
    ),
    _kept(
        name="structured.prose_before",
        play=on_text(lambda text: f"Here is the result:\n{text}"),
        meaning="A sentence stands before the data.",
        sources=("https://github.com/mem0ai/mem0/pull/4525",),
    ),
    _kept(
        name="structured.prose_after",
        play=on_text(lambda text: f"{text}\n\nI hope this helps!"),
        meaning="A sentence stands after the data.",
        sources=("https://github.com/mem0ai/mem0/pull/4525",),
    ),
    _kept(
        name="structured.prose_fenced",
        play=on_text(lambda text: f"Here is the result:\n\n{fenced(text)}\n"),
        meaning="A sentence stands before the data, which is in a fence.",
        sources=(
            "https://github.com/mem0ai/mem0/pull/4525",
            "https://github.com/crewAIInc/crewAI/pull/4641",
        ),
    ),
    _lost(
        name="structured.prose_only",
        play=on_text(lambda _text: "- The first point.\n- The second point."),
        meaning="The answer is prose and holds no data.",
        sources=(
            "https://github.com/plastic-labs/honcho/issues/780",
            "https://github.com/plastic-labs/honcho/issues/743",
            "https://github.com/plastic-labs/honcho/issues/797",
        ),
    ),
    _kept(
        name="structured.think_before",
        play=on_text(lambda text: f"{THINK}{text}"),
        meaning="The thoughts stand in tags before the data.",
        sources=(
            "https://github.com/plastic-labs/honcho/issues/771",
            "https://github.com/getzep/graphiti/issues/627",
        ),
    ),
    _kept(
        name="structured.think_fenced",
        play=on_text(lambda text: f"{THINK}{fenced(text)}"),
        meaning="The thoughts stand in tags before the data, which is in a fence.",
        sources=(
            "https://github.com/plastic-labs/honcho/issues/771",
            "https://github.com/getzep/graphiti/issues/627",
        ),
    ),
    _kept(
        name="structured.thoughts_fenced",
        play=on_text(lambda text: f"```thinking\nFirst I look.\n```\n{text}"),
        meaning="The thoughts stand in a fence before the data.",
        sources=("https://github.com/vectorize-io/hindsight/issues/2542",),
    ),
    _kept(
        name="structured.think_with_braces",
        play=on_text(lambda text: f'<think>Maybe {{"a": 1}}?</think>\n{text}'),
        meaning="The thoughts before the data hold an object of their own.",
        sources=("https://github.com/plastic-labs/honcho/issues/771",),
    ),
    _kept(
        name="structured.noise_before",
        play=on_text(lambda text: f"ny\n{text}"),
        meaning="A scrap of a word stands before the data.",
        sources=("https://github.com/browser-use/browser-use/issues/1321",),
    ),
    _kept(
        name="structured.digit_before",
        play=on_text(lambda text: f"1{text}"),
        meaning="A digit stands before the data.",
        sources=("https://github.com/vectorize-io/hindsight/issues/1656",),
    ),
    _kept(
        name="structured.tag_after",
        play=on_text(lambda text: f"{text}</tool>"),
        meaning="A closing tag is left after the data.",
        sources=("https://github.com/kunchenguid/no-mistakes/pull/1050",),
    ),
    _kept(
        name="structured.bom",
        play=on_text(lambda text: f"\ufeff{text}"),
        meaning="A byte order mark stands before the data.",
    ),
    _kept(
        name="structured.two_objects",
        play=on_text(lambda text: text + text),
        meaning="The data is given twice, one after the other.",
        sources=("https://github.com/letta-ai/letta/issues/177",),
    ),
    _kept(
        name="structured.two_objects_lines",
        play=on_text(lambda text: f"{text}\n{text}"),
        meaning="The data is given twice, on lines of its own.",
        sources=("https://github.com/letta-ai/letta/issues/177",),
    ),
    _kept(
        name="structured.split_object",
        play=on_text(split),
        meaning="The data is split into two objects.",
        sources=("https://github.com/kunchenguid/no-mistakes/pull/1050",),
    ),
    Fault(
        name="structured.whitespace_flood",
        play=chain(on_text(lambda text, count: text + "\n" * count), ends("length", "budget")),
        slot="structured",
        draw="same",
        scope="partial",
        wish="survive",
        needs="data",
        meaning="The data is followed by line ends until the budget is used up.",
        parameters=(Parameter("count", 4000, minimum=100, maximum=100000),),
        sources=("https://github.com/ollama/ollama/issues/2577",),
    ),
    _kept(
        name="structured.double_encoded",
        play=on_text(dumped),
        meaning="The data is a JSON string that holds the data.",
        sources=(
            "https://github.com/livekit/agents/pull/5411",
            "https://github.com/anthropics/claude-agent-sdk-python/issues/510",
        ),
    ),
)
