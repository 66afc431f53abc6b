"""The dialect ``azure`` of ``openai.chat``: filters say what they found, and a stream begins with a chunk of theirs.

That chunk has no choices, and empty names. An error of the gateway is a code and a text; one of the model is OpenAI's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_llmfaults._reply import Headers
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._dialect import Dialect
from pytest_llmfaults._wires._limits import Allowance, Limits
from pytest_llmfaults._wires._slot import value_at, with_value
from pytest_llmfaults._wires.openai_chat_parts import CHOICE, delta_of, with_choices
from pytest_llmfaults._wires.openai_chat_stream import said, wants_usage

__all__ = ["AZURE"]

_SAFE: Final = {kind: {"filtered": False, "severity": "safe"} for kind in ("hate", "self_harm", "sexual", "violence")}
_PROMPT: Final = [
    {"prompt_index": 0, "content_filter_results": {**_SAFE, "jailbreak": {"filtered": False, "detected": False}}}
]
_RESULTS: Final = "content_filter_results"
_FIRST: Final = {"choices": [], "created": 0, "id": "", "model": "", "object": ""}
_GATEWAY_CODES: Final[Mapping[int, str]] = {404: "DeploymentNotFound", **{code: str(code) for code in (401, 403, 429)}}
_GATEWAY_CODES_BY_WORD: Final[Mapping[str, str]] = {
    "invalid_api_key": "401",
    "model_not_found": "DeploymentNotFound",
    "rate_limit_exceeded": "429",
}
"""What the gateway calls an error for which rows have OpenAI's word."""


def _marked(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """Say what the filter found in a choice of a chunk: nothing where it brings no text."""
    found = _SAFE if delta_of(choice).get("content") else {}
    return choice if _RESULTS in choice and not choice.get("finish_reason") else {**choice, _RESULTS: found}


def _chunks(envelope: Any, request: Request) -> list[Any]:
    filtered = value_at(envelope, ("prompt_filter_results",))
    if not isinstance(envelope, dict) or filtered is None:
        return said(envelope, usage=wants_usage(request))
    rest = {key: value for key, value in envelope.items() if key != "prompt_filter_results"}
    told = value_at(envelope, (*CHOICE, _RESULTS)) is not None
    later = said(rest, usage=wants_usage(request))
    first = {**_FIRST, "prompt_filter_results": filtered}
    return [first, *(with_choices(chunk, _marked) if told else chunk for chunk in later)]


def _error(status: int, message: str, code: str | None) -> Any:
    word = _GATEWAY_CODES_BY_WORD.get(code or "", code) or _GATEWAY_CODES.get(status)
    if status in _GATEWAY_CODES:
        return {"error": {"code": word, "message": message}}
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _headers(allowances: Sequence[Allowance], _now: float) -> Headers:
    """Make OpenAI's headers, with the time until a limit is full again in whole seconds."""
    return tuple(
        (f"x-ratelimit-{what}-{one.counts}", str(value))
        for one in allowances
        for what, value in (
            ("limit", one.limit),
            ("remaining", one.remaining),
            ("reset", math.ceil(round(one.reset_seconds, 6))),
        )
    )


AZURE: Final = Dialect(
    name="azure",
    source="https://learn.microsoft.com/en-us/azure/foundry/openai/concepts/content-streaming",
    hosts=("*.openai.azure.com", "*.cognitiveservices.azure.com", "*.services.ai.azure.com"),
    fields={"": {"prompt_filter_results": _PROMPT}, "choice": {_RESULTS: _SAFE}},
    dress=lambda envelope: (
        envelope
        if value_at(envelope, (*CHOICE, "message", "content"))
        else with_value(envelope, (*CHOICE, _RESULTS), {})
    ),
    chunks=_chunks,
    error=_error,
    headers=(("apim-request-id", "00000000-0000-4000-8000-000000000001"), ("x-ms-region", "Sweden Central")),
    limits=Limits(
        headers=_headers,
        refusal=lambda short: _error(429, short.message, None),
        source="https://learn.microsoft.com/en-us/answers/questions/5625878/azure-openai-responses-api-x-ratelimit-headers-val",
    ),
)
