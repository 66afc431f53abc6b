"""Calls that the model writes into the text in place of the field for them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from pytest_llmfaults._faults._data import as_text, dumped, first_member, object_in
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._message import halves, only
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

MARKER: Final = "<|tool_call_argument_begin|>"


class Call(NamedTuple):
    """A call: its name, and its arguments as JSON text."""

    name: str
    text: str

    @property
    def texts(self) -> Mapping[str, str]:
        """The arguments by name, each as text."""
        return {key: as_text(value) for key, value in object_in(self.text).items()}


def in_text(render: Callable[[Call], str], reasoning: Callable[[Call], str] | None = None) -> Play:
    """Make a fault that writes the first call into the text, or into the reasoning, and calls nothing."""

    def play(base: Healthy) -> Reply:
        call = Call(base.value("function_name"), base.value("arguments"))
        more = [("reasoning", reasoning(call))] if reasoning else []
        return only(render(call), *more)(base)

    return play


def as_json(call: Call) -> str:
    """Write the call as a JSON object."""
    return dumped({"name": call.name, "arguments": json.loads(call.text)})


def as_tag(call: Call) -> str:
    """Write the call as JSON in a tag."""
    return f"<tool_call>\n{as_json(call)}\n</tool_call>"


def as_function(call: Call) -> str:
    """Write the call in tags for the function and its parameters."""
    parts = (f"<parameter={key}>{value}</parameter>" for key, value in call.texts.items())
    return f"<function={call.name}>{''.join(parts)}</function>"


def as_function_cut(call: Call) -> str:
    """Write the call in such tags, up to half of the first value."""
    key, value = first_member(call.text)
    return f"<function={call.name}><parameter={key}>{halves(as_text(value))[0]}"


def as_invoke(call: Call) -> str:
    """Write the call in invoke tags."""
    parts = (f'<parameter name="{key}">{value}</parameter>' for key, value in call.texts.items())
    return f'<invoke name="{call.name}">{"".join(parts)}</invoke>'


def as_kimi(call: Call) -> str:
    """Write the call between token markers."""
    begin = f"<|tool_calls_section_begin|><|tool_call_begin|>functions.{call.name}:0{MARKER}"
    return f"{begin}{call.text}<|tool_call_end|><|tool_calls_section_end|>"


def as_parameters(call: Call) -> str:
    """Write the call as a JSON object whose arguments are called parameters."""
    return dumped({"name": call.name, "parameters": json.loads(call.text)})


def as_dsml(call: Call) -> str:
    """Write the call in invoke tags that carry a marker."""
    mark = "\uff5cDSML\uff5c"
    parts = (
        f'<{mark}parameter name="{key}" string="true">{value}</{mark}parameter>\n' for key, value in call.texts.items()
    )
    invoked = f'<{mark}invoke name="{call.name}">\n{"".join(parts)}</{mark}invoke>'
    return f"<{mark}tool_calls>\n{invoked}\n</{mark}tool_calls>"


_wrong = functools.partial(Fault, slot="tool_calls", draw="depends", wish="reask", needs="tool_calls")

ROWS: Final = (
    _wrong(
        name="tools.call_in_text_json",
        play=in_text(as_json),
        meaning="The call is a JSON object in the text.",
        sources=("https://github.com/NousResearch/hermes-agent/pull/83023",),
    ),
    _wrong(
        name="tools.call_in_text_fenced",
        play=in_text(lambda call: f"```json\n{as_json(call)}\n```"),
        meaning="The call is a JSON object in a fence in the text.",
        sources=("https://github.com/NousResearch/hermes-agent/pull/83023",),
    ),
    _wrong(
        name="tools.call_in_text_tag",
        play=in_text(as_tag),
        meaning="The call is in tags in the text.",
        sources=("https://github.com/NousResearch/hermes-agent/pull/83023",),
    ),
    _wrong(
        name="tools.call_in_text_function",
        play=in_text(as_function),
        meaning="The call is in function and parameter tags in the text.",
        sources=("https://github.com/NousResearch/hermes-agent/pull/83023",),
    ),
    _wrong(
        name="tools.call_in_text_function_cut",
        play=in_text(as_function_cut),
        meaning="The call in function tags in the text is cut.",
        sources=("https://github.com/NousResearch/hermes-agent/pull/83023",),
    ),
    _wrong(
        name="tools.call_in_text_invoke",
        play=in_text(as_invoke),
        meaning="The call is in invoke tags in the text.",
        sources=(
            "https://github.com/NousResearch/hermes-agent/pull/50279",
            "https://github.com/earendil-works/pi/issues/8189",
        ),
    ),
    _wrong(
        name="tools.call_in_text_kimi",
        play=in_text(as_kimi),
        meaning="The call is in token markers in the text.",
        sources=(
            "https://github.com/vybestack/llxprt-code/pull/750",
            "https://github.com/typeclaw/typeclaw/pull/344",
        ),
    ),
    _wrong(
        name="tools.call_in_text_kimi_cut",
        play=in_text(lambda call: f"reply:0{MARKER}{call.text}<|tool_calls_section_end|>"),
        meaning="The call in token markers lost its beginning.",
        sources=("https://github.com/typeclaw/typeclaw/pull/344",),
    ),
    _wrong(
        name="tools.call_in_text_llama",
        play=in_text(as_parameters),
        meaning="The call is a JSON object in the text, with its arguments under parameters.",
        sources=(
            "https://github.com/jundot/omlx/pull/1153",
            "https://github.com/ollama/ollama/issues/13519",
        ),
    ),
    _wrong(
        name="tools.call_in_text_llama_tag",
        play=in_text(lambda call: f"<|python_tag|>{as_parameters(call)}"),
        meaning="The call is a JSON object behind a token marker in the text.",
        sources=("https://github.com/raullenchai/Rapid-MLX/pull/703",),
    ),
    _wrong(
        name="tools.call_in_text_mistral",
        play=in_text(lambda call: f"[TOOL_CALLS][{as_json(call)}]"),
        meaning="The call is in a list of JSON behind a marker in brackets in the text.",
        sources=(
            "https://github.com/theroyallab/tabbyAPI/issues/314",
            "https://github.com/vllm-project/vllm/pull/5649",
        ),
    ),
    _wrong(
        name="tools.call_in_text_dsml",
        play=in_text(as_dsml),
        meaning="The call is in invoke tags with the marker of a model family in the text.",
        sources=(
            "https://github.com/TokenRhythm/opensquilla/issues/985",
            "https://github.com/sgl-project/sglang/issues/35736",
        ),
    ),
    _wrong(
        name="tools.result_in_text",
        play=in_text(lambda call: f'{as_tag(call)}\n<tool_response>\n{{"ok": true}}\n</tool_response>\nDone.'),
        meaning="The text holds a call and a result that the model wrote itself.",
        sources=("https://github.com/kdeps/kdeps/issues/807",),
    ),
    _wrong(
        name="tools.call_in_reasoning_kimi",
        play=in_text(lambda _: "", reasoning=as_kimi),
        meaning="The call is in token markers in the reasoning.",
        sources=("https://github.com/vybestack/llxprt-code/pull/750",),
    ),
)
