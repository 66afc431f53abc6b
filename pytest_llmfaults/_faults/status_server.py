"""Statuses that blame the server: 5xx."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play, answers, error, page
from pytest_llmfaults._faults._fault import Fault

__all__ = ["ROWS"]

_EDGE_PAGE_BYTES: Final = 6000


def _edge(status: int, title: str) -> Play:
    """Make a fault that answers with the page of a content delivery network, which is long."""
    text = page(title)
    padding = "x" * (_EDGE_PAGE_BYTES - len(text) - len("<!---->"))
    return answers(status, f"{text}<!--{padding}-->", "text/html; charset=UTF-8", server="cloudflare")


ROWS: Final = (
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
        name="status.500_text",
        play=answers(500, "Internal Server Error", "text/plain; charset=utf-8"),
        meaning="The server fails, with a bare text.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.ERROR_SHAPE,
        sources=("https://github.com/sgl-project/sglang/issues/5984",),
    ),
    Fault(
        name="status.500_context_length",
        play=answers(
            500,
            {
                "error": {
                    "message": "The prompt (length 9001) is longer than the maximum model length of 8192.",
                    "type": "Internal Server Error",
                    "param": None,
                    "code": "prefill_worker_failed_to_start",
                }
            },
        ),
        meaning="A request that is too long is reported as a failure of the server.",
        slot="error",
        draw="same",
        wish="once",
        sources=(
            "https://github.com/NousResearch/hermes-agent/pull/1839",
            "https://github.com/smg-project/smg/issues/2380",
            "https://github.com/benchflow-ai/benchflow/issues/830",
        ),
    ),
    Fault(
        name="status.500_should_not_retry",
        play=error(500, "The server had an error while processing your request.", x_should_retry="false"),
        meaning="The server fails and says that the request is not to be retried.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/HKUDS/nanobot/issues/2760",),
    ),
    Fault(
        name="status.502",
        play=error(502, "Upstream error.", "bad_gateway"),
        meaning="The gateway got a bad answer from its upstream, in JSON.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/mnfst/llm-gateway/issues/1407",),
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
        name="status.502_text",
        play=answers(502, "error code: 502\n", "text/plain; charset=UTF-8"),
        meaning="The edge replaces the error by a short text.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.ERROR_SHAPE,
        sources=("https://github.com/auroraxo/docrot-api/releases/tag/v1.4.0",),
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
    Fault(
        name="status.503_text",
        play=answers(
            503,
            "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
            "text/plain",
        ),
        meaning="The mesh proxy has no healthy upstream, in a text.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.ERROR_SHAPE,
        sources=("https://github.com/auroraxo/docrot-api/releases/tag/v1.4.0",),
    ),
    Fault(
        name="status.504",
        play=error(504, "Upstream timed out.", "upstream_timeout"),
        meaning="The upstream timed out, in JSON.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://platform.claude.com/docs/en/api/errors.md",),
    ),
    Fault(
        name="status.504_text",
        play=answers(504, "error code: 504\n", "text/plain; charset=UTF-8"),
        meaning="The edge replaces a timeout by a short text.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/auroraxo/docrot-api/releases/tag/v1.4.0",),
    ),
    Fault(
        name="status.504_html",
        play=answers(504, page("504 Gateway Time-out"), "text/html", server="nginx"),
        meaning="The upstream timed out, in HTML.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.ERROR_SHAPE,
        sources=("https://github.com/auroraxo/docrot-api/releases/tag/v1.4.0",),
    ),
    Fault(
        name="status.520",
        play=_edge(520, "520: Web server is returning an unknown error"),
        meaning="The edge got an unknown error from the origin.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.STATUS,
        sources=(
            "https://github.com/anthropics/claude-code/issues/3197",
            "https://github.com/huggingface/tau/issues/333",
        ),
    ),
    Fault(
        name="status.521",
        play=_edge(521, "521: Web server is down"),
        meaning="The origin refuses the edge.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/huggingface/tau/issues/333",),
    ),
    Fault(
        name="status.522",
        play=_edge(522, "522: Connection timed out"),
        meaning="The edge cannot connect to the origin in time.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.STATUS,
        sources=("https://github.com/huggingface/tau/issues/333",),
    ),
    Fault(
        name="status.523",
        play=_edge(523, "523: Origin is unreachable"),
        meaning="The edge cannot reach the origin.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.STATUS,
        sources=("https://github.com/huggingface/tau/issues/333",),
    ),
    Fault(
        name="status.524",
        play=_edge(524, "524: A timeout occurred"),
        meaning="The origin does not answer the edge in time.",
        slot="error",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/huggingface/tau/issues/333",),
    ),
    Fault(
        name="status.529",
        play=answers(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        meaning="The provider is overloaded, with its own status.",
        slot="error",
        draw="fresh",
        wish="retry",
        stays=_stays.STATUS,
        sources=(
            "https://github.com/huggingface/tau/issues/333",
            "https://github.com/GD4AI/obsidian-llm-wiki/issues/41",
            "https://github.com/gptme/gptme/pull/697",
        ),
    ),
)
