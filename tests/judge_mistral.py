"""The official client of mistral.chat as it is judged: plain and streamed."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import httpx2
from mistralai.client import Mistral

from tests.judge import TIMEOUT_SECONDS, Client, Outcome
from tests.judge_cases import PATH
from tests.judge_clients import _acalls, _calls, call_httpx2, call_httpx2_asyncio, tls
from tests.judge_streams import STREAM_CLIENTS, _async_outcome, _outcome, _shown

_OPTIONS: Final[dict[str, Any]] = {
    "timeout": TIMEOUT_SECONDS,
    "verify": tls,
    "trust_env": False,
    "follow_redirects": True,
}


def _client(url: str, **inner: Any) -> Mistral:
    seconds = round(TIMEOUT_SECONDS * 1000)
    return Mistral(api_key="judge", server_url=url.removesuffix(PATH), timeout_ms=seconds, **inner)


def _asked(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != "stream"}


def call_mistral(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the mistralai SDK on its defaults."""
    with httpx2.Client(**_OPTIONS) as inner, _client(url, client=inner) as client:
        return _calls(lambda: client.chat.complete(**_asked(body)).model_dump(), calls)


def call_mistral_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the mistralai SDK under asyncio."""

    async def run() -> list[Outcome]:
        async with httpx2.AsyncClient(**_OPTIONS) as inner, _client(url, async_client=inner) as client:

            async def call() -> Any:
                return (await client.chat.complete_async(**_asked(body))).model_dump()

            return await _acalls(call, calls, asyncio.sleep)

    return asyncio.run(run())


def stream_mistral(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the mistralai SDK."""

    def read(seen: list[str]) -> None:
        with client.chat.stream(**_asked(body)) as stream:
            seen.extend(map(_shown, stream))

    with httpx2.Client(**_OPTIONS) as inner, _client(url, client=inner) as client:
        return [_outcome(read) for _ in range(calls)]


def stream_mistral_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the mistralai SDK under asyncio."""

    async def run() -> list[Outcome]:
        async def read(seen: list[str]) -> None:
            async with await client.chat.stream_async(**_asked(body)) as stream:
                async for event in stream:
                    seen.append(_shown(event))

        async with httpx2.AsyncClient(**_OPTIONS) as inner, _client(url, async_client=inner) as client:
            return [await _async_outcome(read) for _ in range(calls)]

    return asyncio.run(run())


PLAIN: Final[dict[str, Client]] = {
    "mistral": call_mistral,
    "mistral_asyncio": call_mistral_asyncio,
    "httpx2": call_httpx2,
    "httpx2_asyncio": call_httpx2_asyncio,
}
STREAMED: Final[dict[str, Client]] = {
    "mistral": stream_mistral,
    "mistral_asyncio": stream_mistral_asyncio,
    "httpx2": STREAM_CLIENTS["httpx2"],
    "httpx2_asyncio": STREAM_CLIENTS["httpx2_asyncio"],
}
