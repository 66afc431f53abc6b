"""The dialect ``groq`` of ``openai.chat``: thoughts in ``reasoning``, times in the usage, and ``x_groq``.

In a stream ``x_groq`` has the request's id in the first chunk, and beside the reason the usage as well, unasked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import openai_limits
from pytest_llmfaults._wires._dialect import Dialect
from pytest_llmfaults._wires._encoding import Event, dumped
from pytest_llmfaults._wires._limits import Limits, Shortage
from pytest_llmfaults._wires._slot import ABSENT, at, value_at, with_value
from pytest_llmfaults._wires.openai_chat_parts import MESSAGE, finishes
from pytest_llmfaults._wires.openai_chat_stream import said, wants_usage

__all__ = ["GROQ"]

_ID: Final = "req_00000000000000000000000001"
_THOUGHTS: Final = ("usage", "completion_tokens_details")
_TYPES: Final[Mapping[int, str]] = {429: "tokens", **dict.fromkeys((500, 502, 503), "internal_server_error")}


def _dress(envelope: Any) -> Any:
    thoughts = value_at(envelope, (*_THOUGHTS, "reasoning_tokens"))
    return with_value(envelope, _THOUGHTS, {"reasoning_tokens": thoughts})


def _chunks(envelope: Any, request: Request) -> list[Any]:
    own = value_at(envelope, ("x_groq",))
    if not isinstance(envelope, dict) or not isinstance(own, dict):
        return said(envelope, usage=wants_usage(request))
    rest = {key: value for key, value in envelope.items() if key != "x_groq"}
    chunks = said(rest, usage=wants_usage(request))
    usage = {"usage": envelope["usage"]} if "usage" in envelope else {}
    last = max((index for index, chunk in enumerate(chunks) if finishes(chunk)), default=-1)
    marks = {0: own} | ({last: {**own, **usage}} if last >= 0 else {})
    return [{**chunk, "x_groq": marks[index]} if index in marks else chunk for index, chunk in enumerate(chunks)]


def _error(status: int, message: str, code: str | None) -> Any:
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "internal_server_error")
    return {"error": {"message": message, "type": kind, **({} if code is None else {"code": code})}}


def _refusal(short: Shortage) -> Any:
    return {"error": {"message": short.message, "type": short.counts, "code": "rate_limit_exceeded"}}


GROQ: Final = Dialect(
    name="groq",
    source="https://console.groq.com/docs/api-reference",
    hosts=("api.groq.com",),
    fields={
        "": {"service_tier": "on_demand", "x_groq": {"id": _ID}},
        "message": {"refusal": ABSENT, "annotations": ABSENT},
        "usage": {
            "queue_time": 0.02,
            "prompt_time": 0.001,
            "completion_time": 0.03,
            "total_time": 0.031,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
    },
    slots={"reasoning": at(*MESSAGE, "reasoning")},
    dress=_dress,
    chunks=_chunks,
    error=_error,
    stream_error=lambda status, message: Event.data(dumped(_error(status, message, None)), ("event", "error")),
    headers=(("x-request-id", _ID), ("x-groq-region", "us-east-1")),
    optional={"message": ("reasoning",)},
    limits=Limits(
        headers=openai_limits.headers,
        refusal=_refusal,
        source="https://console.groq.com/docs/rate-limits",
    ),
)
