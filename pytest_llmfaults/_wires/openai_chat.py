"""The wire ``openai.chat``: POST .../chat/completions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._calls import Choice
from pytest_llmfaults._wires._calls import calls as calls_of
from pytest_llmfaults._wires._slot import UNSAID, Path, Slot, at, with_value
from pytest_llmfaults._wires._wire import Wire
from pytest_llmfaults._wires.openai_chat_stream import STREAM
from pytest_llmfaults._wires.openai_limits import LIMITS

__all__ = ["OPENAI_CHAT", "call_id"]

_MESSAGE: Final[Path] = ("choices", 0, "message")
_CALL: Final[Path] = (*_MESSAGE, "tool_calls", 0)


def _write_filter(envelope: Any, value: Any) -> Any:
    results = {value: {"filtered": True, "severity": "high"}}
    return with_value(envelope, ("prompt_filter_results",), [{"prompt_index": 0, "content_filter_results": results}])


_SLOTS: Final[Mapping[str, Slot]] = {
    "id": at("id"),
    "object": at("object"),
    "created": at("created"),
    "model": at("model"),
    "choices": at("choices"),
    "choice": at("choices", 0),
    "index": at("choices", 0, "index"),
    "logprobs": at("choices", 0, "logprobs"),
    "message": at(*_MESSAGE),
    "delta": at("choices", 0, "delta"),
    "role": at(*_MESSAGE, "role"),
    "content": at(*_MESSAGE, "content", words={UNSAID: None}),
    "refusal": at(*_MESSAGE, "refusal"),
    "reasoning": at(*_MESSAGE, "reasoning_content"),
    "tool_calls": at(*_MESSAGE, "tool_calls"),
    "tool_call": at(*_CALL),
    "tool_call_id": at(*_CALL, "id"),
    "tool_call_type": at(*_CALL, "type"),
    "function": at(*_CALL, "function"),
    "function_name": at(*_CALL, "function", "name"),
    "arguments": at(*_CALL, "function", "arguments"),
    "legacy_call": at(*_MESSAGE, "function_call"),
    "legacy_arguments": at(*_MESSAGE, "function_call", "arguments"),
    "finish": at("choices", 0, "finish_reason"),
    "usage": at("usage"),
    "usage_prompt": at("usage", "prompt_tokens"),
    "usage_completion": at("usage", "completion_tokens"),
    "usage_reasoning": at("usage", "completion_tokens_details", "reasoning_tokens"),
    "usage_total": at("usage", "total_tokens"),
    "prompt_filter": Slot(lambda _envelope: ("prompt_filter_results",), write=_write_filter),
    "error": at("error"),
}

_ERROR_TYPES: Final[Mapping[int, str]] = {
    **dict.fromkeys((400, 401, 403, 404, 405, 409, 413, 422), "invalid_request_error"),
    **dict.fromkeys((424, 425, 499), "api_error"),
    429: "requests",
    504: "timeout_error",
}
_ERROR_TYPES_BY_CODE: Final[Mapping[str | None, str]] = {
    "insufficient_quota": "insufficient_quota",
    "credit_balance_exhausted": "billing_error",
}


def _function(tool: Any) -> Mapping[str, Any]:
    function = tool.get("function") if isinstance(tool, dict) else None
    return function if isinstance(function, dict) and isinstance(function.get("name"), str) else {}


def _legacy(request: Request) -> bool:
    """Tell whether the request offers functions in the way that came before tools."""
    return not request.tools and isinstance(request.field("functions"), list)


def _offered(request: Request) -> dict[str, Any]:
    if _legacy(request):
        functions = [_function({"function": function}) for function in request.field("functions")]
    else:
        functions = [_function(tool) for tool in request.tools]
    given = {one["name"]: one.get("parameters") for one in functions if one}
    return {name: schema if isinstance(schema, dict) else {"type": "object"} for name, schema in given.items()}


def _named(request: Request) -> tuple[bool, list[str]]:
    """Tell whether the model has to call a tool, and the names of those that it may call."""
    offered = list(_offered(request))
    choice = request.field("function_call" if _legacy(request) else "tool_choice")
    if not isinstance(choice, dict):
        return choice in {"required", "any"}, offered
    if _legacy(request):
        names, must = [choice.get("name")], True
    elif isinstance(choice.get("allowed_tools"), dict):
        allowed = choice["allowed_tools"]
        names = [_function(tool).get("name") for tool in allowed.get("tools", ())]
        must = allowed.get("mode") == "required"
    else:
        names, must = [_function(choice).get("name")], True
    known = [name for name in offered if name in names]
    return must and bool(known), known or offered


def _choice(request: Request) -> Choice:
    must, names = _named(request)
    return Choice(_offered(request), must, names, request.field("parallel_tool_calls") is False)


def _response_schema(request: Request) -> Any:
    wanted = request.field("response_format")
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind == "json_object":
        return {"type": "object"}
    inner = wanted.get("json_schema") if kind == "json_schema" and isinstance(wanted, dict) else None
    return inner.get("schema") if isinstance(inner, dict) else None


def _data_slot(request: Request) -> str:
    slot = _choice(request).data_slot
    return "legacy_arguments" if slot == "arguments" and _legacy(request) else slot


def _rendered_function(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}


def call_id(index: int) -> str:
    """Return the id of a call that the answer gives none, by its place among the calls."""
    return f"call_{index + 1:024d}"


def _rendered_call(index: int, call: ToolCall) -> dict[str, Any]:
    signed = {} if call.signature is None else {"extra_content": {"google": {"thought_signature": call.signature}}}
    return {"id": call.id or call_id(index), "type": "function", "function": _rendered_function(call), **signed}


def _message(request: Request, answer: Answer) -> dict[str, Any]:
    choice = _choice(request)
    calls = calls_of(choice, answer)
    message: dict[str, Any] = {"role": "assistant", "content": choice.text(answer), "refusal": None, "annotations": []}
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    if calls and _legacy(request):
        message["function_call"] = _rendered_function(calls[0])
    elif calls:
        message["tool_calls"] = [_rendered_call(index, call) for index, call in enumerate(calls)]
    return message


def _finish(message: Mapping[str, Any]) -> str:
    return next((word for word in ("tool_calls", "function_call") if word in message), "stop")


def _envelope(request: Request, answer: Answer) -> dict[str, Any]:
    message = _message(request, answer)
    usage = answer.usage
    return {
        "id": "chatcmpl-000000000000000000000001",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": request.model or "gpt-5",
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": answer.finish or _finish(message),
            }
        ],
        "usage": {
            "prompt_tokens": usage.prompt,
            "completion_tokens": usage.completion,
            "total_tokens": usage.prompt + usage.completion,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": usage.reasoning,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
        "service_tier": "default",
        "system_fingerprint": "fp_0000000001",
    }


def _error(status: int, message: str, code: str | None) -> dict[str, Any]:
    kind = _ERROR_TYPES_BY_CODE.get(code) or _ERROR_TYPES.get(status, "server_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


OPENAI_CHAT: Final = Wire(
    name="openai.chat",
    routes=("/chat/completions",),
    recognises=lambda request: isinstance(request.field("messages"), list),
    slots=_SLOTS,
    envelope=_envelope,
    data_slot=_data_slot,
    wants_data=lambda request, data: _choice(request).schema(data, _response_schema(request)),
    offered=_offered,
    error=_error,
    headers=(("x-request-id", "req_00000000000000000000000000000001"),),
    environment={"OPENAI_API_KEY": "placeholder-key", "GROQ_API_KEY": "placeholder-key"},
    optional={
        "": ("service_tier", "system_fingerprint"),
        "choice": ("logprobs", "stop_reason"),
        "message": ("refusal", "audio", "function_call", "reasoning_content"),
        "usage": ("prompt_tokens_details", "completion_tokens_details"),
    },
    example={"model": "gpt-5", "messages": []},
    source="https://platform.openai.com/docs/api-reference/chat/object",
    stream=STREAM,
    limits=LIMITS,
)
