"""The dialect ``litellm`` of ``openai.chat``: LiteLLM's proxy, which says what it left out of the provider's reply.

An error is the proxy's exception: its classes stand before the text, and its code is the status as a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._wires import openai_limits
from pytest_llmfaults._wires._dialect import Dialect
from pytest_llmfaults._wires._limits import Limits
from pytest_llmfaults._wires._slot import ABSENT

__all__ = ["LITELLM"]

_CLASSES: Final[Mapping[int, str]] = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    408: "Timeout",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
    500: "InternalServerError",
    502: "BadGatewayError",
    503: "ServiceUnavailableError",
}
_TYPES: Final[Mapping[int, str]] = {
    400: "invalid_request_error",
    401: "auth_error",
    404: "invalid_request_error",
    429: "throttling_error",
}


def _error(status: int, message: str, code: str | None) -> Any:
    """Make an error body; what the provider called the error is left in the text."""
    kind = _CLASSES.get(status, "APIError")
    said = message if code is None else f"Error code: {status} - {{'message': {message!r}, 'code': {code!r}}}"
    text = f"litellm.{kind}: {kind}: OpenAIException - {said}"
    return {"error": {"message": text, "type": _TYPES.get(status, "None"), "param": "None", "code": str(status)}}


LITELLM: Final = Dialect(
    name="litellm",
    source="https://docs.litellm.ai/docs/exception_mapping",
    fields={
        "choice": {"provider_specific_fields": {}, "logprobs": ABSENT},
        "message": {"provider_specific_fields": {"refusal": None}, "refusal": ABSENT},
    },
    unstreamed={"": (), "choice": ("provider_specific_fields",), "message": ("provider_specific_fields",)},
    error=_error,
    headers=(
        ("x-litellm-call-id", "00000000-0000-4000-8000-000000000001"),
        ("x-litellm-version", "1.110.2"),
        ("x-litellm-attempted-retries", "0"),
    ),
    limits=Limits(
        headers=openai_limits.headers,
        refusal=lambda short: _error(429, short.message, None),
        source="https://docs.litellm.ai/docs/proxy/response_headers",
    ),
)
