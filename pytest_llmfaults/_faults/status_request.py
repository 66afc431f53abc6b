"""Statuses that a client seldom knows, and statuses that blame the request, or the server, for something else."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import answers, error, page
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_REJECTED: Final = {
    406: "Not acceptable.",
    407: "Proxy authentication required.",
    410: "This model is gone.",
    414: "The address is too long.",
    415: "Unsupported media type.",
    418: "The request was blocked.",
    421: "Misdirected request.",
    426: "Upgrade required.",
    431: "The header fields are too large.",
    451: "Not available in this region.",
}
_UNAVAILABLE: Final = {
    501: "Not implemented",
    505: "HTTP version not supported",
    507: "Insufficient storage",
    508: "Loop detected",
    525: "SSL handshake failed",
    526: "Invalid SSL certificate",
    530: "The origin has no address",
    598: "Network read timeout",
}


def rejected(base: Healthy, status: int) -> Reply:
    """Reject the request with a status that is seldom seen."""
    return error(status, _REJECTED[status])(base)


def unavailable(base: Healthy, status: int) -> Reply:
    """Answer as an edge does when it cannot reach its origin."""
    return answers(status, page(f"{status}: {_UNAVAILABLE[status]}"), "text/html; charset=UTF-8")(base)


def _failed(message: str, code: str, generation: str) -> dict[str, object]:
    """Return the error of a provider that checks by itself what the model made."""
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "code": code, "failed_generation": generation}}


ROWS: Final = (
    Fault(
        name="status.202",
        play=lambda _base: Reply(status=202).with_headers(nvcf_reqid="00000000-0000-4000-8000-000000000000"),
        meaning="The gateway accepts the request and has no answer yet: one has to ask for it elsewhere.",
        draw="depends",
        wish="surface",
        stays=_stays.STATUS,
        sources=("https://docs.api.nvidia.com/nim/reference/mistralai-mistral-medium-3-instruct-statuspolling",),
    ),
    Fault(
        name="status.400_unsupported_parameter",
        play=error(
            400,
            "Unsupported parameter: 'max_tokens' is not taken by this model.",
            "unsupported_parameter",
            fields={"param": "max_tokens"},
        ),
        meaning="The model does not take a parameter of the request, and the error names it.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/microsoft/clarity-agent/issues/59",
            "https://github.com/enoch3712/ExtractThinker/issues/327",
        ),
    ),
    Fault(
        name="status.400_tool_use_failed",
        play=answers(400, _failed("Failed to call a function.", "tool_use_failed", '<function=search{"query": "x"}')),
        meaning="The model made a call that the server could not read, and the request is blamed.",
        slot="error",
        draw="fresh",
        wish="retry",
        wires=("openai.chat",),
        sources=(
            "https://github.com/groq/groq-typescript/issues/28",
            "https://github.com/pydantic/pydantic-ai/pull/4354",
            "https://github.com/huggingface/smolagents/issues/1119",
        ),
    ),
    Fault(
        name="status.400_json_validate_failed",
        play=answers(400, _failed("Failed to generate JSON.", "json_validate_failed", '{"a": ')),
        meaning="The model made JSON that the server could not read, and the request is blamed.",
        slot="error",
        draw="fresh",
        wish="retry",
        wires=("openai.chat",),
        sources=(
            "https://github.com/thepersonalaicompany/amurex-backend/issues/38",
            "https://github.com/Bklieger/infinite-bookshelf/issues/42",
        ),
    ),
    Fault(
        name="status.403_quota",
        play=answers(403, {"code": "INSUFFICIENT_BALANCE", "message": "Insufficient account balance"}),
        meaning="A spent budget is reported with the status of a request that is forbidden.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/Wei-Shaw/sub2api/issues/890",
            "https://github.com/Kilo-Org/kilocode/issues/2072",
        ),
    ),
    Fault(
        name="status.413_tokens_per_minute",
        play=error(
            413,
            "Request too large: Limit 6000 tokens per minute, Requested 6284. Reduce the message size.",
            "rate_limit_exceeded",
            fields={"type": "tokens"},
        ),
        meaning="The request alone is larger than the limit of a minute, with the code of a rate limit.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/mikeizbicki/cmc-csci143/issues/590",),
    ),
    Fault(
        name="status.500_quota_text",
        play=error(500, "insufficient balance (1008)"),
        meaning="A spent budget is reported as a failure of the server.",
        slot="error",
        draw="same",
        wish="once",
        stays=_stays.WORDS,
        sources=(
            "https://github.com/MiniMax-AI/MiniMax-M2/issues/62",
            "https://github.com/NousResearch/hermes-agent/issues/16680",
        ),
    ),
    Fault(
        name="status.4xx",
        play=rejected,
        meaning="The request is rejected with a status that is seldom seen.",
        slot="error",
        draw="same",
        wish="once",
        stays=_stays.STATUS,
        parameters=(Parameter("status", 451, choices=tuple(_REJECTED)),),
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.5",),
    ),
    Fault(
        name="status.5xx",
        play=unavailable,
        meaning="The gateway or its edge fails with a status that is seldom seen.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.STATUS,
        parameters=(Parameter("status", 525, choices=tuple(_UNAVAILABLE)),),
        sources=(
            "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/error-525/",
        ),
    ),
)
