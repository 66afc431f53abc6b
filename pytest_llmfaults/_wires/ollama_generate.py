"""The wire ``ollama.generate``: POST .../api/generate. A request has one prompt and no tools."""

from __future__ import annotations

import json
from typing import Any, Final

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import ollama_parts as parts
from pytest_llmfaults._wires._slot import UNSAID, at, value_at, with_value
from pytest_llmfaults._wires._wire import Piece

__all__ = ["OLLAMA_GENERATE"]

_CONTEXT: Final = (151644, 872, 198)
"""Numbers that stand for the conversation as tokens."""


def _envelope(request: Request, answer: Answer) -> dict[str, Any]:
    text = answer.text if answer.data is None else json.dumps(answer.data, ensure_ascii=False)
    thoughts = {} if answer.reasoning is None else {"thinking": answer.reasoning}
    context = {} if request.field("raw") is True else {"context": list(_CONTEXT)}
    return {
        **parts.begun(request.model),
        "response": text or "",
        **thoughts,
        "done": True,
        "done_reason": answer.finish or "stop",
        **context,
        **parts.ending(answer),
    }


def _chunks(envelope: Any, _request: Request) -> list[Any]:
    """Return the lines of a stream that says what an envelope says."""
    if not isinstance(envelope, dict):
        return [envelope]
    return parts.lines_of(*parts.untold(envelope, "response"))


def _text(chunk: Any) -> str | None:
    text = value_at(chunk, ("response",))
    return text if isinstance(text, str) and text else None


_STREAM: Final = parts.stream(
    chunks=_chunks,
    text=Piece(_text, lambda chunk, text: with_value(chunk, ("response",), text)),
    speaks=lambda chunk: isinstance(chunk, dict) and any(chunk.get(key) for key in ("response", "thinking")),
)

OLLAMA_GENERATE: Final = parts.wire(
    name="ollama.generate",
    routes=("/api/generate",),
    recognises=lambda request: isinstance(request.field("prompt"), str),
    slots={
        **parts.COMMON,
        "content": at("response", words={UNSAID: ""}),
        "reasoning": at("thinking"),
    },
    envelope=_envelope,
    offered=lambda _request: {},
    optional={"": ("logprobs", "remote_model", "remote_host", "image")},
    example={"model": parts.MODEL, "prompt": "What now?", "stream": False},
    source="https://docs.ollama.com/api/generate",
    stream=_STREAM,
)
