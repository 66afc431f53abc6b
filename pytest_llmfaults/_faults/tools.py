"""Tool calls: the list of them, and the reason that goes with them."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Final

from pytest_llmfaults._answer import ToolCall
from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._data import dumped
from pytest_llmfaults._faults._edit import ABSENT, UNSAID, Play, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._message import THOUGHT, only
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]


def unasked(base: Healthy) -> Reply:
    """Call a tool although the request offers none."""
    if base.wire.offered(base.request):
        msg = "it calls a tool that nobody offered, and the request offers tools."
        raise DoesNotApply(msg)
    called = dataclasses.replace(base.answer, text=None, data=None, tool_calls=(ToolCall("search", id="call_1"),))
    calls = dataclasses.replace(base, reply=base.wire.healthy(base.request, called)).value("tool_calls")
    return only(UNSAID, ("tool_calls", calls), finish="tool_calls")(base)


def forced_ignored(base: Healthy) -> Reply:
    """Answer with a text although the request forces a call."""
    if base.wire.data_slot(base.request) == "content":
        msg = "it ignores a tool_choice that forces a call, and the request forces none."
        raise DoesNotApply(msg)
    return only("I will do that.")(base)


def legacy(*slots: tuple[str, Any]) -> Play:
    """Make a fault that puts the call into the field that came before the list of calls."""

    def play(base: Healthy) -> Reply:
        function = base.value("function")
        return only(None, *slots, keys={"function_call": function}, finish="function_call")(base)

    return play


def calls_apart(base: Healthy) -> Reply:
    """Put the text and the calls into two choices."""
    said = put("content", "Let me look.", ("tool_calls", ABSENT))(base)
    first, second = _choice(base, said), _choice(base, base.reply)
    return put("choices", [first, {**second, "index": 1}])(base)


def _choice(base: Healthy, reply: Reply) -> Any:
    return dataclasses.replace(base, reply=reply).value("choice")


_kept = functools.partial(Fault, slot="tool_calls", draw="depends", scope="partial", wish="survive", needs="tool_calls")
_wrong = functools.partial(Fault, slot="tool_calls", draw="depends", wish="reask", needs="tool_calls")

ROWS: Final = (
    _wrong(
        name="tools.calls_empty",
        play=put("tool_calls", [], ("content", UNSAID), ("finish", "tool_calls")),
        meaning="The list of calls is empty although the reason announces calls.",
        sources=(
            "https://github.com/microsoft/autogen/pull/5223",
            "https://github.com/mastra-ai/mastra/pull/14187",
        ),
    ),
    _wrong(
        name="tools.calls_null",
        play=put("tool_calls", None, ("content", None), ("finish", "tool_calls")),
        meaning="The calls are null although the reason announces calls.",
        touches=("message", "message_fields"),
        sources=("https://github.com/askui/python-sdk/pull/278",),
    ),
    _wrong(
        name="tools.calls_object",
        play=rewrite("tool_calls", lambda calls: calls[0]),
        meaning="The calls are one object instead of a list.",
        touches=("message", "message_fields"),
    ),
    _wrong(
        name="tools.calls_text",
        play=rewrite("tool_calls", dumped),
        meaning="The calls are a JSON text instead of a list.",
        touches=("message", "message_fields"),
    ),
    _wrong(
        name="tools.calls_null_item",
        play=put("tool_calls", [None]),
        meaning="The only call is null.",
        touches=("message", "message_fields"),
        sources=("https://github.com/langchain-ai/langchain/pull/34432",),
    ),
    Fault(
        name="tools.function_absent",
        play=put("function", ABSENT),
        slot="function",
        draw="depends",
        wish="reask",
        needs="tool_calls",
        meaning="A call has no function.",
        sources=("https://github.com/langchain-ai/langchain/pull/34432",),
    ),
    Fault(
        name="tools.function_null",
        play=put("function", None),
        slot="function",
        draw="depends",
        wish="reask",
        needs="tool_calls",
        meaning="The function of a call is null.",
        stays=_stays.INDEXED,
        sources=("https://github.com/langchain-ai/langchain/pull/34432",),
    ),
    Fault(
        name="tools.type_absent",
        play=put("tool_call_type", ABSENT),
        slot="tool_call_type",
        draw="depends",
        scope="partial",
        wish="survive",
        needs="tool_calls",
        meaning="A call has no type.",
        sources=("https://github.com/BerriAI/litellm/issues/2645",),
    ),
    Fault(
        name="tools.type_null",
        play=put("tool_call_type", None),
        slot="tool_call_type",
        draw="depends",
        scope="partial",
        wish="survive",
        needs="tool_calls",
        meaning="The type of a call is null.",
        stays=_stays.INDEXED,
        sources=(
            "https://github.com/langgenius/dify-plugin-sdks/pull/82",
            "https://github.com/BerriAI/litellm/issues/2645",
        ),
    ),
    Fault(
        name="tools.unasked",
        play=unasked,
        slot="tool_calls",
        draw="depends",
        wish="reask",
        meaning="A tool is called although none was offered.",
        sources=(
            "https://github.com/run-llama/llama_index/pull/22098",
            "https://github.com/NousResearch/hermes-agent/pull/83882",
        ),
    ),
    Fault(
        name="tools.forced_ignored",
        play=forced_ignored,
        slot="tool_calls",
        draw="depends",
        wish="reask",
        meaning="The answer is a text although a call was forced.",
        sources=("https://github.com/plastic-labs/honcho/issues/716",),
    ),
    Fault(
        name="tools.finish_stop",
        play=put("finish", "stop"),
        slot="finish",
        draw="depends",
        scope="partial",
        wish="survive",
        needs="tool_calls",
        meaning="There are calls and the reason is stop.",
        sources=(
            "https://github.com/openai/openai-dotnet/issues/64",
            "https://github.com/vercel/workflow/issues/1387",
        ),
    ),
    Fault(
        name="tools.finish_unknown",
        play=put("finish", "other"),
        slot="finish",
        draw="depends",
        scope="partial",
        wish="survive",
        needs="tool_calls",
        meaning="There are calls and the reason is unknown.",
        sources=("https://github.com/vercel/workflow/issues/1387",),
    ),
    Fault(
        name="tools.finish_tool_call",
        play=put("finish", "tool_call"),
        slot="finish",
        draw="depends",
        scope="partial",
        wish="survive",
        needs="tool_calls",
        meaning="There are calls and the reason is in the singular.",
        wires=("openai.chat", "mistral.chat"),
        sources=("https://github.com/mistralai/client-python/issues/62",),
    ),
    _kept(
        name="tools.function_call",
        play=legacy(),
        meaning="The call is in the legacy field.",
        touches=("legacy_call",),
        sources=("https://github.com/tinyhumansai/opencompany/pull/1779",),
    ),
    _kept(
        name="tools.function_call_with_reasoning",
        play=legacy(("reasoning", THOUGHT)),
        meaning="The call is in the legacy field beside a thought.",
        touches=("legacy_call",),
        sources=("https://github.com/tinyhumansai/opencompany/pull/1779",),
    ),
    Fault(
        name="tools.calls_in_second_choice",
        play=calls_apart,
        meaning="The first choice has a text, and the calls are in a second one that nobody asked for.",
        slot="choices",
        draw="depends",
        scope="partial",
        wish="survive",
        needs="tool_calls",
        touches=("tool_calls",),
        sources=(
            "https://github.com/HKUDS/nanobot/pull/1555",
            "https://github.com/ericc-ch/copilot-api/pull/81",
        ),
    ),
)
