"""The wire ``gemini``: POST .../models/{model}:generateContent and :streamGenerateContent, of Gemini and Vertex AI."""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._calls import calls
from pytest_llmfaults._wires._wire import Wire
from pytest_llmfaults._wires.gemini_limits import LIMITS
from pytest_llmfaults._wires.gemini_request import ASKS, PLAIN, STREAMED, choice, data_schema, offered
from pytest_llmfaults._wires.gemini_slots import SLOTS, thinking
from pytest_llmfaults._wires.gemini_stream import STREAM, error_body

__all__ = ["GEMINI"]

_MODEL: Final = "gemini-3.8-flash"
_SIGNATURE: Final = "c2lnbmVk"


def _rendered(index: int, call: ToolCall) -> dict[str, Any]:
    """Return the part of a call; of several the first is signed, as the provider's own models do."""
    made = {"id": call.id or f"call_{index + 1:08d}", "name": call.name, "args": dict(call.arguments)}
    signature = call.signature or (None if index else _SIGNATURE)
    return {"functionCall": made} | ({} if signature is None else {"thoughtSignature": signature})


def _content(request: Request, answer: Answer) -> list[Any]:
    chosen = choice(request)
    text = chosen.text(answer)
    thoughts = [] if answer.reasoning is None else [thinking(answer.reasoning)]
    said = [] if text is None else [{"text": text}]
    return [*thoughts, *said, *(_rendered(*one) for one in enumerate(calls(chosen, answer)))]


def _usage(answer: Answer) -> dict[str, Any]:
    usage = answer.usage
    thoughts = {"thoughtsTokenCount": usage.reasoning} if usage.reasoning else {}
    return {
        "promptTokenCount": usage.prompt,
        "candidatesTokenCount": usage.completion - usage.reasoning,
        "totalTokenCount": usage.prompt + usage.completion,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": usage.prompt}],
        **thoughts,
    }


def _envelope(request: Request, answer: Answer) -> dict[str, Any]:
    content = {"parts": _content(request, answer), "role": "model"}
    return {
        "candidates": [{"content": content, "finishReason": answer.finish or "STOP", "index": 0}],
        "usageMetadata": _usage(answer),
        "modelVersion": request.model or _MODEL,
        "responseId": "AAAAAAAAAAAAAAAAAAAAAAE",
    }


def _error(status: int, message: str, code: str | None) -> dict[str, Any]:
    body = error_body(status, message)
    if code is not None:
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        body["error"]["details"] = [{"@type": kind, "reason": code.upper(), "domain": "googleapis.com"}]
    return body


GEMINI: Final = Wire(
    name="gemini",
    routes=(PLAIN, STREAMED),
    recognises=lambda request: isinstance(request.field("contents"), list),
    slots=SLOTS,
    envelope=_envelope,
    data_slot=lambda request: choice(request).data_slot,
    wants_data=lambda request, data: choice(request).schema(data, data_schema(request)),
    offered=offered,
    error=_error,
    headers=(),
    environment={"GEMINI_API_KEY": "placeholder-key"},
    optional={
        "": ("promptFeedback", "createTime"),
        "choice": ("citationMetadata", "finishMessage", "avgLogprobs"),
        "usage": ("cachedContentTokenCount", "toolUsePromptTokenCount"),
    },
    example={"contents": []},
    source="https://ai.google.dev/api/generate-content",
    stream=STREAM,
    limits=LIMITS,
    asks=ASKS,
    path=f"/v1/models/{_MODEL}{PLAIN}",
)
