"""One call: its id and its name, and a bad call among good ones.

``k`` counts from 1; fewer calls than that are refused by name. Where two calls are needed, a lone call is given twice.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, Play, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._message import halves
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

UNKNOWN: Final = "does_not_exist"


def _with_id(base: Healthy, call: Any, call_id: Any) -> Any:
    """Return a call with another id, where calls have one."""
    if not base.wire.has("tool_call_id"):
        return call
    alone = base.put(base.envelope(), "tool_calls", [call])
    return base.slot("tool_calls").get(base.put(alone, "tool_call_id", call_id))[0]


def twice(base: Healthy) -> list[Any]:
    """Return the first call, and the same call with another id."""
    call = base.value("tool_calls")[0]
    return [call, _with_id(base, call, "call_again")]


def several(base: Healthy) -> list[Any]:
    """Return the calls if there are two or more, else the only one twice."""
    calls: list[Any] = base.value("tool_calls")
    return calls if len(calls) > 1 else twice(base)


def same_id(base: Healthy) -> list[Any]:
    """Give the second call the id of the first."""
    first, second, *more = several(base)
    return [first, _with_id(base, second, base.value("tool_call_id")), *more]


def one_call(slot: str, change: Callable[[str], str]) -> Play:
    """Make a fault that changes a part of the function of call ``k``, among good ones."""

    def play(base: Healthy, k: int) -> Reply:
        calls = several(base)
        if k > len(calls):
            msg = f"it corrupts call {k}, and the reply has {len(calls)}. Give k= or an answer= with more tool_calls."
            raise DoesNotApply(msg)
        chosen = dataclasses.replace(base, reply=put("tool_calls", [calls[k - 1]])(base))
        one = dataclasses.replace(base, reply=put(slot, change(chosen.held(slot)))(chosen)).value("tool_calls")
        return put("tool_calls", [*calls[: k - 1], *one, *calls[k:]])(base)

    return play


def halved(text: str) -> str:
    """Return the first half of a text."""
    return halves(text)[0]


_id = functools.partial(Fault, slot="tool_call_id", draw="depends", scope="partial", wish="survive", needs="tool_calls")
_name = functools.partial(Fault, slot="function_name", draw="depends", wish="reask", needs="tool_calls")
_one = functools.partial(Fault, slot="tool_calls", draw="fresh", scope="partial", wish="drop_item", needs="tool_calls")

ROWS: Final = (
    _id(
        name="tools.id_absent",
        play=put("tool_call_id", ABSENT),
        meaning="A call has no id.",
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/895",
            "https://github.com/BerriAI/litellm/pull/33223",
            "https://github.com/langchain-ai/langchain/issues/38675",
        ),
    ),
    _id(
        name="tools.id_null",
        play=put("tool_call_id", None),
        meaning="The id of a call is null.",
        stays=_stays.INDEXED,
        sources=(
            "https://github.com/bytedance/deer-flow/issues/186",
            "https://github.com/strands-agents/harness-sdk/issues/1259",
            "https://github.com/mozilla-ai/any-llm/pull/710",
        ),
    ),
    _id(
        name="tools.id_empty",
        play=put("tool_call_id", ""),
        meaning="The id of a call is empty.",
        sources=(
            "https://github.com/langchain-ai/langchain/pull/29921",
            "https://github.com/pydantic/pydantic-ai/pull/1892",
        ),
    ),
    _id(
        name="tools.id_integer",
        play=put("tool_call_id", 0),
        meaning="The id of a call is a number.",
        sources=("https://github.com/bytedance/deer-flow/issues/186",),
    ),
    _id(
        name="tools.id_duplicate",
        play=lambda base: put("tool_calls", same_id(base))(base),
        meaning="Two calls have the same id.",
        sources=("https://github.com/smallest-inc/smallest-python-sdk/pull/118",),
    ),
    _name(
        name="tools.name_absent",
        play=put("function_name", ABSENT),
        meaning="A call has no name.",
        sources=("https://github.com/jjang-ai/vmlx/pull/244",),
    ),
    _name(
        name="tools.name_null",
        play=put("function_name", None),
        meaning="The name of a call is null.",
        stays=_stays.INDEXED,
        sources=("https://github.com/langgenius/dify-plugin-sdks/pull/82",),
    ),
    _name(
        name="tools.name_empty",
        play=put("function_name", ""),
        meaning="The name of a call is empty.",
        sources=("https://github.com/jjang-ai/vmlx/pull/244",),
    ),
    _name(
        name="tools.name_unknown",
        play=put("function_name", UNKNOWN),
        meaning="The name is not one of the offered tools.",
        sources=(
            "https://github.com/run-llama/llama_index/issues/7170",
            "https://github.com/openai/openai-agents-python/pull/3402",
            "https://github.com/deepset-ai/haystack/issues/11754",
        ),
    ),
    _name(
        name="tools.name_case",
        play=rewrite("function_name", lambda name: name.lower() if name.isupper() else name.upper()),
        meaning="The name has another case than the offered tool.",
        sources=("https://github.com/run-llama/llama_index/issues/7170",),
    ),
    _name(
        name="tools.name_prefixed",
        play=rewrite("function_name", lambda name: f"functions.{name}"),
        meaning="The name has a prefix that the offered tool does not have.",
        sources=(
            "https://github.com/vybestack/llxprt-code/pull/750",
            "https://github.com/langchain-ai/langchain-google/issues/1207",
        ),
    ),
    _name(
        name="tools.name_twice",
        play=rewrite("function_name", lambda name: name + name),
        meaning="The name is written twice, joined.",
        sources=(
            "https://github.com/jin-bo/agentao/pull/117",
            "https://github.com/continuedev/continue/pull/5849",
        ),
    ),
    _one(
        name="tools.one_call_bad",
        play=one_call("arguments", halved),
        meaning="One call has broken arguments and the others are good.",
        touches=("argument_text",),
        parameters=(Parameter("k", 2, minimum=1, maximum=16),),
        sources=("https://github.com/mozilla-ai/clawbolt/issues/169",),
    ),
    _one(
        name="tools.one_call_unknown",
        play=one_call("function_name", lambda _: UNKNOWN),
        meaning="One call names an unknown tool and the others are good.",
        parameters=(Parameter("k", 2, minimum=1, maximum=16),),
        sources=(
            "https://github.com/run-llama/llama_index/issues/7170",
            "https://github.com/mozilla-ai/clawbolt/issues/169",
        ),
    ),
    Fault(
        name="tools.same_call_twice",
        play=lambda base: put("tool_calls", twice(base))(base),
        slot="tool_calls",
        draw="depends",
        scope="partial",
        wish="survive",
        needs="tool_calls",
        meaning="The same call comes twice with two ids.",
        sources=("https://github.com/NousResearch/hermes-agent/issues/67829",),
    ),
)
