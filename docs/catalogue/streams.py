"""Observe clients of streams under every row that only a stream can have, and write ``observed_streams.tsv``.

No key, no network, no waiting. Needs openai, groq, requests and httpx.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, Final

from alike import OBSERVED_STREAMS
from asks import Kind
from clients import observed, written
from observe import raised
from subjects import Parts, Subject, asked, quiet

from pytest_llmfaults import faults
from pytest_llmfaults._faults import EDITION

__all__ = ["subjects"]

URL: Final = "https://api.openai.com/v1/chat/completions"
_USAGE: Final[Mapping[str, Any]] = {"stream": True, "stream_options": {"include_usage": True}}
_TIMEOUT_SECONDS: Final = 30
_KINDS: Final[tuple[Kind, ...]] = ("text", "data", "tools")


def subjects() -> tuple[Subject, ...]:
    """Make the clients. Use them inside ``quiet()``."""
    import groq
    import openai

    return (
        Subject("openai", "openai", _KINDS, _sdk(openai.OpenAI(), _USAGE)),
        Subject("openai helper", "openai", ("text", "data"), _helper(openai.OpenAI())),
        Subject("groq", "groq", _KINDS, _sdk(groq.Groq(base_url="https://gateway.example.com"), {"stream": True})),
        Subject("requests, lines", "requests", _KINDS, _lines),
        Subject("httpx, by the book", "httpx", _KINDS, _by_the_book),
    )


def joined(chunks: Iterable[Any]) -> Parts:
    """Put a stream together as ordinary code does: text by text, calls by their index.

    What came before an error belongs to what a caller got: it may have been shown already.
    """
    parts: Parts = {"text": "", "thoughts": "", "reasons": [], "usages": [], "calls": []}
    try:
        _join(parts, chunks)
    except Exception as error:  # noqa: BLE001 - whatever escapes is what is observed
        parts.update(raised(error))
    return parts


def _join(parts: Parts, chunks: Iterable[Any]) -> None:
    calls: dict[Any, dict[str, str]] = {}
    for chunk in chunks:
        if chunk.get("usage"):
            parts["usages"].append(chunk["usage"])
        if not chunk["choices"]:
            continue
        choice = chunk["choices"][0]
        delta = choice["delta"]
        parts["text"] += delta.get("content") or ""
        parts["thoughts"] += delta.get("reasoning_content") or delta.get("reasoning") or ""
        if choice.get("finish_reason") is not None:
            parts["reasons"].append(choice["finish_reason"])
        for call in delta.get("tool_calls") or ():
            one = calls.setdefault(call["index"], {"id": "", "name": "", "arguments": ""})
            parts["calls"] = list(calls.values())
            one["id"] = call.get("id") or one["id"]
            one["name"] += call["function"].get("name") or ""
            one["arguments"] += call["function"].get("arguments") or ""


def _sdk(client: Any, more: Mapping[str, Any]) -> Callable[[Kind], Parts]:
    def chunks(kind: Kind) -> Generator[Any, None, None]:
        # Closed in any case: httpcore's pool can deadlock when a stream that was left is collected while it is locked.
        with client.chat.completions.create(**asked(kind), **more) as stream:
            for chunk in stream:
                yield chunk.model_dump()

    def call(kind: Kind) -> Parts:
        with contextlib.closing(chunks(kind)) as found:
            return joined(found)

    return call


def _helper(client: Any) -> Callable[[Kind], Parts]:
    def call(kind: Kind) -> Parts:
        parts: Parts = {"events": []}
        try:
            with client.chat.completions.stream(**asked(kind), stream_options=_USAGE["stream_options"]) as stream:
                for event in stream:
                    parts["events"].append(event.type)
                completion = stream.get_final_completion()
        except Exception as error:  # noqa: BLE001 - whatever escapes is what is observed
            return {**parts, **raised(error)}
        choice = completion.choices[0]
        usage = completion.usage.total_tokens if completion.usage else None
        return {"text": choice.message.content, "finish": choice.finish_reason, "usage": usage}

    return call


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


def main() -> int:
    """Observe and write."""
    with quiet():
        clients = subjects()
        only = (row for row in faults(wire="openai.chat", edition=EDITION) if row.streamed == "only")
        table = observed(clients, only)
    OBSERVED_STREAMS.write_text(written(table), encoding="utf-8")
    print(f"{len(table) - 1} rows, {len(clients)} clients: {OBSERVED_STREAMS.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
