"""A certificate that cannot be verified stops only clients that verify."""

from __future__ import annotations

import asyncio
import dataclasses
import http.client
import json
import ssl
import warnings
from collections.abc import Callable
from typing import Any

import aiohttp
import httpx
import httpx2
import pytest
import requests
import urllib3

from pytest_llmfaults._run import Run

from .tools import ASK, HOST, OK, SAID, URL, inject

UNTRUSTED = dataclasses.replace(OK, connection="untrusted")


def any_certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def ask_requests() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", urllib3.exceptions.InsecureRequestWarning)
        return requests.post(URL, json=ASK, verify=False, timeout=1).json()  # noqa: S501 - that is the point


def ask_urllib3() -> Any:
    with urllib3.PoolManager(ssl_context=any_certificate(), assert_hostname=False) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore", urllib3.exceptions.InsecureRequestWarning)
        return pool.request("POST", URL, json=ASK).json()


def ask_http_client() -> Any:
    connection = http.client.HTTPSConnection(HOST, context=any_certificate())
    connection.request("POST", "/v1/chat/completions", json.dumps(ASK))
    return json.loads(connection.getresponse().read())


def ask_httpx() -> Any:
    return httpx.post(URL, json=ASK, verify=False).json()  # noqa: S501 - that is the point


def ask_httpx2() -> Any:
    return httpx2.post(URL, json=ASK, verify=any_certificate()).json()


def ask_httpx_when_written() -> Any:
    def pieces() -> Any:
        yield json.dumps(ASK).encode()

    return httpx.post(URL, content=pieces(), verify=any_certificate()).json()


def ask_async_httpx() -> Any:
    async def ask() -> Any:
        async with httpx.AsyncClient(verify=any_certificate()) as client:
            return (await client.post(URL, json=ASK)).json()

    return asyncio.run(ask())


def ask_aiohttp(**where: Any) -> Callable[[], Any]:
    async def ask() -> Any:
        connector = aiohttp.TCPConnector(**{key: value for key, value in where.items() if key == "ssl"})
        async with aiohttp.ClientSession(connector=connector) as session:
            more = {"ssl": where["of_request"]} if "of_request" in where else {}
            async with session.post(URL, json=ASK, **more) as response:
                return await response.json()

    return lambda: asyncio.run(ask())


CLIENTS: dict[str, Callable[[], Any]] = {
    "requests": ask_requests,
    "urllib3": ask_urllib3,
    "http.client": ask_http_client,
    "httpx": ask_httpx,
    "httpx2": ask_httpx2,
    "httpx, when written": ask_httpx_when_written,
    "async httpx": ask_async_httpx,
    "aiohttp, a request": ask_aiohttp(of_request=False),
    "aiohttp, a connector": ask_aiohttp(ssl=any_certificate()),
}


@pytest.mark.parametrize("ask", CLIENTS.values(), ids=CLIENTS)
def test_whoever_takes_any_certificate_gets_the_reply(in_run: Run, ask: Callable[[], Any]) -> None:
    inject(in_run, UNTRUSTED)
    assert ask() == SAID
    (attempt,) = in_run.ledger.attempts
    assert attempt.outcome == "read"


def test_a_fingerprint_is_a_verification(in_run: Run) -> None:
    inject(in_run, UNTRUSTED)
    with pytest.raises(aiohttp.ClientConnectorCertificateError):
        ask_aiohttp(of_request=aiohttp.Fingerprint(b"x" * 32))()
