"""The official client of anthropic.messages as it is judged: plain, streamed, and with its helper of streams."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import anthropic
import httpx2

from tests.judge import TIMEOUT_SECONDS, Client, Outcome
from tests.judge_clients import _acalls, _async_read, _calls, _read, call_httpx2, call_httpx2_asyncio, hasty, tls
from tests.judge_streams import STREAM_CLIENTS, _async_outcome, _outcome, _shown

_OPTIONS: Final[dict[str, Any]] = {
    "timeout": TIMEOUT_SECONDS,
    "verify": tls,
    "trust_env": False,
    "follow_redirects": True,
}


def _base(url: str) -> str:
    return url.removesuffix("/v1/messages")


def _client(url: str) -> anthropic.Anthropic:
    inner = httpx2.Client(**_OPTIONS)
    return anthropic.Anthropic(api_key="sk-judge", base_url=_base(url), http_client=inner, timeout=TIMEOUT_SECONDS)


def _async_client(url: str) -> anthropic.AsyncAnthropic:
    inner = httpx2.AsyncClient(**_OPTIONS)
    return anthropic.AsyncAnthropic(api_key="sk-judge", base_url=_base(url), http_client=inner, timeout=TIMEOUT_SECONDS)


def call_anthropic(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the anthropic SDK and its default retries."""
    with hasty(anthropic), _client(url) as client:
        return _calls(lambda: _read(client.messages.create(**body)), calls)


def call_anthropic_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the anthropic SDK under asyncio."""

    async def run() -> list[Outcome]:
        async with _async_client(url) as client:

            async def call() -> Any:
                return await _async_read(await client.messages.create(**body))

            return await _acalls(call, calls, asyncio.sleep)

    with hasty(anthropic):
        return asyncio.run(run())


def stream_anthropic(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the anthropic SDK."""

    def read(seen: list[str]) -> None:
        with client.messages.create(**body) as stream:
            seen.extend(map(_shown, stream))

    with hasty(anthropic), _client(url) as client:
        return [_outcome(read) for _ in range(calls)]


def stream_anthropic_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the anthropic SDK under asyncio."""

    async def run() -> list[Outcome]:
        async def read(seen: list[str]) -> None:
            async with await client.messages.create(**body) as stream:
                async for event in stream:
                    seen.append(_shown(event))

        async with _async_client(url) as client:
            return [await _async_outcome(read) for _ in range(calls)]

    with hasty(anthropic):
        return asyncio.run(run())


def stream_anthropic_helper(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the helper of the anthropic SDK, which puts the answer together."""
    asked = {key: value for key, value in body.items() if key != "stream"}

    def read(seen: list[str]) -> None:
        with client.messages.stream(**asked) as stream:
            for event in stream:
                seen.append(event.type)
            seen.append(_shown(stream.get_final_message()))

    with hasty(anthropic), _client(url) as client:
        return [_outcome(read) for _ in range(calls)]


PLAIN: Final[dict[str, Client]] = {
    "anthropic": call_anthropic,
    "anthropic_asyncio": call_anthropic_asyncio,
    "httpx2": call_httpx2,
    "httpx2_asyncio": call_httpx2_asyncio,
}
STREAMED: Final[dict[str, Client]] = {
    "anthropic": stream_anthropic,
    "anthropic_asyncio": stream_anthropic_asyncio,
    "anthropic_helper": stream_anthropic_helper,
    "httpx2": STREAM_CLIENTS["httpx2"],
    "httpx2_asyncio": STREAM_CLIENTS["httpx2_asyncio"],
}
