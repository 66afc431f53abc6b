"""The official client of openai.embeddings as it is judged: with the format that it asks for by itself, or another."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import httpx2
import openai

from tests.judge import Client, Outcome
from tests.judge_clients import _acalls, _calls, call_httpx2, call_httpx2_asyncio, hasty, sdk_client
from tests.judge_streams import _shown  # as a text, in which a number that is none is equal to itself


def _made(sdk: Any, http: Any, url: str) -> Any:
    client = sdk_client(sdk, http)
    client.base_url = url.removesuffix("/embeddings")
    return client


def _usual(body: dict[str, Any]) -> dict[str, Any]:
    """Leave the format to the SDK: it asks for base64 and decodes it."""
    return {key: value for key, value in body.items() if (key, value) != ("encoding_format", "base64")}


def call_openai(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the SDK and its default retries."""
    with hasty(openai), _made(openai.OpenAI, httpx2.Client, url) as client:
        return _calls(lambda: _shown(client.embeddings.create(**_usual(body))), calls)


def call_openai_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the SDK under asyncio."""

    async def run() -> list[Outcome]:
        async with _made(openai.AsyncOpenAI, httpx2.AsyncClient, url) as client:

            async def call() -> Any:
                return _shown(await client.embeddings.create(**_usual(body)))

            return await _acalls(call, calls, asyncio.sleep)

    with hasty(openai):
        return asyncio.run(run())


PLAIN: Final[dict[str, Client]] = {
    "openai": call_openai,
    "openai_asyncio": call_openai_asyncio,
    "httpx2": call_httpx2,
    "httpx2_asyncio": call_httpx2_asyncio,
}
