"""Clients of streams that are no SDK: readers of lines as people write them by hand, for ``openai.chat``."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator, Mapping
from typing import Any, Final

from asks import Kind
from readers import Parts, joined
from subjects import Subject, asked

__all__ = ["by_hand"]

URL: Final = "https://api.openai.com/v1/chat/completions"
_USAGE: Final[Mapping[str, Any]] = {"stream": True, "stream_options": {"include_usage": True}}
_TIMEOUT_SECONDS: Final = 30
_KINDS: Final[tuple[Kind, ...]] = ("text", "data", "tools")


def by_hand() -> tuple[Subject, ...]:
    """Return the readers."""
    return (
        Subject(
            "requests, lines",
            "requests",
            _KINDS,
            _lines,
            streamed=True,
            about="each line that begins with `data: `, until the end mark; timeout 30 s",
        ),
        Subject(
            "httpx, by the book",
            "httpx",
            _KINDS,
            _by_the_book,
            streamed=True,
            about="events as the standard says; it insists on the content type and on the end mark; timeout 30 s",
        ),
    )


def _lines(kind: Kind) -> Parts:
    """Read as many people do: lines that begin with ``data: ``, until the end mark."""
    import requests

    def chunks() -> Generator[Any, None, None]:
        body = {**asked(kind), **_USAGE}
        with requests.post(URL, json=body, stream=True, timeout=_TIMEOUT_SECONDS) as response:
            response.raise_for_status()
            for line in response.iter_lines(decode_unicode=True):
                if line == "data: [DONE]":
                    return
                if line.startswith("data: "):
                    yield json.loads(line[6:])

    with contextlib.closing(chunks()) as found:
        return joined(found)


def _by_the_book(kind: Kind) -> Parts:
    """Read as the standard says, and insist on the end mark."""
    import httpx

    def chunks() -> Generator[Any, None, None]:
        data: list[str] = []
        with httpx.stream("POST", URL, json={**asked(kind), **_USAGE}, timeout=_TIMEOUT_SECONDS) as response:
            response.raise_for_status()
            if not response.headers["content-type"].startswith("text/event-stream"):
                raise ValueError(response.headers["content-type"])
            for line in response.iter_lines():
                field, _, value = line.partition(":")
                if field == "data":
                    data.append(value.removeprefix(" "))
                if line or not any(data):
                    continue
                text, data = "\n".join(data), []
                if text.strip() == "[DONE]":
                    return
                yield _checked(json.loads(text))
        raise EOFError

    with contextlib.closing(chunks()) as found:
        return joined(found)


def _checked(chunk: Any) -> Any:
    if "error" in chunk:
        raise RuntimeError(chunk["error"])
    return chunk
