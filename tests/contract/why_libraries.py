"""Retries that a library makes, around the same plain request."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import aiohttp
import backoff
import httpx
import openai
import requests
import stamina
import tenacity
import trio
import urllib3
from requests.adapters import HTTPAdapter

from tests.contract.why_subjects import BODY, URL, ask, post

BASE = URL.removesuffix("/chat/completions")
MESSAGES: Any = BODY["messages"]
STOP: Any = {"stop": tenacity.stop_after_attempt(3), "wait": tenacity.wait_fixed(1)}
RETRIES: Any = {"total": 2, "allowed_methods": None, "status_forcelist": [503], "backoff_factor": 1}


def is_server_error(reply: requests.Response) -> bool:
    return reply.status_code >= 500


def is_requests_error(error: BaseException) -> bool:
    return isinstance(error, requests.RequestException)


by_type = tenacity.retry(retry=tenacity.retry_if_exception_type(requests.RequestException), **STOP)(ask)
by_default = tenacity.retry(**STOP)(ask)
by_types = tenacity.retry(
    retry=tenacity.retry_if_exception_type((KeyError, ValueError))
    | tenacity.retry_if_exception_message(match="503 .*"),
    **STOP,
)(ask)
by_function = tenacity.retry(retry=tenacity.retry_if_exception(is_requests_error), **STOP)(ask)
by_lambda = tenacity.retry(retry=tenacity.retry_if_result(lambda reply: not reply.ok), **STOP)(post)
by_result = tenacity.retry(retry=tenacity.retry_if_result(is_server_error), **STOP)(post)


def in_a_block() -> Any:
    for attempt in tenacity.Retrying(retry=tenacity.retry_if_exception_type(requests.RequestException), **STOP):
        with attempt:
            return ask()
    return None


def result_of_a_block() -> Any:
    reply = None
    for attempt in tenacity.Retrying(retry=tenacity.retry_if_result(is_server_error), **STOP):
        with attempt:
            reply = post()
        if attempt.retry_state.outcome is not None and not attempt.retry_state.outcome.failed:
            attempt.retry_state.set_result(reply)
    return reply


stamina_decorated = stamina.retry(on=requests.RequestException, attempts=3)(ask)
stamina_with_hook = stamina.retry(on=is_requests_error, attempts=3)(ask)


def stamina_block() -> Any:
    for attempt in stamina.retry_context(on=(requests.RequestException, KeyError), attempts=3):
        with attempt:
            return ask()
    return None


backoff_on_exception = backoff.on_exception(backoff.expo, requests.RequestException, max_tries=3)(ask)
backoff_on_predicate = backoff.on_predicate(backoff.expo, is_server_error, max_tries=3)(post)


def mounted() -> Any:
    with requests.Session() as session:
        session.mount("https://", HTTPAdapter(max_retries=urllib3.Retry(**RETRIES)))
        return session.post(URL, json=BODY, timeout=9).json()


def plain_urllib3() -> Any:
    with urllib3.PoolManager(retries=urllib3.Retry(**RETRIES)) as pool:
        return pool.request("POST", URL, json=BODY, timeout=9).status


def sdk(max_retries: int = 2) -> Any:
    with openai.OpenAI(api_key="placeholder", base_url=BASE, max_retries=max_retries) as client:
        return client.chat.completions.create(model="gpt-5", messages=MESSAGES).choices[0].message.content


def around_the_sdk() -> Any:
    for _ in range(2):
        try:
            return sdk(max_retries=1)
        except openai.OpenAIError:
            continue
        except AttributeError:
            return None
    return None


async def sdk_async(max_retries: int = 2) -> Any:
    async with openai.AsyncOpenAI(api_key="placeholder", base_url=BASE, max_retries=max_retries) as client:
        reply = await client.chat.completions.create(model="gpt-5", messages=MESSAGES)
        return reply.choices[0].message.content


def loop_per_attempt() -> Any:
    for _ in range(3):
        try:
            return asyncio.run(sdk_async(0))
        except openai.APIError:
            continue
    return None


async def loop_async() -> Any:
    for attempt in range(3):
        try:
            return await sdk_async(0)
        except openai.APIStatusError as error:
            print(error.status_code)  # noqa: T201
            await asyncio.sleep(attempt)
    return None


async def with_a_deadline() -> Any:
    for attempt in range(3):
        try:
            return await asyncio.wait_for(sdk_async(0), 900)
        except (openai.APIStatusError, asyncio.TimeoutError):
            await asyncio.sleep(attempt)
    return None


async def in_threads() -> Any:
    for _ in range(3):
        try:
            return await asyncio.to_thread(ask)
        except requests.RequestException:
            await asyncio.sleep(1)
    return None


async def side_by_side() -> Any:
    return await asyncio.gather(loop_async(), with_a_deadline(), sdk_async(), return_exceptions=True)


@tenacity.retry(retry=tenacity.retry_if_exception_type(openai.APIError), **STOP)  # type: ignore[untyped-decorator]
async def async_tenacity() -> Any:
    return await sdk_async(0)


async def async_block() -> Any:
    async for attempt in tenacity.AsyncRetrying(retry=tenacity.retry_if_exception_type(openai.APIError), **STOP):
        with attempt:
            return await sdk_async(0)
    return None


@stamina.retry(on=openai.APIError, attempts=3)
async def async_stamina_decorated() -> Any:
    return await sdk_async(0)


@backoff.on_exception(backoff.expo, openai.APIError, max_tries=3)
async def async_backoff() -> Any:
    return await sdk_async(0)


async def status_async() -> Any:
    """Looks at the reply, in a task for each request."""
    for _ in range(2):
        async with openai.AsyncOpenAI(api_key="placeholder", base_url=BASE, max_retries=0) as client:
            reply = await client.chat.completions.create(model="gpt-5", messages=MESSAGES)
        if reply.choices[0].message.content:
            return reply
    return None


async def with_aiohttp() -> Any:
    for _ in range(3):
        try:
            async with aiohttp.ClientSession(raise_for_status=True) as session, session.post(URL, json=BODY) as reply:
                return await reply.json()
        except aiohttp.ClientError:
            await asyncio.sleep(1)
    return None


async def ask_on_trio() -> Any:
    for _ in range(3):
        try:
            async with httpx.AsyncClient() as client:
                return (await client.post(URL, json=BODY)).raise_for_status()
        except httpx.HTTPError:
            await trio.sleep(1)
    return None


def with_trio() -> Any:
    return trio.run(ask_on_trio)


LAMBDA_LINE = next(
    number
    for number, line in enumerate(inspect.getsource(__import__(__name__, fromlist=["*"])).splitlines(), 1)
    if line.startswith("by_lambda")
)
