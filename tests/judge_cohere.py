"""The official client of cohere.chat as it is judged: plain and streamed, on httpx."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any, Final
from unittest import mock

import cohere
import httpx
from cohere.core import http_client

from tests.judge import TIMEOUT_SECONDS, Client, Outcome
from tests.judge_clients import _RETRY_SECONDS, _acalls, _calls, _dumped, call_httpx, call_httpx_asyncio, tls
from tests.judge_streams import STREAM_CLIENTS, _async_outcome, _outcome, _shown

_OPTIONS: Final[dict[str, Any]] = {
    "timeout": TIMEOUT_SECONDS,
    "verify": tls,
    "trust_env": False,
    "follow_redirects": True,
}
_WAITS: Final = ("_retry_timeout", "_retry_timeout_from_retries")


@contextlib.contextmanager
def _hasty() -> Iterator[None]:
    """Let the SDK's own retries wait for next to nothing."""
    with contextlib.ExitStack() as patches:
        for name in _WAITS:
            patches.enter_context(mock.patch.object(http_client, name, return_value=_RETRY_SECONDS))
        yield


def _made(sdk: Any, http: Any, url: str) -> Any:
    base = url.removesuffix("/v2/chat")
    return sdk(api_key="sk-judge", base_url=base, httpx_client=http(**_OPTIONS), timeout=TIMEOUT_SECONDS)


def _asked(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != "stream"}


def call_cohere(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the SDK and its default retries."""
    with _hasty(), _made(cohere.ClientV2, httpx.Client, url) as client:
        return _calls(lambda: _dumped(client.chat(**body)), calls)


def call_cohere_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the SDK under asyncio."""

    async def run() -> list[Outcome]:
        async with _made(cohere.AsyncClientV2, httpx.AsyncClient, url) as client:

            async def call() -> Any:
                return _dumped(await client.chat(**body))

            return await _acalls(call, calls, asyncio.sleep)

    with _hasty():
        return asyncio.run(run())


def stream_cohere(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the SDK."""

    def read(seen: list[str]) -> None:
        seen.extend(map(_shown, client.chat_stream(**_asked(body))))

    with _hasty(), _made(cohere.ClientV2, httpx.Client, url) as client:
        return [_outcome(read) for _ in range(calls)]


def stream_cohere_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the SDK under asyncio."""

    async def run() -> list[Outcome]:
        async def read(seen: list[str]) -> None:
            async for event in client.chat_stream(**_asked(body)):
                seen.append(_shown(event))

        async with _made(cohere.AsyncClientV2, httpx.AsyncClient, url) as client:
            return [await _async_outcome(read) for _ in range(calls)]

    with _hasty():
        return asyncio.run(run())


PLAIN: Final[dict[str, Client]] = {
    "cohere": call_cohere,
    "cohere_asyncio": call_cohere_asyncio,
    "httpx": call_httpx,
    "httpx_asyncio": call_httpx_asyncio,
}
STREAMED: Final[dict[str, Client]] = {
    "cohere": stream_cohere,
    "cohere_asyncio": stream_cohere_asyncio,
    "httpx": STREAM_CLIENTS["httpx"],
    "httpx_asyncio": STREAM_CLIENTS["httpx_asyncio"],
}
