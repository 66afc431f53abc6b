"""The wire ``openai.chat``: POST .../chat/completions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._request import Request
from pytest_llmfaults._schema import example
from pytest_llmfaults._wires._wire import Path, Wire

__all__ = ["OPENAI_CHAT"]

_MESSAGE: Final[Path] = ("choices", 0, "message")
_CALL: Final[Path] = (*_MESSAGE, "tool_calls", 0)

_SLOTS: Final[Mapping[str, Path]] = {
    "id": ("id",),
    "object": ("object",),
    "created": ("created",),
    "model": ("model",),
    "choices": ("choices",),
    "choice": ("choices", 0),
    "index": ("choices", 0, "index"),
    "logprobs": ("choices", 0, "logprobs"),
    "message": _MESSAGE,
    "role": (*_MESSAGE, "role"),
    "content": (*_MESSAGE, "content"),
    "refusal": (*_MESSAGE, "refusal"),
    "reasoning": (*_MESSAGE, "reasoning_content"),
    "tool_calls": (*_MESSAGE, "tool_calls"),
    "tool_call": _CALL,
    "tool_call_id": (*_CALL, "id"),
    "tool_call_type": (*_CALL, "type"),
    "function": (*_CALL, "function"),
    "function_name": (*_CALL, "function", "name"),
    "arguments": (*_CALL, "function", "arguments"),
    "finish": ("choices", 0, "finish_reason"),
    "usage": ("usage",),
    "usage_prompt": ("usage", "prompt_tokens"),
    "usage_completion": ("usage", "completion_tokens"),
    "usage_total": ("usage", "total_tokens"),
    "error": ("error",),
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


def _functions(request: Request) -> dict[str, Mapping[str, Any]]:
    return {function["name"]: function for function in map(_function, request.tools) if "name" in function}


def _forced_tool(request: Request) -> str | None:
    """Name the tool that the request's answer has to call, if it has to call one."""
    choice = request.field("tool_choice")
    offered = _functions(request)
    if choice == "required":
        return next(iter(offered), None)
    name = _function(choice).get("name")
    return name if name in offered else None


def _response_schema(request: Request) -> Any:
    wanted = request.field("response_format")
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind == "json_object":
        return {"type": "object"}
    inner = wanted.get("json_schema") if kind == "json_schema" and isinstance(wanted, dict) else None
    return inner.get("schema") if isinstance(inner, dict) else None


def _wants_data(request: Request) -> Any:
    forced = _forced_tool(request)
    if forced is not None:
        return _functions(request)[forced].get("parameters", {"type": "object"})
    return _response_schema(request)


def _data_slot(request: Request) -> str:
    return "arguments" if _forced_tool(request) is not None else "content"


def _calls(request: Request, answer: Answer) -> tuple[ToolCall, ...]:
    forced = _forced_tool(request)
    if answer.tool_calls == "offered":
        return tuple(
            ToolCall(name, example(function.get("parameters", {"type": "object"})))
            for name, function in _functions(request).items()
        )
    if answer.tool_calls:
        return tuple(call for call in answer.tool_calls if not isinstance(call, str))
    if forced is not None and answer.data is not None:
        return (ToolCall(forced, answer.data),)
    return ()


def _rendered_call(index: int, call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id or f"call_{index + 1:024d}",
        "type": "function",
        "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
    }


def _message(request: Request, answer: Answer) -> dict[str, Any]:
    calls = _calls(request, answer)
    text = answer.text
    if answer.data is not None and _data_slot(request) == "content":
        text = json.dumps(answer.data, ensure_ascii=False)
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    if calls:
        message["tool_calls"] = [_rendered_call(index, call) for index, call in enumerate(calls)]
    return message


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
                "finish_reason": answer.finish or ("tool_calls" if "tool_calls" in message else "stop"),
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
    wants_data=_wants_data,
    error=_error,
    headers=(("x-request-id", "req_00000000000000000000000000000001"),),
    environment={"OPENAI_API_KEY": "placeholder-key", "GROQ_API_KEY": "placeholder-key"},
    source="https://platform.openai.com/docs/api-reference/chat/object",
)
