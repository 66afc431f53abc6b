"""Bodies that do not decode, at status 200."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults._edit import raw
from pytest_llmfaults._faults._fault import Fault

__all__ = ["ROWS"]

HTML_PAGE: Final = (
    "<!DOCTYPE html>\n<html><head><title>Bad gateway</title></head>\n"
    "<body><h1>Bad gateway</h1><p>The upstream server did not answer in time.</p></body></html>\n"
)

ROWS: Final = (
    Fault(
        name="body.html_page",
        play=raw(lambda _body: HTML_PAGE.encode(), content_type="text/html; charset=utf-8"),
        draw="fresh",
        meaning="A proxy's HTML page at status 200 instead of the envelope.",
        sources=("https://github.com/OpenHands/OpenHands/issues/1551",),
    ),
    Fault(
        name="body.truncated_json",
        play=raw(lambda body: body[: len(body) * 2 // 3]),
        draw="fresh",
        meaning="The envelope ends in its middle, with a Content-Length that fits what came.",
        sources=("https://github.com/Aider-AI/aider/issues/3034",),
    ),
)
