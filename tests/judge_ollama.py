"""The official client of Ollama's wires as it is judged: plain and streamed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import ollama

from tests.judge import TIMEOUT_SECONDS, Client, Outcome
from tests.judge_clients import _acalls, _calls, call_httpx, call_httpx_asyncio, tls
from tests.judge_streams import STREAM_CLIENTS, _async_outcome, _outcome, _shown

_OPTIONS: Final[dict[str, Any]] = {"timeout": TIMEOUT_SECONDS, "verify": tls, "trust_env": False}
Ask = Callable[[Any], Callable[..., Any]]
"""Returns the method of a client that makes the requests of a wire."""


def _host(url: str) -> str:
    return url.partition("/api/")[0]


def _plain(ask: Ask) -> Client:
    def call(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
        with ollama.Client(_host(url), **_OPTIONS) as client:
            return _calls(lambda: ask(client)(**body).model_dump(), calls)

    return call


def _plain_asyncio(ask: Ask) -> Client:
    async def run(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
        async with ollama.AsyncClient(_host(url), **_OPTIONS) as client:

            async def call() -> Any:
                return (await ask(client)(**body)).model_dump()

            return await _acalls(call, calls, asyncio.sleep)

    return lambda url, body, calls: asyncio.run(run(url, body, calls))


def _streamed(ask: Ask) -> Client:
    def call(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
        def read(seen: list[str]) -> None:
            seen.extend(map(_shown, ask(client)(**body)))

        with ollama.Client(_host(url), **_OPTIONS) as client:
            return [_outcome(read) for _ in range(calls)]

    return call


def _streamed_asyncio(ask: Ask) -> Client:
    async def run(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
        async def read(seen: list[str]) -> None:
            async for line in await ask(client)(**body):
                seen.append(_shown(line))

        async with ollama.AsyncClient(_host(url), **_OPTIONS) as client:
            return [await _async_outcome(read) for _ in range(calls)]

    return lambda url, body, calls: asyncio.run(run(url, body, calls))


def plain(ask: Ask) -> dict[str, Client]:
    """Return the clients of whole replies."""
    own = {"ollama": _plain(ask), "ollama_asyncio": _plain_asyncio(ask)}
    return {**own, "httpx": call_httpx, "httpx_asyncio": call_httpx_asyncio}


def streamed(ask: Ask) -> dict[str, Client]:
    """Return the clients of streams."""
    own = {"ollama": _streamed(ask), "ollama_asyncio": _streamed_asyncio(ask)}
    return {**own, **{name: STREAM_CLIENTS[name] for name in ("httpx", "httpx_asyncio")}}
