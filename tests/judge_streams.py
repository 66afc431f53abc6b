"""The clients of streams that are judged: what each read of a stream, up to the error that ended it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import aiohttp
import groq
import httpx
import httpx2
import openai
import requests

from tests.judge import TIMEOUT_SECONDS, Client, Outcome, class_name
from tests.judge_clients import base_url, for_sdk, hasty, sdk_client, tls

Read = Callable[[list[str]], None]


def _outcome(read: Read) -> Outcome:
    """Read a stream into a list, and tell what was read; where it ends in an error, its class, too."""
    seen: list[str] = []
    try:
        read(seen)
    except Exception as error:  # noqa: BLE001 - its class is the outcome
        return "raised", (class_name(error), tuple(seen))
    return "value", tuple(seen)


async def _async_outcome(read: Callable[[list[str]], Awaitable[None]]) -> Outcome:
    seen: list[str] = []
    try:
        await read(seen)
    except Exception as error:  # noqa: BLE001 - its class is the outcome
        return "raised", (class_name(error), tuple(seen))
    return "value", tuple(seen)


def call_requests(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Read lines with requests."""

    def read(seen: list[str]) -> None:
        with session.post(url, json=body, timeout=TIMEOUT_SECONDS, stream=True) as response:
            seen.append(f"{response.status_code} {response.headers.get('content-type')}")
            seen.extend(map(repr, response.iter_lines()))

    with requests.Session() as session:
        session.trust_env = False
        return [_outcome(read) for _ in range(calls)]


def _httpx(module: Any, url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    def read(seen: list[str]) -> None:
        with client.stream("POST", url, json=body) as response:
            seen.append(f"{response.status_code} {response.headers.get('content-type')}")
            seen.extend(map(repr, response.iter_lines()))

    with module.Client(timeout=TIMEOUT_SECONDS, verify=tls, trust_env=False, follow_redirects=True) as client:
        return [_outcome(read) for _ in range(calls)]


def call_httpx(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Read lines with httpx."""
    return _httpx(httpx, url, body, calls)


def call_httpx2(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Read lines with httpx2."""
    return _httpx(httpx2, url, body, calls)


async def _async_httpx(module: Any, url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    async def read(seen: list[str]) -> None:
        async with client.stream("POST", url, json=body) as response:
            seen.append(f"{response.status_code} {response.headers.get('content-type')}")
            async for line in response.aiter_lines():
                seen.append(repr(line))

    options = {"timeout": TIMEOUT_SECONDS, "verify": tls, "trust_env": False, "follow_redirects": True}
    async with module.AsyncClient(**options) as client:
        return [await _async_outcome(read) for _ in range(calls)]


def call_httpx_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Read lines with httpx under asyncio."""
    return asyncio.run(_async_httpx(httpx, url, body, calls))


def call_httpx2_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Read lines with httpx2 under asyncio."""
    return asyncio.run(_async_httpx(httpx2, url, body, calls))


def call_aiohttp(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Read lines with aiohttp."""

    async def run() -> list[Outcome]:
        async def read(seen: list[str]) -> None:
            async with session.post(url, json=body) as response:
                seen.append(f"{response.status} {response.headers.get('content-type')}")
                async for line in response.content:
                    seen.append(repr(line))

        limits = aiohttp.ClientTimeout(total=None, sock_connect=TIMEOUT_SECONDS, sock_read=TIMEOUT_SECONDS)
        async with aiohttp.ClientSession(timeout=limits) as session:
            return [await _async_outcome(read) for _ in range(calls)]

    return asyncio.run(run())


def _shown(chunk: Any) -> str:
    return repr(chunk.model_dump() if hasattr(chunk, "model_dump") else chunk)


def _sdk(sdk: Any, client: Any, url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    def read(seen: list[str]) -> None:
        with client.chat.completions.create(**for_sdk(sdk, body)) as stream:
            seen.extend(map(_shown, stream))

    with hasty(sdk), client:
        client.base_url = base_url(sdk, url)
        return [_outcome(read) for _ in range(calls)]


async def _async_sdk(sdk: Any, client: Any, url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    async def read(seen: list[str]) -> None:
        async with await client.chat.completions.create(**for_sdk(sdk, body)) as stream:
            async for chunk in stream:
                seen.append(_shown(chunk))

    with hasty(sdk):
        async with client:
            client.base_url = base_url(sdk, url)
            return [await _async_outcome(read) for _ in range(calls)]


def call_openai(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the openai SDK."""
    return _sdk(openai, sdk_client(openai.OpenAI, httpx2.Client), url, body, calls)


def call_openai_helper(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the helper of the openai SDK, which puts the answer together."""
    asked = {key: value for key, value in body.items() if key != "stream"}
    client = sdk_client(openai.OpenAI, httpx2.Client)

    def read(seen: list[str]) -> None:
        with client.chat.completions.stream(**asked) as stream:
            for event in stream:
                seen.append(event.type)
            seen.append(_shown(stream.get_final_completion()))

    with hasty(openai), client:
        client.base_url = base_url(openai, url)
        return [_outcome(read) for _ in range(calls)]


def call_openai_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the openai SDK under asyncio."""

    async def run() -> list[Outcome]:
        client = sdk_client(openai.AsyncOpenAI, httpx2.AsyncClient)
        return await _async_sdk(openai, client, url, body, calls)

    return asyncio.run(run())


def call_groq(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the groq SDK, which has no option for usage."""
    client = sdk_client(groq.Groq, httpx.Client)
    return _sdk(groq, client, url, body, calls)


def call_groq_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with the groq SDK under asyncio."""

    async def run() -> list[Outcome]:
        client = sdk_client(groq.AsyncGroq, httpx.AsyncClient)
        return await _async_sdk(groq, client, url, body, calls)

    return asyncio.run(run())


STREAM_CLIENTS: Final[dict[str, Client]] = {
    function.__name__.removeprefix("call_"): function
    for function in (
        call_requests,
        call_httpx,
        call_httpx_asyncio,
        call_httpx2,
        call_httpx2_asyncio,
        call_aiohttp,
        call_openai,
        call_openai_helper,
        call_openai_asyncio,
        call_groq,
        call_groq_asyncio,
    )
}
