"""The dialect ``vllm`` of ``openai.chat``: all that it knows stands in a plain reply, most of it as null.

Thoughts are in ``reasoning``. The usage counts none of them. A wrong key is answered with a text where the error is.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from pytest_llmfaults._wires._dialect import Dialect
from pytest_llmfaults._wires._slot import ABSENT, at, value_at, with_value
from pytest_llmfaults._wires.openai_chat_parts import MESSAGE

__all__ = ["VLLM"]

_PLAIN_ONLY: Final = ("service_tier", "system_fingerprint", "prompt_logprobs", "prompt_token_ids", "kv_transfer_params")
_NULL: Final = ("refusal", "annotations", "audio", "function_call", "reasoning")
_TYPES: Final[Mapping[int, str]] = {400: "BadRequestError", 404: "NotFoundError", 500: "InternalServerError"}


def _dress(envelope: Any) -> Any:
    message = value_at(envelope, MESSAGE)
    return with_value(envelope, MESSAGE, {"tool_calls": [], **message})


def _error(status: int, message: str, _code: str | None) -> Any:
    """Make an error body; vLLM has no words for codes, and says to whom it does not know nothing more."""
    if status == 401:
        return {"error": "Unauthorized"}
    known = {one.value: one.phrase for one in HTTPStatus}
    kind = _TYPES.get(status) or known.get(status, "Error")
    return {"error": {"message": message, "type": kind, "param": None, "code": status}}


VLLM: Final = Dialect(
    name="vllm",
    source="https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    fields={
        "": dict.fromkeys(_PLAIN_ONLY),
        "choice": {"stop_reason": None, "token_ids": None},
        "message": dict.fromkeys(_NULL),
        "usage": {"prompt_tokens_details": None, "completion_tokens_details": ABSENT},
    },
    slots={"reasoning": at(*MESSAGE, "reasoning"), "usage_reasoning": None},
    dress=_dress,
    unstreamed={"": _PLAIN_ONLY, "message": (*_NULL, "tool_calls")},
    error=_error,
    optional={"choice": ("token_ids",), "message": ("reasoning",)},
)
