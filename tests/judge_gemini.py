"""The official client of gemini as it is judged: plain and streamed, on httpx2 and, under asyncio, on aiohttp."""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from collections.abc import Iterator
from typing import Any, Final

import httpx2
from google import genai
from google.genai import types

from tests.judge import TIMEOUT_SECONDS, Client, Outcome
from tests.judge_cases import GEMINI_ROOT
from tests.judge_clients import _acalls, _calls, _dumped, call_httpx2, call_requests, tls
from tests.judge_streams import STREAM_CLIENTS, _async_outcome, _outcome, _shown

_MODEL: Final = "gemini-judge"
_RETRIES: Final = types.HttpRetryOptions(attempts=3, initial_delay=0.001, max_delay=0.001, jitter=0)
"""Asked for, as the SDK has none by itself; and then its transport on aiohttp makes none of its own."""


_TLS: Final = {"ssl": tls}


def _options(url: str, **more: Any) -> types.HttpOptions:
    timeout_milliseconds = int(1000 * TIMEOUT_SECONDS)
    base = url.partition(GEMINI_ROOT)[0]
    return types.HttpOptions(base_url=base, api_version="v1", timeout=timeout_milliseconds, **more)


@contextlib.contextmanager
def _client(url: str) -> Iterator[genai.Client]:
    """Make a client on an HTTP client of ours, which the SDK does not close."""
    with httpx2.Client(verify=tls, trust_env=False, follow_redirects=True) as inner:
        options = _options(url, httpx_client=inner, async_client_args=_TLS)
        with genai.Client(api_key="sk-judge", http_options=options) as client:
            yield client


def _async_client(url: str) -> genai.Client:
    options = _options(url, retry_options=_RETRIES, client_args={"verify": tls}, async_client_args=_TLS)
    return genai.Client(api_key="sk-judge", http_options=options)


def _asked(body: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of the SDK's call that sends this body."""
    more = {key: value for key, value in body.items() if key not in {"contents", "generationConfig"}}
    config = types.GenerateContentConfig.model_validate({**body.get("generationConfig", {}), **more})
    return {"model": _MODEL, "contents": body["contents"], "config": config}


def call_genai(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the SDK, which makes one attempt."""
    with _client(url) as client:
        return _calls(lambda: _dumped(client.models.generate_content(**_asked(body))), calls)


def call_genai_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the SDK on aiohttp, with retries."""

    async def run() -> list[Outcome]:
        async with _async_client(url).aio as client:

            async def call() -> Any:
                return _dumped(await client.models.generate_content(**_asked(body)))

            return await _acalls(call, calls, asyncio.sleep)

    with _quiet():
        return asyncio.run(run())


def stream_genai(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the SDK."""

    def read(seen: list[str]) -> None:
        for chunk in client.models.generate_content_stream(**_asked(body)):
            seen.append(_shown(chunk))

    with _client(url) as client:
        return [_outcome(read) for _ in range(calls)]


def stream_genai_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the SDK on aiohttp, with retries."""

    async def run() -> list[Outcome]:
        async def read(seen: list[str]) -> None:
            async for chunk in await client.models.generate_content_stream(**_asked(body)):
                seen.append(_shown(chunk))

        async with _async_client(url).aio as client:
            return [await _async_outcome(read) for _ in range(calls)]

    with _quiet():
        return asyncio.run(run())


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Let the SDK derive its session from aiohttp's, of which aiohttp warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


PLAIN: Final[dict[str, Client]] = {
    "genai": call_genai,
    "genai_asyncio": call_genai_asyncio,
    "httpx2": call_httpx2,
    "requests": call_requests,
}
STREAMED: Final[dict[str, Client]] = {
    "genai": stream_genai,
    "genai_asyncio": stream_genai_asyncio,
    "httpx2": STREAM_CLIENTS["httpx2"],
    "requests": STREAM_CLIENTS["requests"],
}
