"""The clients that are judged, as small functions: one client object, some calls, how each came out."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http.client
import json
import ssl
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final
from unittest import mock
from urllib.parse import urlsplit

import aiohttp
import groq
import httpx
import httpx2
import openai
import requests
import requests.adapters
import trio
import urllib3

from tests.judge import SETTLE_SECONDS, TIMEOUT_SECONDS, Client, Outcome, class_name

tls: Final = ssl.create_default_context()
"""Made once; loading certificates costs more than the calls."""

_HEADERS: Final = {"Content-Type": "application/json", "Accept-Encoding": "gzip, deflate"}
"""What the clients that say little are told to say, so that rows about codings apply."""

_RETRY_SECONDS: Final = 0.001


def _calls(call: Callable[[], Any], calls: int) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for index in range(calls):
        if index:
            time.sleep(SETTLE_SECONDS)
        try:
            outcomes.append(("value", call()))
        except Exception as error:  # noqa: BLE001 - its class is the outcome
            outcomes.append(("raised", class_name(error)))
    return outcomes


async def _acalls(
    call: Callable[[], Awaitable[Any]], calls: int, sleep: Callable[[float], Awaitable[Any]]
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for index in range(calls):
        if index:
            await sleep(SETTLE_SECONDS)
        try:
            outcomes.append(("value", await call()))
        except Exception as error:  # noqa: BLE001 - its class is the outcome
            outcomes.append(("raised", class_name(error)))
    return outcomes


def call_requests(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with a requests session."""
    with requests.Session() as session:
        session.trust_env = False

        def call() -> Any:
            response = session.post(url, json=body, timeout=TIMEOUT_SECONDS)
            return response.status_code, response.text, len(response.history)

        return _calls(call, calls)


def call_requests_retry(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with a requests session that has urllib3's Retry mounted."""
    retry = urllib3.Retry(total=2, backoff_factor=0, allowed_methods=None, status_forcelist=[429, 500, 502, 503, 504])
    retry.respect_retry_after_header = False
    with requests.Session() as session:
        session.trust_env = False
        session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retry))

        def call() -> Any:
            response = session.post(url, json=body, timeout=TIMEOUT_SECONDS)
            return response.status_code, response.json()

        return _calls(call, calls)


def call_urllib3(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with an urllib3 pool manager and its default retries."""
    retries = urllib3.Retry(3, respect_retry_after_header=False)
    with urllib3.PoolManager(timeout=urllib3.Timeout(TIMEOUT_SECONDS)) as pool:

        def call() -> Any:
            response = pool.request("POST", url, json=body, headers=_HEADERS, retries=retries)
            return response.status, response.data

        return _calls(call, calls)


def call_http_client(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the standard library's connection."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS)

    def call() -> Any:
        try:
            connection.request("POST", parts.path, json.dumps(body), _HEADERS)
            response = connection.getresponse()
            return response.status, response.read()
        except BaseException:
            connection.close()
            raise

    with contextlib.closing(connection):
        return _calls(call, calls)


def _httpx(module: Any, url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    with module.Client(timeout=TIMEOUT_SECONDS, verify=tls, trust_env=False, follow_redirects=True) as client:

        def call() -> Any:
            response = client.post(url, json=body)
            return response.status_code, response.text

        return _calls(call, calls)


def call_httpx(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with httpx."""
    return _httpx(httpx, url, body, calls)


def call_httpx2(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with httpx2."""
    return _httpx(httpx2, url, body, calls)


async def _async_httpx(module: Any, url: str, body: dict[str, Any], calls: int, sleep: Any) -> list[Outcome]:
    async with module.AsyncClient(
        timeout=TIMEOUT_SECONDS, verify=tls, trust_env=False, follow_redirects=True
    ) as client:

        async def call() -> Any:
            response = await client.post(url, json=body)
            return response.status_code, response.text

        return await _acalls(call, calls, sleep)


def _trio(module: Any, url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Run under trio, which warns about the generators that httpx leaves behind when a body does not decode."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Async generator 'http.* was garbage collected", ResourceWarning)
        outcomes = trio.run(_async_httpx, module, url, body, calls, trio.sleep)
        if any(kind == "raised" for kind, _ in outcomes):
            gc.collect(1)  # they are young; all that pytest holds need not be searched
    return outcomes


def call_httpx_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with httpx under asyncio."""
    return asyncio.run(_async_httpx(httpx, url, body, calls, asyncio.sleep))


def call_httpx_trio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with httpx under trio."""
    return _trio(httpx, url, body, calls)


def call_httpx2_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with httpx2 under asyncio."""
    return asyncio.run(_async_httpx(httpx2, url, body, calls, asyncio.sleep))


def call_httpx2_trio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with httpx2 under trio."""
    return _trio(httpx2, url, body, calls)


async def _aiohttp(url: str, body: dict[str, Any], calls: int, limits: aiohttp.ClientTimeout, read: Any) -> Any:
    async with aiohttp.ClientSession(timeout=limits) as session:

        async def call() -> Any:
            async with session.post(url, json=body) as response:
                return response.status, await read(response)

        return await _acalls(call, calls, asyncio.sleep)


def call_aiohttp(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with aiohttp and its timeouts per socket operation."""
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=TIMEOUT_SECONDS, sock_read=TIMEOUT_SECONDS)
    outcomes: list[Outcome] = asyncio.run(_aiohttp(url, body, calls, timeout, aiohttp.ClientResponse.text))
    return outcomes


def call_aiohttp_total(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with aiohttp, its total timeout, and its own JSON."""
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
    outcomes: list[Outcome] = asyncio.run(_aiohttp(url, body, calls, timeout, aiohttp.ClientResponse.json))
    return outcomes


@contextlib.contextmanager
def hasty(sdk: Any) -> Iterator[None]:
    """Let an SDK's own retries wait for next to nothing."""
    with mock.patch.object(sdk._base_client.BaseClient, "_calculate_retry_timeout", return_value=_RETRY_SECONDS):
        yield


def _dumped(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else value


def _read(value: Any) -> Any:
    """Return what a caller reads; of a stream, all of it."""
    if not hasattr(value, "__next__"):
        return _dumped(value)
    with value as stream:
        return [_dumped(chunk) for chunk in stream]


async def _async_read(value: Any) -> Any:
    if not hasattr(value, "__anext__"):
        return _dumped(value)
    async with value as stream:
        return [_dumped(chunk) async for chunk in stream]


def for_sdk(sdk: Any, body: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``create``; groq has none for the options of a stream."""
    if sdk is not groq or "stream_options" not in body:
        return body
    options = {"stream_options": body["stream_options"]}
    return {**{key: value for key, value in body.items() if key not in options}, "extra_body": options}


def _sdk(sdk: Any, client: Any, url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    with hasty(sdk), client:
        client.base_url = base_url(sdk, url)
        return _calls(lambda: _read(client.chat.completions.create(**for_sdk(sdk, body))), calls)


async def _async_sdk(sdk: Any, client: Any, url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    with hasty(sdk):
        async with client:
            client.base_url = base_url(sdk, url)

            async def call() -> Any:
                return await _async_read(await client.chat.completions.create(**for_sdk(sdk, body)))

            return await _acalls(call, calls, asyncio.sleep)


def base_url(sdk: Any, url: str) -> str:
    """Return what the SDK puts its own path behind: groq's begins with /openai/v1."""
    return url.removesuffix("/v1/chat/completions") if sdk is groq else url.removesuffix("/chat/completions")


def sdk_client(sdk: Any, http: Any) -> Any:
    """Make a client of an SDK that trusts the judge's certificate, and asks nothing of the environment."""
    inner = http(timeout=TIMEOUT_SECONDS, verify=tls, trust_env=False, follow_redirects=True)
    return sdk(api_key="sk-judge", http_client=inner, timeout=TIMEOUT_SECONDS)


def call_openai(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the openai SDK and its default retries."""
    client = sdk_client(openai.OpenAI, httpx2.Client)
    return _sdk(openai, client, url, body, calls)


def call_openai_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the openai SDK under asyncio."""

    async def run() -> list[Outcome]:
        client = sdk_client(openai.AsyncOpenAI, httpx2.AsyncClient)
        return await _async_sdk(openai, client, url, body, calls)

    return asyncio.run(run())


def call_groq(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the groq SDK and its default retries."""
    client = sdk_client(groq.Groq, httpx.Client)
    return _sdk(groq, client, url, body, calls)


def call_groq_asyncio(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with the groq SDK under asyncio."""

    async def run() -> list[Outcome]:
        client = sdk_client(groq.AsyncGroq, httpx.AsyncClient)
        return await _async_sdk(groq, client, url, body, calls)

    return asyncio.run(run())


CLIENTS: Final[dict[str, Client]] = {
    function.__name__.removeprefix("call_"): function
    for function in (
        call_requests,
        call_requests_retry,
        call_urllib3,
        call_http_client,
        call_httpx,
        call_httpx_asyncio,
        call_httpx_trio,
        call_httpx2,
        call_httpx2_asyncio,
        call_httpx2_trio,
        call_aiohttp,
        call_aiohttp_total,
        call_openai,
        call_openai_asyncio,
        call_groq,
        call_groq_asyncio,
    )
}
