"""Arguments of a call that are no text, or whose text is no JSON object."""

from __future__ import annotations

import functools
import json
from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._data import cut, dumped, first_member, object_in, on_text
from pytest_llmfaults._faults._edit import ABSENT, chain, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._message import ends
from pytest_llmfaults._faults._tokens import change
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_MARK: Final = "\ue000"


def bare_word(whole: str) -> str:
    """Put a word without quotes for the first value of the arguments."""
    marked = {**object_in(whole), first_member(whole)[0]: _MARK}
    return dumped(marked).replace(dumped(_MARK), "OOPS")


def huge(base: Healthy, characters: int) -> Reply:
    """Put a very long text that is no JSON for the arguments."""
    return put("arguments", "{" + "x" * characters)(base)


text = functools.partial(on_text, slot="arguments")
_odd = functools.partial(Fault, slot="arguments", draw="depends", scope="partial", wish="survive", needs="tool_calls")
_kept = functools.partial(_odd, touches=("argument_text",))
_wrong = functools.partial(Fault, slot="arguments", draw="depends", wish="reask", needs="tool_calls")
_unread = functools.partial(_wrong, touches=("argument_text",))
_no_object = functools.partial(_wrong, touches=("argument_json",))

ROWS: Final = (
    _odd(
        name="tools.arguments_absent",
        play=put("arguments", ABSENT),
        meaning="A call has no arguments.",
        sources=("https://github.com/BerriAI/litellm/pull/1969",),
    ),
    _odd(
        name="tools.arguments_null",
        play=put("arguments", None),
        meaning="The arguments are null.",
        stays=_stays.INDEXED,
        sources=(
            "https://github.com/open-webui/open-webui/issues/27195",
            "https://github.com/BerriAI/litellm/pull/1969",
        ),
    ),
    _kept(
        name="tools.arguments_empty",
        play=put("arguments", ""),
        meaning="The arguments are an empty text.",
        sources=(
            "https://github.com/camel-ai/camel/issues/4338",
            "https://github.com/openai/openai-python/pull/3502",
            "https://github.com/qwersyk/Newelle/issues/429",
        ),
    ),
    _kept(
        name="tools.arguments_space",
        play=put("arguments", " "),
        meaning="The arguments are a space.",
        sources=("https://github.com/camel-ai/camel/issues/4338",),
    ),
    _odd(
        name="tools.arguments_object",
        play=rewrite("arguments", json.loads),
        meaning="The arguments are an object instead of its text.",
        sources=(
            "https://github.com/NousResearch/hermes-agent/pull/1440",
            "https://github.com/ollama/ollama-python/issues/484",
        ),
    ),
    _wrong(
        name="tools.arguments_list",
        play=rewrite("arguments", lambda text: [json.loads(text)]),
        meaning="The arguments are a list instead of a text.",
    ),
    _unread(
        name="tools.arguments_truncated",
        play=chain(text(cut), ends("tool_calls")),
        meaning="The arguments are cut and the reason says that all is well.",
        parameters=(Parameter("at", 0.5, minimum=0.05, maximum=0.95),),
        sources=(
            "https://github.com/NorthlandPositronics/Cogtrix/pull/1370",
            "https://github.com/HKUDS/nanobot/pull/5169",
            "https://github.com/camel-ai/camel/issues/4338",
        ),
    ),
    _unread(
        name="tools.arguments_truncated_stop",
        play=chain(text(cut), ends("stop")),
        meaning="The arguments are cut and the reason is stop.",
        parameters=(Parameter("at", 0.5, minimum=0.05, maximum=0.95),),
        sources=("https://github.com/QwenLM/qwen-code/pull/2021",),
    ),
    Fault(
        name="tools.arguments_truncated_length",
        play=chain(text(cut), ends("length", "budget")),
        slot="arguments",
        draw="same",
        wish="surface",
        needs="tool_calls",
        touches=("argument_text",),
        meaning="The arguments are cut because the budget is used up.",
        parameters=(Parameter("at", 0.5, minimum=0.05, maximum=0.95),),
        sources=(
            "https://github.com/jaseci-labs/jac/pull/6766",
            "https://github.com/cline/cline/issues/13001",
            "https://github.com/ahwurm/localharness/issues/77",
        ),
    ),
    _unread(
        name="tools.arguments_doubled_brace",
        play=text(lambda whole: '{"' + whole),
        meaning="The arguments start with a brace and a quote too many.",
        sources=("https://github.com/openai/openai-agents-js/pull/887",),
    ),
    _unread(
        name="tools.arguments_bare_word",
        play=text(bare_word),
        meaning="A value of the arguments is a bare word.",
        sources=("https://github.com/anthropics/anthropic-sdk-python/pull/1331",),
    ),
    _unread(
        name="tools.arguments_prose",
        play=put("arguments", "I will look that up."),
        meaning="The arguments are a sentence.",
        sources=(
            "https://github.com/run-llama/llama_index/issues/11921",
            "https://github.com/lsdefine/GenericAgent/pull/746",
        ),
    ),
    _unread(
        name="tools.arguments_python",
        play=text(lambda whole: first_member(whole)[0] + ' = """line1\nline2"""'),
        meaning="The arguments are a line of Python.",
        sources=("https://github.com/run-llama/llama_index/issues/11921",),
    ),
    _kept(
        name="tools.arguments_python_literal",
        play=text(lambda whole: repr(json.loads(whole))),
        meaning="The arguments are a Python literal.",
        sources=("https://github.com/run-llama/llama_index/issues/11921",),
    ),
    _kept(
        name="tools.arguments_fenced",
        play=text(lambda whole: f"```json\n{whole}\n```"),
        meaning="The arguments are in a fence.",
        sources=("https://github.com/crewAIInc/crewAI/pull/4641",),
    ),
    _kept(
        name="tools.arguments_trailing_comma",
        play=text(change("}", lambda _: ",}", last=True)),
        meaning="The arguments have a comma before the last brace.",
        sources=("https://github.com/ducroo/SICTIC-AI/pull/37",),
    ),
    _kept(
        name="tools.arguments_raw_control_characters",
        play=text(change("text", lambda token: token[:-1] + '\n- b"')),
        meaning="A value of the arguments holds a raw line end.",
        sources=(
            "https://github.com/rhesis-ai/rhesis/pull/2488",
            "https://github.com/livekit/agents/pull/4196",
        ),
    ),
    _kept(
        name="tools.arguments_trailing_text",
        play=text(lambda whole: f"{whole}\n\nNow I will search."),
        meaning="A sentence stands after the arguments.",
        sources=("https://github.com/librefang/librefang/pull/2995",),
    ),
    _kept(
        name="tools.arguments_twice",
        play=text(lambda whole: whole + whole),
        meaning="Two objects of arguments are joined.",
        sources=(
            "https://github.com/skye-harris/hass_local_openai_llm/issues/12",
            "https://github.com/huggingface/smolagents/pull/1958",
            "https://github.com/maximhq/bifrost/pull/6604",
        ),
    ),
    _odd(
        name="tools.arguments_double_encoded",
        play=text(dumped),
        meaning="The arguments are a JSON string that holds the arguments.",
        touches=("argument_json",),
        sources=(
            "https://github.com/livekit/agents/pull/5411",
            "https://github.com/ollama/ollama-python/issues/484",
        ),
    ),
    _unread(
        name="tools.arguments_null_text",
        play=put("arguments", "null"),
        meaning="The text of the arguments is null.",
        sources=("https://github.com/lsdefine/GenericAgent/pull/746",),
    ),
    _no_object(
        name="tools.arguments_list_text",
        play=put("arguments", "[1]"),
        meaning="The text of the arguments is a list.",
        sources=("https://github.com/lsdefine/GenericAgent/pull/746",),
    ),
    _no_object(
        name="tools.arguments_string_text",
        play=put("arguments", '"s"'),
        meaning="The text of the arguments is a JSON string.",
        sources=("https://github.com/lsdefine/GenericAgent/pull/746",),
    ),
    _no_object(
        name="tools.arguments_number_text",
        play=put("arguments", "1"),
        meaning="The text of the arguments is a number.",
        sources=("https://github.com/lsdefine/GenericAgent/pull/746",),
    ),
    _unread(
        name="tools.arguments_huge",
        play=huge,
        meaning="The arguments are a very long text that is not JSON.",
        parameters=(Parameter("characters", 100000, minimum=1000, maximum=10000000),),
        sources=("https://github.com/lsdefine/GenericAgent/pull/746",),
    ),
)
