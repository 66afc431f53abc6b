"""The wire ``cohere.chat``: POST .../v2/chat.

What a model says beside its calls is the plan of them, ``tool_plan``; one that thinks makes no plan, it has a block of
thoughts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._reply import Headers
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._calls import Choice, calls, functions
from pytest_llmfaults._wires._limits import Allowance, Limits
from pytest_llmfaults._wires._wire import Wire
from pytest_llmfaults._wires.cohere_slots import SLOTS, thinking
from pytest_llmfaults._wires.cohere_stream import STREAM

__all__ = ["COHERE_CHAT"]

_MODEL: Final = "command-a-03-2025"
_ID: Final = "00000000-0000-4000-8000-000000000001"
_PLAN: Final = "I will use the tools that fit."


def _choice(request: Request) -> Choice:
    """Return what a request says about tools: all or none, it cannot name one."""
    offered = functions(request)
    asked = request.field("tool_choice")
    return Choice(offered, asked == "REQUIRED", [] if asked == "NONE" else list(offered), single=False)


def _response_schema(request: Request) -> Any:
    wanted = request.field("response_format")
    if not isinstance(wanted, dict) or wanted.get("type") != "json_object":
        return None
    schema = wanted.get("json_schema")
    return schema if isinstance(schema, dict) else {"type": "object"}


def _rendered(index: int, call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
    return {"id": call.id or f"{call.name}_{index + 1:012d}", "type": "function", "function": function}


def _message(request: Request, answer: Answer) -> dict[str, Any]:
    choice = _choice(request)
    made = calls(choice, answer)
    text = choice.text(answer)
    blocks = [] if answer.reasoning is None else [thinking(answer.reasoning)]
    message: dict[str, Any] = {"role": "assistant"}
    if not made:
        blocks += [] if text is None else [{"type": "text", "text": text}]
        return {**message, "content": blocks}
    if blocks:
        message["content"] = blocks
    plan = text if blocks or text is not None else _PLAN
    if plan is not None:
        message["tool_plan"] = plan
    return {**message, "tool_calls": [_rendered(*one) for one in enumerate(made)]}


def _envelope(request: Request, answer: Answer) -> dict[str, Any]:
    message = _message(request, answer)
    counts = {"input_tokens": answer.usage.prompt, "output_tokens": answer.usage.completion}
    return {
        "id": _ID,
        "message": message,
        "finish_reason": answer.finish or ("TOOL_CALL" if "tool_calls" in message else "COMPLETE"),
        "usage": {"billed_units": dict(counts), "tokens": counts, "cached_tokens": 0},
    }


def _error(_status: int, message: str, _code: str | None) -> Mapping[str, Any]:
    return {"id": _ID, "message": message}


def _headers(allowances: Sequence[Allowance], _now: float) -> Headers:
    """Make the headers of a trial key's replies, as recorded ones have them: nothing says when there is more."""
    return tuple(
        (f"x-trial-endpoint-call-{name}", str(value))
        for one in allowances
        if one.counts == "requests"
        for name, value in (("limit", one.limit), ("remaining", one.remaining))
    )


COHERE_CHAT: Final = Wire(
    name="cohere.chat",
    routes=("/v2/chat",),
    recognises=lambda request: isinstance(request.field("messages"), list),
    slots=SLOTS,
    envelope=_envelope,
    data_slot=lambda request: _choice(request).data_slot,
    wants_data=lambda request, data: _choice(request).schema(data, _response_schema(request)),
    offered=functions,
    error=_error,
    headers=(("x-debug-trace-id", "00000000000000000000000000000001"),),
    environment={"CO_API_KEY": "placeholder-key"},
    optional={"": ("logprobs",), "message": ("citations",)},
    example={"model": _MODEL, "messages": []},
    source="https://docs.cohere.com/reference/chat",
    stream=STREAM,
    limits=Limits(
        headers=_headers,
        refusal=lambda short: _error(429, short.message, None),
        retry_after=False,
        source="https://docs.cohere.com/docs/rate-limits",
    ),
)
