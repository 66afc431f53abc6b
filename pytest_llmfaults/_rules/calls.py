"""Rules on the tool calls that a conversation holds, and on their results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._rules._rule import BEDROCK, GEMINI, MISTRAL, ON_BOTH, RESPONSES, Breach, Rule, refuses
from pytest_llmfaults._turns import (
    blocks_of,
    call_id_of,
    calls_of,
    id_of,
    is_item,
    results_of,
    role_of,
    signature_of,
    turns,
)
from pytest_llmfaults._wires import Wire

__all__ = ["ROWS"]

_ANTHROPIC: Final = "anthropic.messages"
_ELSEWHERE: Final = ("previous_response_id", "conversation")
"""Fields that name a part of the conversation that the request does not hold."""
_SIGNED: Final[Mapping[str | None, str]] = {GEMINI: "thoughtSignature in the part of its first call"}
"""Where a call is signed, on a wire of its own."""

_SHOWN: Final = 60
"""How many characters of bad arguments a person gets to see."""


def _calling(request: Request) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield the index and the calls of each assistant turn that makes some."""
    return ((index, calls) for index, message in turns(request.messages) if (calls := calls_of(message)))


def _without_result(request: Request) -> Breach | None:
    for index, calls in _calling(request):
        answered = set(_answered(request.messages, index))
        for call in calls:
            if id_of(call_id_of(call)) not in answered:
                what = f"messages[{index}] calls {call_id_of(call)!r}, and no result behind it has that id"
                return Breach(what, index)
    return None


def _answered(messages: list[Any], index: int) -> Iterator[str | None]:
    """Yield the ids of the results behind a turn: behind an item all, behind a message those directly behind it."""
    anywhere = is_item(messages[index], "function_call")
    for message in messages[index + 1 :]:
        results = results_of(message) if isinstance(message, dict) else []
        if not results and not anywhere:
            return
        yield from (id_of(given) for given, _ in results)


def _result_of_nothing(request: Request) -> Breach | None:
    if any(request.field(name) for name in _ELSEWHERE):
        return None
    known: set[str | None] = set()
    for index, message in turns(request.messages):
        known |= {id_of(call_id_of(call)) for call in calls_of(message)} - {None}
        for given, _ in results_of(message):
            if id_of(given) not in known:
                what = f"messages[{index}] has the tool_call_id {given!r}, which no call before it has"
                return Breach(what, index)
    return None


def _id_is_no_text(request: Request) -> Breach | None:
    for index, message in turns(request.messages):
        ids = [("id", call.get("id")) for call in calls_of(message)]
        if role_of(message) == "tool":
            ids.append(("tool_call_id", message.get("tool_call_id")))
        for key, value in ids:
            if id_of(value) is None:
                return Breach(f"messages[{index}] has the {key} {value!r}, which is not a text", index)
    return None


def _id_twice(request: Request) -> Breach | None:
    for index, calls in _calling(request):
        ids = [call.get("id") for call in calls]
        for number, one in enumerate(ids):
            if one in ids[:number]:
                return Breach(f"messages[{index}] has two calls with the id {one!r}", index)
    return None


def _is_object(text: Any) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (TypeError, ValueError):
        return False


def _arguments_no_object(request: Request) -> Breach | None:
    for index, calls in _calling(request):
        for call in calls:
            function = call.get("function")
            arguments = function.get("arguments") if isinstance(function, dict) else None
            if not _is_object(arguments):
                shown = repr(arguments)
                shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
                return Breach(f"messages[{index}] has a call whose arguments are no JSON object: {shown}", index)
    return None


def _unsigned(request: Request) -> Breach | None:
    """Look at the turn that is open: what comes after the last user message. Of parallel calls the first is signed."""
    asked = [index for index, one in turns(request.messages) if role_of(one) == "user" and not results_of(one)]
    for index, _ in _calling(request):
        if id_of(signature_of(request.messages[index])) is None and index > (asked[-1] if asked else -1):
            place = _SIGNED.get(request.wire, "extra_content.google.thought_signature in its first call")
            return Breach(f"messages[{index}] has no {place}", index)
    return None


def _unthought(request: Request) -> Breach | None:
    """Look at the turn that is open: what comes after the last user message that holds no results."""
    thinking = request.field("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") not in {"enabled", "adaptive"}:
        return None
    asked = [index for index, one in turns(request.messages) if role_of(one) == "user" and not results_of(one)]
    for index, message in turns(request.messages):
        thoughts = blocks_of(message, "thinking") + blocks_of(message, "redacted_thinking")
        first = message["content"][0] if calls_of(message) and isinstance(message.get("content"), list) else None
        if first is not None and first not in thoughts and index > (asked[-1] if asked else -1):
            return Breach(f"messages[{index}] calls tools and does not begin with a thinking block", index)
    return None


def _signature_refused(wire: Wire, _breach: Breach) -> Reply:
    """Answer in Gemini's form, which is a list with one error where it speaks the words of openai.chat."""
    error = {"code": 400, "message": "Function call is missing a thought_signature.", "status": "INVALID_ARGUMENT"}
    body = {"error": error}
    return Reply.json(body if wire.name in _SIGNED else [body], status=400)


ROWS: Final = (
    Rule(
        name="turn.tool_results_complete",
        broken=_without_result,
        refusal=refuses(
            "An assistant message with tool_calls must be followed by tool messages for each tool_call_id.",
            words={
                _ANTHROPIC: "messages.{index}: each tool_use block needs a tool_result block in the next message.",
                RESPONSES: "No tool output found for the function call in input[{index}].",
                BEDROCK: "Expected toolResult blocks for each toolUse block of messages.{index} in the next message.",
            },
        ),
        wires=(*ON_BOTH, RESPONSES, BEDROCK, MISTRAL),
        meaning="Each tool call has its result before the next turn.",
        slot="tool_calls",
        sources=(
            "https://github.com/anomalyco/opencode/issues/44852",
            "https://github.com/bug-ops/zeph/issues/2197",
        ),
    ),
    Rule(
        name="turn.tool_result_known",
        broken=_result_of_nothing,
        refusal=refuses(
            "A tool message must be a response to a preceding message with tool_calls.",
            words={
                _ANTHROPIC: "messages.{index}: a tool_result block has no corresponding tool_use block before it.",
                RESPONSES: "No tool call found for the function call output in input[{index}].",
                BEDROCK: "A toolResult block of messages.{index} matches no toolUse block of the turn before it.",
            },
        ),
        wires=(*ON_BOTH, RESPONSES, BEDROCK, MISTRAL),
        meaning="Each tool result belongs to a call that was made before it.",
        slot="tool_call_id",
        sources=(
            "https://github.com/smallest-inc/smallest-python-sdk/pull/118",
            "https://github.com/anomalyco/opencode/issues/44852",
        ),
    ),
    Rule(
        name="turn.tool_call_id_text",
        broken=_id_is_no_text,
        refusal=refuses("Invalid type for id: expected a string."),
        wires=("openai.chat", MISTRAL),
        meaning="The id of a tool call, in the call and in its result, is a text that is not empty.",
        slot="tool_call_id",
        sources=(
            "https://github.com/strands-agents/harness-sdk/issues/1259",
            "https://github.com/pydantic/pydantic-ai/issues/895",
        ),
    ),
    Rule(
        name="turn.tool_call_id_unique",
        broken=_id_twice,
        refusal=refuses(
            "Duplicate tool call id.", words={_ANTHROPIC: "messages.{index}: tool_use ids must be unique."}
        ),
        wires=(*ON_BOTH, MISTRAL),
        meaning="No two tool calls of a turn have the same id.",
        slot="tool_call_id",
        sources=(
            "https://github.com/openclaw/openclaw/pull/47136",
            "https://github.com/craft-ai-agents/craft-agents-oss/issues/613",
        ),
    ),
    Rule(
        name="turn.arguments_json",
        broken=_arguments_no_object,
        refusal=refuses("Arguments of a tool call must be a JSON object."),
        wires=("openai.chat", MISTRAL),
        meaning="The arguments of a past tool call are a JSON object.",
        slot="arguments",
        sources=(
            "https://github.com/vllm-project/vllm/issues/43995",
            "https://github.com/OpenHands/software-agent-sdk/issues/2887",
            "https://github.com/lsdefine/GenericAgent/pull/746",
        ),
    ),
    Rule(
        name="turn.thought_signature_required",
        broken=_unsigned,
        refusal=_signature_refused,
        meaning="The signature that came with a tool call of the open turn comes back with it.",
        slot="tool_calls",
        wires=("openai.chat", GEMINI),
        by_name=True,
        sources=(
            "https://github.com/BerriAI/litellm/issues/16893",
            "https://github.com/microsoft/autogen/issues/7136",
            "https://ai.google.dev/gemini-api/docs/thought-signatures",
        ),
    ),
    Rule(
        name="turn.thinking_required",
        broken=_unthought,
        refusal=refuses(
            "messages.{index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."
        ),
        meaning="While thinking is on, a turn with tool calls comes back with its thinking block first.",
        slot="reasoning",
        wires=(_ANTHROPIC,),
        sources=(
            "https://github.com/openai/openai-agents-python/issues/1704",
            "https://github.com/run-llama/llama_index/issues/20072",
            "https://github.com/decolua/9router/issues/2397",
        ),
    ),
)
