"""The dialect ``deepseek`` of ``openai.chat``: what the cache held of the prompt, and comments that keep alive.

Usage that nobody asked for comes in a stream beside the reason. There are no limits to tell of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._dialect import Dialect
from pytest_llmfaults._wires._encoding import Event
from pytest_llmfaults._wires._slot import ABSENT, with_value
from pytest_llmfaults._wires.openai_chat_parts import with_usage
from pytest_llmfaults._wires.openai_chat_stream import said, wants_usage

__all__ = ["DEEPSEEK"]

_TYPES: Final[Mapping[int, str]] = {
    401: "authentication_error",
    402: "unknown_error",
    429: "rate_limit_error",
    503: "service_unavailable_error",
}


def _dress(envelope: Any) -> Any:
    usage = envelope["usage"]
    thoughts = usage["completion_tokens_details"]["reasoning_tokens"]
    own = {
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": thoughts},
        "prompt_cache_hit_tokens": 0,
        "prompt_cache_miss_tokens": usage["prompt_tokens"],
    }
    return with_value(envelope, ("usage",), {**usage, **own})


def _chunks(envelope: Any, request: Request) -> list[Any]:
    asked = wants_usage(request)
    chunks = said(envelope, usage=asked)
    return chunks if asked else with_usage(chunks, envelope)


def _error(status: int, message: str, code: str | None) -> Any:
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "internal_error")
    word = code or ("invalid_request_error" if status < 500 else kind)
    return {"error": {"message": message, "type": kind, "param": None, "code": word}}


DEEPSEEK: Final = Dialect(
    name="deepseek",
    source="https://api-docs.deepseek.com/api/create-chat-completion",
    hosts=("api.deepseek.com",),
    fields={
        "": {"id": "00000000-0000-4000-8000-000000000001", "service_tier": ABSENT},
        "message": {"refusal": ABSENT, "annotations": ABSENT},
    },
    dress=_dress,
    chunks=_chunks,
    opening=(Event.comment("keep-alive"),),
    error=_error,
    headers=(("x-ds-trace-id", "00000000000000000000000000000001"),),
    environment={"DEEPSEEK_API_KEY": "placeholder-key"},
)
