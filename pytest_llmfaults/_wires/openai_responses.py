"""The wire ``openai.responses``: POST .../responses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._request import Asks, Request
from pytest_llmfaults._wires._calls import Choice, calls
from pytest_llmfaults._wires._wire import Wire
from pytest_llmfaults._wires.openai_chat import OPENAI_CHAT
from pytest_llmfaults._wires.openai_responses_slots import SLOTS, ended, message, text_part, thinking
from pytest_llmfaults._wires.openai_responses_stream import STREAM

__all__ = ["OPENAI_RESPONSES"]

_MODEL: Final = "gpt-5"
_CREATED: Final = 1_780_000_000
_ECHOED: Final[Mapping[str, Any]] = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "truncation": "disabled",
}
"""Fields of the request that come back in the reply, and what they are where the request does not say."""


def _is_function(tool: Any) -> bool:
    return isinstance(tool, dict) and tool.get("type") == "function" and isinstance(tool.get("name"), str)


def _offered(request: Request) -> dict[str, Any]:
    """Return the functions that the client runs; what the provider runs has a type of its own and no schema."""
    functions = {tool["name"]: tool.get("parameters") for tool in request.tools if _is_function(tool)}
    return {name: schema if isinstance(schema, dict) else {"type": "object"} for name, schema in functions.items()}


def _choice(request: Request) -> Choice:
    offered, asked = _offered(request), request.field("tool_choice")
    single = request.field("parallel_tool_calls") is False
    if not isinstance(asked, dict):
        return Choice(offered, asked == "required", list(offered), single)
    allowed = asked.get("tools") if asked.get("type") == "allowed_tools" else [asked]
    given = [tool["name"] for tool in allowed if _is_function(tool)] if isinstance(allowed, list) else []
    known = [name for name in offered if name in given]
    must = bool(known) and asked.get("mode", "required") == "required"
    return Choice(offered, must, known or list(offered), single)


def _format_schema(request: Request) -> Any:
    config = request.field("text")
    wanted = config.get("format") if isinstance(config, dict) else None
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind == "json_object":
        return {"type": "object"}
    return wanted.get("schema") if kind == "json_schema" and isinstance(wanted, dict) else None


def _rendered(index: int, call: ToolCall) -> dict[str, Any]:
    return {
        "id": f"fc_{index + 1:024d}",
        "type": "function_call",
        "status": "completed",
        "arguments": json.dumps(call.arguments, ensure_ascii=False),
        "call_id": call.id or f"call_{index + 1:024d}",
        "name": call.name,
    }


def _output(request: Request, answer: Answer) -> list[Any]:
    choice = _choice(request)
    text = choice.text(answer)
    thoughts = [] if answer.reasoning is None else [thinking(answer.reasoning)]
    said = [] if text is None else [message([text_part(text)])]
    return [*thoughts, *said, *(_rendered(*one) for one in enumerate(calls(choice, answer)))]


def _tool(tool: Any) -> Any:
    """Return an offered function as the reply repeats it, and any other tool as it is."""
    return {"description": None, "parameters": None, "strict": True, **tool} if _is_function(tool) else tool


def _echo(request: Request) -> dict[str, Any]:
    """Return what of the request the reply repeats; a value of another type than the field has is left out."""
    found = {}
    for key, usual in _ECHOED.items():
        given = request.field(key)
        fits = given is not None and (usual is None or isinstance(given, type(usual)))
        found[key] = given if fits else usual
    config = found["text"]
    found["text"] = {**_ECHOED["text"], **config}
    found["tools"] = [_tool(tool) for tool in found["tools"]]
    choice = request.field("tool_choice")
    found["tool_choice"] = choice if isinstance(choice, dict) else found["tool_choice"]
    return found


def _envelope(request: Request, answer: Answer) -> dict[str, Any]:
    usage = answer.usage
    envelope = {
        "id": "resp_000000000000000000000001",
        "object": "response",
        "created_at": _CREATED,
        "status": "completed",
        "background": request.field("background") is True,
        "completed_at": _CREATED + 1,
        "error": None,
        "incomplete_details": None,
        "model": request.model or _MODEL,
        "output": _output(request, answer),
        **_echo(request),
        "usage": {
            "input_tokens": usage.prompt,
            "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 0},
            "output_tokens": usage.completion,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.prompt + usage.completion,
        },
    }
    return envelope if answer.finish is None else ended(envelope, answer.finish)


def _conversation(request: Request) -> Any:
    """Return the items of the input; one that is a text is one message of the user."""
    given = request.field("input")
    return [{"role": "user", "content": given}] if isinstance(given, str) and given else given


OPENAI_RESPONSES: Final = Wire(
    name="openai.responses",
    routes=("/responses",),
    recognises=lambda request: isinstance(request.field("input"), (str, list)),
    slots=SLOTS,
    envelope=_envelope,
    data_slot=lambda request: _choice(request).data_slot,
    wants_data=lambda request, data: _choice(request).schema(data, _format_schema(request)),
    offered=_offered,
    error=OPENAI_CHAT.error,
    headers=(("x-request-id", "req_00000000000000000000000000000001"),),
    environment={"OPENAI_API_KEY": "placeholder-key"},
    optional={
        "": ("conversation", "max_tool_calls", "prompt", "prompt_cache_key", "safety_identifier", "user"),
    },
    example={"model": _MODEL, "input": []},
    source="https://platform.openai.com/docs/api-reference/responses/object",
    stream=STREAM,
    limits=OPENAI_CHAT.limits,
    asks=Asks(messages=_conversation),
)
