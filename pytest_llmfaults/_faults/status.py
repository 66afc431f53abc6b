"""Error statuses."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults._edit import answers, error, page
from pytest_llmfaults._faults._fault import Fault

__all__ = ["ROWS"]

ROWS: Final = (
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
        name="status.429_rate",
        play=error(429, "Rate limit reached.", "rate_limit_exceeded"),
        meaning="The rate limit is reached, and nothing says for how long.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/BerriAI/litellm/pull/25285",
            "https://github.com/HKUDS/nanobot/issues/2760",
            "https://github.com/failoverbench/failoverbench",
        ),
    ),
    Fault(
        name="status.429_quota",
        play=error(429, "You exceeded your current quota.", "insufficient_quota"),
        meaning="The quota is spent.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/Tracer-Cloud/opensre/pull/1772",
            "https://github.com/jin-bo/agentao/pull/283",
            "https://github.com/topoteretes/cognee/pull/3772",
        ),
    ),
    Fault(
        name="status.500",
        play=error(500, "The server had an error while processing your request."),
        meaning="The server fails.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/BerriAI/litellm/pull/25285",
            "https://github.com/failoverbench/failoverbench",
            "https://github.com/sgl-project/sglang/issues/5984",
        ),
    ),
    Fault(
        name="status.502_html",
        play=answers(502, page("502 Bad Gateway"), "text/html", server="nginx"),
        meaning="The gateway got a bad answer from its upstream, in HTML.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/auroraxo/docrot-api/releases/tag/v1.4.0",
            "https://github.com/anthropics/claude-code/issues/3197",
        ),
    ),
    Fault(
        name="status.503",
        play=error(503, "The engine is currently overloaded.", "overloaded"),
        meaning="The server is overloaded.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/googleapis/python-genai/issues/336",
            "https://github.com/mnfst/llm-gateway/issues/1407",
            "https://github.com/failoverbench/failoverbench",
        ),
    ),
)
