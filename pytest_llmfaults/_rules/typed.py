"""Rules of Ollama: its server reads requests into types, and refuses what other providers take."""

from __future__ import annotations

import functools
from typing import Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._rules._rule import Breach, Rule, refuses
from pytest_llmfaults._turns import calls_of, turns

__all__ = ["ROWS"]

_FIELD: Final = "json: cannot unmarshal {what} into Go struct field ChatRequest.messages."


def _arguments_no_object(request: Request) -> Breach | None:
    for index, message in turns(request.messages):
        functions = (call.get("function") for call in calls_of(message))
        given = [function.get("arguments", {}) for function in functions if isinstance(function, dict)]
        if not all(isinstance(arguments, dict) for arguments in given):
            return Breach(f"messages[{index}] has a call whose arguments are no object", index)
    return None


def _content_no_text(request: Request) -> Breach | None:
    for index, message in turns(request.messages):
        if not isinstance(message.get("content") or "", str):
            return Breach(f"messages[{index}] has a content that is no text", index)
    return None


_typed = functools.partial(Rule, wires=("ollama.chat",))

ROWS: Final = (
    _typed(
        name="turn.arguments_object",
        broken=_arguments_no_object,
        refusal=refuses(
            _FIELD.format(what="string") + "tool_calls.function.arguments of type api.ToolCallFunctionArguments"
        ),
        meaning="The arguments of a past tool call are an object, not its text.",
        slot="arguments",
        sources=(
            "https://github.com/neuron-core/neuron-ai/issues/219",
            "https://github.com/aliasrobotics/cai/issues/76",
        ),
    ),
    _typed(
        name="turn.content_text",
        broken=_content_no_text,
        refusal=refuses(_FIELD.format(what="array") + "content of type string"),
        meaning="The content of a turn is a text, not a list of parts.",
        slot="content",
        sources=(
            "https://github.com/ollama/ollama/issues/10255",
            "https://github.com/BerriAI/litellm/issues/6808",
            "https://github.com/cline/cline/issues/363",
        ),
    ),
)
