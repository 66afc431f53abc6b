"""The official client of openai.responses as it is judged: plain, streamed, and with its helper of streams."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import httpx2
import openai

from tests.judge import Client, Outcome
from tests.judge_clients import (
    _acalls,
    _async_read,
    _calls,
    _read,
    call_httpx2,
    call_httpx2_asyncio,
    hasty,
    sdk_client,
)
from tests.judge_streams import STREAM_CLIENTS, _async_outcome, _outcome, _shown


def _base(url: str) -> str:
    return url.removesuffix("/responses")


def _client(url: str) -> openai.OpenAI:
    client: openai.OpenAI = sdk_client(openai.OpenAI, httpx2.Client)
    client.base_url = _base(url)
    return client


def _async_client(url: str) -> openai.AsyncOpenAI:
    client: openai.AsyncOpenAI = sdk_client(openai.AsyncOpenAI, httpx2.AsyncClient)
    client.base_url = _base(url)
    return client


def call_responses(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the openai SDK and its default retries."""
    with hasty(openai), _client(url) as client:
        return _calls(lambda: _read(client.responses.create(**body)), calls)


def call_responses_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the openai SDK under asyncio."""

    async def run() -> list[Outcome]:
        async with _async_client(url) as client:

            async def call() -> Any:
                return await _async_read(await client.responses.create(**body))

            return await _acalls(call, calls, asyncio.sleep)

    with hasty(openai):
        return asyncio.run(run())


def stream_responses(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the openai SDK."""

    def read(seen: list[str]) -> None:
        with client.responses.create(**body) as stream:
            seen.extend(map(_shown, stream))

    with hasty(openai), _client(url) as client:
        return [_outcome(read) for _ in range(calls)]


def stream_responses_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the openai SDK under asyncio."""

    async def run() -> list[Outcome]:
        async def read(seen: list[str]) -> None:
            async with await client.responses.create(**body) as stream:
                async for event in stream:
                    seen.append(_shown(event))

        async with _async_client(url) as client:
            return [await _async_outcome(read) for _ in range(calls)]

    with hasty(openai):
        return asyncio.run(run())


def stream_responses_helper(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the helper of the openai SDK, which puts the answer together."""
    asked = {key: value for key, value in body.items() if key != "stream"}

    def read(seen: list[str]) -> None:
        with client.responses.stream(**asked) as stream:
            for event in stream:
                seen.append(event.type)
            seen.append(_shown(stream.get_final_response()))

    with hasty(openai), _client(url) as client:
        return [_outcome(read) for _ in range(calls)]


def stream_responses_helper_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with that helper under asyncio."""
    asked = {key: value for key, value in body.items() if key != "stream"}

    async def run() -> list[Outcome]:
        async def read(seen: list[str]) -> None:
            async with client.responses.stream(**asked) as stream:
                async for event in stream:
                    seen.append(event.type)
                seen.append(_shown(await stream.get_final_response()))

        async with _async_client(url) as client:
            return [await _async_outcome(read) for _ in range(calls)]

    with hasty(openai):
        return asyncio.run(run())


PLAIN: Final[dict[str, Client]] = {
    "openai": call_responses,
    "openai_asyncio": call_responses_asyncio,
    "httpx2": call_httpx2,
    "httpx2_asyncio": call_httpx2_asyncio,
}
STREAMED: Final[dict[str, Client]] = {
    "openai": stream_responses,
    "openai_asyncio": stream_responses_asyncio,
    "openai_helper": stream_responses_helper,
    "openai_helper_asyncio": stream_responses_helper_asyncio,
    "httpx2": STREAM_CLIENTS["httpx2"],
    "httpx2_asyncio": STREAM_CLIENTS["httpx2_asyncio"],
}
