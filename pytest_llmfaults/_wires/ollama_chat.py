"""The wire ``ollama.chat``: POST .../api/chat.

A call has no id, its arguments are an object, and in a stream it comes whole in one line.
"""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import ollama_parts as parts
from pytest_llmfaults._wires._calls import Choice, calls, functions
from pytest_llmfaults._wires._slot import UNSAID, Path, Slot, at, value_at, with_value
from pytest_llmfaults._wires._wire import Piece

__all__ = ["OLLAMA_CHAT"]

_CALL: Final[Path] = ("message", "tool_calls", 0)
_ANY: Final = (dict, list, str, int, float)


def _choice(request: Request) -> Choice:
    """Return what a request says about tools: it cannot say that one has to be called."""
    offered = functions(request)
    return Choice(offered, must=False, names=list(offered), single=False)


def _rendered(call: ToolCall) -> dict[str, Any]:
    known = {} if call.id is None else {"id": call.id}
    return {**known, "function": {"name": call.name, "arguments": dict(call.arguments)}}


def _message(request: Request, answer: Answer) -> dict[str, Any]:
    choice = _choice(request)
    made = calls(choice, answer)
    message: dict[str, Any] = {"role": "assistant", "content": choice.text(answer) or ""}
    if answer.reasoning is not None:
        message["thinking"] = answer.reasoning
    if made:
        message["tool_calls"] = [_rendered(call) for call in made]
    return message


def _envelope(request: Request, answer: Answer) -> dict[str, Any]:
    return {
        **parts.begun(request.model),
        "message": _message(request, answer),
        "done": True,
        "done_reason": answer.finish or "stop",
        **parts.ending(answer),
    }


def _chunks(envelope: Any, _request: Request) -> list[Any]:
    """Return the lines of a stream that says what an envelope says."""
    message = envelope.get("message") if isinstance(envelope, dict) else None
    if not isinstance(message, dict):
        return [envelope]
    texts, rest = parts.untold(message, "content")
    made = message.get("tool_calls")
    called = made if isinstance(made, list) else []
    if called:
        del rest["tool_calls"]
    shared = {key: value for key, value in rest.items() if key not in {"content", "tool_calls"}}
    empty = {"content": ""} if isinstance(message.get("content"), str) else {}
    said: list[dict[str, Any]] = [*texts, *({**empty, "tool_calls": [call]} for call in called)]
    return parts.lines_of(({"message": {**shared, **part}} for part in said), {**envelope, "message": rest})


def _text(chunk: Any) -> str | None:
    text = value_at(chunk, ("message", "content"))
    return text if isinstance(text, str) and text else None


def _speaks(chunk: Any) -> bool:
    message = value_at(chunk, ("message",))
    return isinstance(message, dict) and any(message.get(key) for key in ("content", "thinking", "tool_calls"))


_STREAM: Final = parts.stream(
    chunks=_chunks,
    text=Piece(_text, lambda chunk, text: with_value(chunk, ("message", "content"), text)),
    speaks=_speaks,
)

OLLAMA_CHAT: Final = parts.wire(
    name="ollama.chat",
    routes=("/api/chat",),
    recognises=lambda request: isinstance(request.field("messages"), list),
    slots={
        **parts.COMMON,
        "message": at("message"),
        "role": at("message", "role"),
        "content": at("message", "content", words={UNSAID: ""}),
        "reasoning": at("message", "thinking"),
        "tool_calls": at("message", "tool_calls"),
        "tool_call": at(*_CALL),
        "function": at(*_CALL, "function"),
        "function_name": at(*_CALL, "function", "name"),
        "arguments": Slot(
            lambda _envelope: (*_CALL, "function", "arguments"), parsed=True, text_in_stream=False, types=_ANY
        ),
    },
    envelope=_envelope,
    offered=functions,
    optional={"": ("logprobs", "remote_model", "remote_host"), "message": ("images", "tool_name")},
    example={"model": parts.MODEL, "messages": [], "stream": False},
    source="https://docs.ollama.com/api/chat",
    stream=_STREAM,
)
