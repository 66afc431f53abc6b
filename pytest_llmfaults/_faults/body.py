"""Bodies that do not decode, at status 200."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults._edit import page, raw
from pytest_llmfaults._faults._fault import Fault, Parameter
from pytest_llmfaults._faults.transport_body import cut_at

__all__ = ["ROWS"]

ROWS: Final = (
    Fault(
        name="body.html_page",
        play=raw(lambda _body: page("Gateway").encode(), content_type="text/html; charset=utf-8"),
        meaning="A page of a proxy or a portal arrives with the status of success.",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/OpenHands/OpenHands/issues/1551", "https://github.com/1Panel-dev/MaxKB/issues/63"),
    ),
    Fault(
        name="body.empty",
        play=raw(lambda _body: b""),
        meaning="The reply has no body.",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/deepseek-ai/DeepSeek-R1/issues/314",
            "https://github.com/qualixar/superlocalmemory/issues/62",
            "https://github.com/NousResearch/hermes-agent/pull/80649",
        ),
    ),
    Fault(
        name="body.truncated_json",
        play=raw(cut_at),
        meaning="The JSON ends early, in a body that is whole for HTTP.",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/xoai/sage-wiki/issues/114",
            "https://github.com/deepseek-ai/DeepSeek-R1/issues/91",
        ),
        parameters=(Parameter("at", 0.5, minimum=0.05, maximum=0.95),),
    ),
)
