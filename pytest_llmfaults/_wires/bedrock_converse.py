"""The wire ``bedrock.converse``: POST .../model/{model}/converse and /converse-stream, of Amazon Bedrock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._reply import Headers
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._calls import calls
from pytest_llmfaults._wires._wire import Wire
from pytest_llmfaults._wires.bedrock_request import ASKS, PLAIN, STREAMED, choice, data_schema, offered
from pytest_llmfaults._wires.bedrock_slots import SLOTS, thinking
from pytest_llmfaults._wires.bedrock_stream import STREAM

__all__ = ["BEDROCK_CONVERSE"]

_MODEL: Final = "anthropic.claude-sonnet-5-5"
_LATENCY_MILLISECONDS: Final = 1912
_EXCEPTIONS: Final[Mapping[int, str]] = {
    401: "UnrecognizedClientException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    503: "ServiceUnavailableException",
}
"""What the wire calls an error, by status."""


def _rendered(index: int, call: ToolCall) -> dict[str, Any]:
    call_id = call.id or f"tooluse_{index + 1:022d}"
    return {"toolUse": {"toolUseId": call_id, "name": call.name, "input": dict(call.arguments)}}


def _content(request: Request, answer: Answer) -> list[Any]:
    chosen = choice(request)
    text = chosen.text(answer)
    thoughts = [] if answer.reasoning is None else [thinking(answer.reasoning)]
    said = [] if text is None else [{"text": text}]
    return [*thoughts, *said, *(_rendered(*one) for one in enumerate(calls(chosen, answer)))]


def _envelope(request: Request, answer: Answer) -> dict[str, Any]:
    content = _content(request, answer)
    is_call = bool(content) and "toolUse" in content[-1]
    usage = answer.usage
    return {
        "metrics": {"latencyMs": _LATENCY_MILLISECONDS},
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": answer.finish or ("tool_use" if is_call else "end_turn"),
        "usage": {
            "inputTokens": usage.prompt,
            "outputTokens": usage.completion,
            "totalTokens": usage.prompt + usage.completion,
        },
    }


def _error_headers(status: int) -> Headers:
    """Return the header with the type of an error: the SDK reads it there, and not in the body."""
    kind = _EXCEPTIONS.get(status, "InternalServerException" if status >= 500 else "ValidationException")
    return (("x-amzn-ErrorType", f"{kind}:http://internal.amazon.com/coral/com.amazon.bedrock/"),)


BEDROCK_CONVERSE: Final = Wire(
    name="bedrock.converse",
    routes=(PLAIN, STREAMED),
    recognises=lambda request: isinstance(request.field("messages"), list),
    slots=SLOTS,
    envelope=_envelope,
    data_slot=lambda request: choice(request).data_slot,
    wants_data=lambda request, data: choice(request).schema(data, data_schema(request)),
    offered=offered,
    error=lambda _status, message, _code: {"message": message},
    error_headers=_error_headers,
    headers=(("x-amzn-RequestId", "00000000-0000-4000-8000-000000000001"),),
    environment={
        "AWS_ACCESS_KEY_ID": "placeholder-key",
        "AWS_SECRET_ACCESS_KEY": "placeholder-key",
        "AWS_DEFAULT_REGION": "us-east-1",
    },
    optional={
        "": ("additionalModelResponseFields", "trace", "performanceConfig", "serviceTier"),
        "usage": ("cacheReadInputTokens", "cacheWriteInputTokens", "cacheDetails"),
    },
    example={"messages": []},
    source="https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
    stream=STREAM,
    asks=ASKS,
    path=f"/model/{_MODEL}{PLAIN}",
    unions=("block",),
)
