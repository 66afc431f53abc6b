"""The wire ``mistral.chat``: POST .../v1/chat/completions of Mistral's host.

It is ``openai.chat`` with a content that may be a list, ids of nine characters, calls that come whole in a stream,
usage beside the reason, and errors of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_llmfaults._reply import Headers
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._dialect import Dialect, in_dialect
from pytest_llmfaults._wires._limits import Allowance, Counted, Limits
from pytest_llmfaults._wires._slot import ABSENT, value_at, with_value
from pytest_llmfaults._wires.mistral_slots import SLOTS, parts, thinking
from pytest_llmfaults._wires.openai_chat import OPENAI_CHAT, call_id
from pytest_llmfaults._wires.openai_chat_parts import MESSAGE, delta_of, finishes, with_choices, with_usage
from pytest_llmfaults._wires.openai_chat_stream import STREAM, said

__all__ = ["MISTRAL_CHAT"]

_SOURCE: Final = "https://docs.mistral.ai/api/endpoint/chat"
_THOUGHTS: Final = "reasoning_content"
_TYPES: Final[Mapping[int, str]] = {
    400: "invalid_request_error",
    401: "unauthorized",
    403: "forbidden",
    404: "invalid_model",
    429: "rate_limited",
}
_TYPES_BY_CODE: Final[Mapping[str | None, str]] = {
    "invalid_api_key": "unauthorized",
    "model_not_found": "invalid_model",
    "rate_limit_exceeded": "rate_limited",
}
"""What Mistral calls an error for which rows have OpenAI's word; any other word is the type."""
_NUMBERS: Final[Mapping[str, str]] = {"rate_limited": "1300", "invalid_model": "1500"}
_COUNTS: Final[Mapping[Counted, str]] = {"requests": "req", "tokens": "tokens"}


def _dress(envelope: Any) -> Any:
    """Say nothing as an empty text, and give calls ids of nine characters."""
    message = value_at(envelope, MESSAGE)
    content = message["content"]
    if isinstance(content, list):
        content = [part for part in content if part.get("text", "") is not None]
    changed = {**message, "content": "" if content is None else content}
    if "tool_calls" in message:
        changed["tool_calls"] = [_named(index, call) for index, call in enumerate(message["tool_calls"])]
    return with_value(envelope, MESSAGE, changed)


def _named(index: int, call: Mapping[str, Any]) -> dict[str, Any]:
    known = call["id"] != call_id(index)
    return {**call, "id": call["id"] if known else f"call{index + 1:05d}"}


def _chunks(envelope: Any, _request: Request) -> list[Any]:
    """Return the chunks: thoughts and text in pieces, each call whole, the usage beside the reason."""
    told, calls = envelope, value_at(envelope, (*MESSAGE, "tool_calls"))
    both = parts(value_at(envelope, (*MESSAGE, "content")))
    if both is not None:
        rest = {key: value for key, value in value_at(told, MESSAGE).items() if key != "content"}
        told = with_value(told, MESSAGE, {**rest, **both[1], _THOUGHTS: both[0]})
    called = calls if isinstance(calls, list) else []
    if called:
        told = with_value(told, (*MESSAGE, "tool_calls"), ABSENT)
    chunks = said(told, usage=False)
    if both is not None:
        chunks = [with_choices(chunk, _thought) for chunk in chunks]
    whole = [_call_chunk(chunks[0], index, call) for index, call in enumerate(called)]
    last = next((index for index, chunk in enumerate(chunks) if finishes(chunk)), len(chunks) - 1)
    return with_usage([*chunks[:last], *whole, *chunks[last:]], envelope)


def _thought(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """Put a piece of thoughts into the content."""
    delta = delta_of(choice)
    if _THOUGHTS not in delta:
        return choice
    rest = {key: value for key, value in delta.items() if key not in {_THOUGHTS, "content"}}
    return {**choice, "delta": {**rest, "content": [thinking(delta[_THOUGHTS])]}}


def _call_chunk(chunk: Any, index: int, call: Any) -> Any:
    """Return a chunk with one call, whole."""
    numbered = {"index": index, **call} if isinstance(call, dict) else call
    return with_choices(chunk, lambda choice: {**choice, "delta": {"tool_calls": [numbered]}})


def _error(status: int, message: str, code: str | None) -> Any:
    if status == 422:
        return {"detail": [{"type": "value_error", "loc": ["body", "messages"], "msg": message, "input": None}]}
    kind = _TYPES_BY_CODE.get(code, code) or _TYPES.get(status, "internal_server_error")
    number = _NUMBERS.get(kind)
    body = {"object": "error", "message": message, "type": kind, "param": None, "code": number}
    return {**body, "raw_status_code": status}


def _headers(allowances: Sequence[Allowance], _now: float) -> Headers:
    """Make ``x-ratelimit-limit-req-minute`` and ``-remaining-``, and the same of tokens; nothing tells of a reset."""
    return tuple(
        (f"x-ratelimit-{what}-{_COUNTS[one.counts]}-minute", str(value))
        for one in allowances
        for what, value in (("limit", one.limit), ("remaining", one.remaining))
    )


_HOW: Final = Dialect(
    name="mistral",
    source=_SOURCE,
    fields={
        "": {"id": f"{1:032x}", "service_tier": ABSENT, "system_fingerprint": ABSENT},
        "choice": {"logprobs": ABSENT},
        "message": {"refusal": ABSENT, "annotations": ABSENT},
        "usage": {"prompt_tokens_details": ABSENT, "completion_tokens_details": ABSENT},
    },
    slots=SLOTS,
    dress=_dress,
    chunks=_chunks,
    asks={},
    error=_error,
    headers=(("mistral-correlation-id", "00000000-0000-4000-8000-000000000001"),),
    limits=Limits(
        headers=_headers,
        refusal=lambda short: _error(429, short.message, None),
        source="https://github.com/mistralai/client-ts/issues/169",
    ),
)
_SPOKEN: Final = in_dialect(OPENAI_CHAT, _HOW)

MISTRAL_CHAT: Final = dataclasses.replace(
    _SPOKEN,
    name="mistral.chat",
    dialect="",
    hosts=("api.mistral.ai",),
    environment={"MISTRAL_API_KEY": "placeholder-key"},
    optional={
        "": (),
        "choice": ("logprobs", "prompt_logprobs"),
        "message": ("prefix",),
        "usage": ("prompt_audio_seconds",),
    },
    example={"model": "mistral-large-latest", "messages": []},
    stream=dataclasses.replace(_SPOKEN.stream or STREAM, arguments=None),
)
