"""The wire ``anthropic.messages``: POST .../v1/messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._calls import Choice, calls
from pytest_llmfaults._wires._limits import Limits
from pytest_llmfaults._wires._wire import Wire
from pytest_llmfaults._wires.anthropic_limits import headers
from pytest_llmfaults._wires.anthropic_slots import SLOTS, thinking
from pytest_llmfaults._wires.anthropic_stream import STREAM, error_type

__all__ = ["ANTHROPIC_MESSAGES"]

_MODEL: Final = "claude-sonnet-5-5"
_REQUEST_ID: Final = "req_000000000000000000000001"


def _offered(request: Request) -> dict[str, Any]:
    """Return the tools that the client runs; what the provider runs has a type of its own and no schema."""
    found = {}
    for tool in request.tools:
        if isinstance(tool, dict) and isinstance(tool.get("name"), str) and tool.get("type", "custom") == "custom":
            schema = tool.get("input_schema")
            found[tool["name"]] = schema if isinstance(schema, dict) else {"type": "object"}
    return found


def _choice(request: Request) -> Choice:
    offered = _offered(request)
    asked = request.field("tool_choice")
    asked = asked if isinstance(asked, dict) else {}
    single = asked.get("disable_parallel_tool_use") is True
    if asked.get("type") == "tool":
        known = [name for name in offered if name == asked.get("name")]
        return Choice(offered, bool(known), known or list(offered), single)
    return Choice(offered, asked.get("type") == "any", list(offered), single)


def _format_schema(request: Request) -> Any:
    config = request.field("output_config")
    inner = config.get("format") if isinstance(config, dict) else None
    wanted = inner if inner is not None else request.field("output_format")
    is_schema = isinstance(wanted, dict) and wanted.get("type") == "json_schema"
    return wanted.get("schema") if is_schema and isinstance(wanted, dict) else None


def _rendered(index: int, call: ToolCall) -> dict[str, Any]:
    call_id = call.id or f"toolu_{index + 1:024d}"
    return {"type": "tool_use", "id": call_id, "name": call.name, "input": dict(call.arguments)}


def _content(request: Request, answer: Answer) -> list[Any]:
    choice = _choice(request)
    text = choice.text(answer)
    thoughts = [] if answer.reasoning is None else [thinking(answer.reasoning)]
    said = [] if text is None else [{"type": "text", "text": text}]
    return [*thoughts, *said, *(_rendered(*one) for one in enumerate(calls(choice, answer)))]


def _envelope(request: Request, answer: Answer) -> dict[str, Any]:
    content = _content(request, answer)
    is_call = bool(content) and content[-1]["type"] == "tool_use"
    usage = answer.usage
    return {
        "id": "msg_000000000000000000000001",
        "type": "message",
        "role": "assistant",
        "model": request.model or _MODEL,
        "content": content,
        "stop_reason": answer.finish or ("tool_use" if is_call else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.prompt,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": usage.completion,
            "output_tokens_details": {"thinking_tokens": usage.reasoning},
            "service_tier": "standard",
        },
    }


def _error(status: int, message: str, _code: str | None) -> Mapping[str, Any]:
    error = {"type": error_type(status), "message": message}
    return {"type": "error", "error": error, "request_id": _REQUEST_ID}


ANTHROPIC_MESSAGES: Final = Wire(
    name="anthropic.messages",
    routes=("/v1/messages",),
    recognises=lambda request: isinstance(request.field("messages"), list),
    slots=SLOTS,
    envelope=_envelope,
    data_slot=lambda request: _choice(request).data_slot,
    wants_data=lambda request, data: _choice(request).schema(data, _format_schema(request)),
    offered=_offered,
    error=_error,
    headers=(("request-id", _REQUEST_ID),),
    environment={"ANTHROPIC_API_KEY": "placeholder-key"},
    optional={
        "": ("container", "stop_details"),
        "usage": ("cache_creation", "inference_geo", "server_tool_use"),
    },
    example={"model": _MODEL, "max_tokens": 1024, "messages": []},
    source="https://platform.claude.com/docs/en/api/messages",
    stream=STREAM,
    limits=Limits(
        headers=headers,
        refusal=lambda short: _error(429, short.message, None),
        source="https://platform.claude.com/docs/en/api/rate-limits",
    ),
)
