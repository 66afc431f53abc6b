"""Statuses that blame the request: 4xx other than the limits of rate and quota."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import answers, error, page
from pytest_llmfaults._faults._fault import Fault

__all__ = ["ROWS"]

ROWS: Final = (
    Fault(
        name="status.400",
        play=error(400, "Invalid value for a field of the request."),
        meaning="The request is rejected as invalid.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/router-for-me/CLIProxyAPI/pull/1390",
            "https://github.com/BerriAI/litellm/issues/19216",
            "https://platform.claude.com/docs/en/api/errors.md",
        ),
    ),
    Fault(
        name="status.400_context_length",
        play=error(400, "The messages are longer than the context window of this model.", "context_length_exceeded"),
        meaning="The request is longer than the context window, and the code says so.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/SWE-agent/mini-swe-agent/issues/921",
            "https://github.com/BerriAI/litellm/pull/22697",
            "https://github.com/RooCodeInc/Roo-Code/issues/407",
        ),
    ),
    Fault(
        name="status.400_context_length_prose",
        play=answers(
            400,
            {
                "error": {
                    "message": "This model has a maximum context length of 8192 tokens; the request has 9001.",
                    "type": "BadRequestError",
                    "param": None,
                    "code": 400,
                }
            },
        ),
        meaning="The request is longer than the context window, and only prose says so.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/kortix-ai/suna/pull/6368", "https://github.com/BerriAI/litellm/pull/40014"),
    ),
    Fault(
        name="status.400_body_size",
        play=error(400, "The request body size exceeds 1048576 bytes."),
        meaning="A proxy rejects the request because of its size in bytes.",
        slot="error",
        draw="same",
        wish="once",
        stays=_stays.WORDS,
        sources=("https://github.com/aaif-goose/goose/pull/11173",),
    ),
    Fault(
        name="status.400_content_filter",
        play=answers(
            400,
            {
                "error": {
                    "message": "The prompt was filtered.",
                    "type": None,
                    "param": "prompt",
                    "code": "content_filter",
                    "status": 400,
                    "innererror": {
                        "code": "ResponsibleAIPolicyViolation",
                        "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
                    },
                }
            },
        ),
        meaning="The prompt is rejected by a content filter.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/failoverbench/failoverbench",),
    ),
    Fault(
        name="status.400_quota_text",
        play=error(400, "Insufficient quota: the spend limit of this account is reached."),
        meaning="A spent budget is reported with the status of an invalid request.",
        slot="error",
        draw="same",
        wish="once",
        stays=_stays.WORDS,
        sources=("https://github.com/Hmbown/Codewhale/pull/1203", "https://platform.claude.com/docs/en/api/errors.md"),
    ),
    Fault(
        name="status.400_should_retry",
        play=error(400, "Invalid value for a field of the request.", x_should_retry="true"),
        meaning="An invalid request is marked by the gateway as one to send again.",
        slot="error",
        draw="same",
        wish="surface",
        sources=("https://github.com/HKUDS/nanobot/issues/2760",),
    ),
    Fault(
        name="status.401",
        play=error(401, "Incorrect API key provided.", "invalid_api_key"),
        meaning="The key is rejected.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://platform.claude.com/docs/en/api/errors.md",
            "https://github.com/Tracer-Cloud/opensre/pull/1772",
        ),
    ),
    Fault(
        name="status.402",
        play=answers(402, {"error": {"message": "Insufficient credits.", "code": 402}}),
        meaning="The account has no credit.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://platform.claude.com/docs/en/api/errors.md",),
    ),
    Fault(
        name="status.403",
        play=error(403, "Country, region, or territory not supported.", "unsupported_country_region_territory"),
        meaning="The key may not use this model or region.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/Tracer-Cloud/opensre/pull/1772",
            "https://platform.claude.com/docs/en/api/errors.md",
        ),
    ),
    Fault(
        name="status.403_html",
        play=answers(403, page("Just a moment..."), "text/html; charset=UTF-8", server="cloudflare"),
        meaning="A bot guard answers with its challenge page.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/anthropics/claude-code/issues/30437",
            "https://github.com/run-llama/llama_index/issues/16796",
        ),
    ),
    Fault(
        name="status.404",
        play=error(404, "The model does not exist or you do not have access to it.", "model_not_found"),
        meaning="The model does not exist.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/Tracer-Cloud/opensre/pull/1772",
            "https://platform.claude.com/docs/en/api/errors.md",
        ),
    ),
    Fault(
        name="status.404_text",
        play=answers(404, "404 page not found\n", "text/plain; charset=utf-8"),
        meaning="The route does not exist, in a text that starts like a JSON number.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.5.5",),
    ),
    Fault(
        name="status.405",
        play=answers(405, {"detail": "Method Not Allowed"}, allow="GET"),
        meaning="The route does not take this method.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6",),
    ),
    Fault(
        name="status.408",
        play=error(408, "Request timed out.", "request_timeout"),
        meaning="The gateway waited too long for the request.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/anomalyco/opencode/issues/47525",
            "https://www.mintlify.com/openai/openai-python/concepts/retries",
        ),
    ),
    Fault(
        name="status.409",
        play=error(409, "The resource is locked; try again.", "conflict"),
        meaning="The request conflicts with another one.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/anomalyco/opencode/issues/47525",
            "https://www.mintlify.com/openai/openai-python/concepts/retries",
        ),
    ),
    Fault(
        name="status.413",
        play=error(413, "Request exceeds the maximum size.", "request_too_large"),
        meaning="The request is too large.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/PostHog/code/pull/3793", "https://platform.claude.com/docs/en/api/errors.md"),
    ),
    Fault(
        name="status.422",
        play=answers(
            422,
            {
                "object": "error",
                "message": "max_tokens must be at least 1.",
                "type": "invalid_request_error",
                "param": "max_tokens",
                "code": 422,
            },
        ),
        meaning="The request fails the validation of the server.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/huggingface/huggingface_hub/issues/2514",),
    ),
    Fault(
        name="status.424",
        play=error(424, "The upstream provider failed.", "failed_dependency"),
        meaning="A dependency of the gateway failed.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/mnfst/llm-gateway/issues/1407",),
    ),
    Fault(
        name="status.425",
        play=error(425, "Too early.", "too_early"),
        meaning="The gateway asks for the request to be sent later.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/huggingface/tau/issues/333",),
    ),
    Fault(
        name="status.499",
        play=error(499, "Client closed request.", "client_closed_request"),
        meaning="A relay reports that it closed the request.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/can1357/oh-my-pi/issues/11841",),
    ),
)
