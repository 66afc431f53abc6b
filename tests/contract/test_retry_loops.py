"""Retry loops of real libraries, driven at the seam of their HTTP library: as sentences, with exact ends of jitter."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anthropic
import backoff
import groq
import httpx
import httpx_retries
import mistralai.client
import mistralai.client.utils
import openai
import pytest
import requests
import requests.adapters
import stamina
import tenacity
import trio
import urllib3

from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.study import drive, drive_async, observing_baseline, studying
from pytest_llmfaults._faults import faults
from pytest_llmfaults._run import Settings

URL = "https://gateway.example.com/v1/chat/completions"
BASE = "https://gateway.example.com/v1"
MESSAGES: Any = [{"role": "user", "content": "x"}]
SETTINGS = Settings(routes=(("/v1/messages", "openai.chat"),))


@pytest.fixture(autouse=True)
def _stamina() -> None:
    stamina.set_active(True)


def observed(call: Callable[[], Any], fault: str) -> Behaviour:
    """Observe a synchronous call under one fault."""
    subject = Subject(call=call, settings=SETTINGS)
    return drive(studying(subject, faults(fault), drive(observing_baseline(subject)))).cases[0].behaviour


async def observed_async(call: Callable[[], Awaitable[Any]], fault: str) -> Behaviour:
    """Observe an asynchronous call under one fault, in the loop that runs."""
    subject = Subject(call=call, settings=SETTINGS)
    baseline = await drive_async(observing_baseline(subject))
    return (await drive_async(studying(subject, faults(fault), baseline))).cases[0].behaviour


def in_asyncio(call: Callable[[], Awaitable[Any]], fault: str) -> Behaviour:
    return asyncio.run(observed_async(call, fault))


def in_trio(call: Callable[[], Awaitable[Any]], fault: str) -> Behaviour:
    return trio.run(observed_async, call, fault)


# Plain requests, for loops that are put around them


def post() -> str:
    reply = requests.post(URL, json={"messages": MESSAGES}, timeout=5)
    reply.raise_for_status()
    return str(reply.json()["id"])


async def apost() -> str:
    async with httpx.AsyncClient() as client:
        reply = await client.post(URL, json={"messages": MESSAGES})
        reply.raise_for_status()
        return str(reply.json()["id"])


# SDKs


def ask_openai(**more: Any) -> Callable[[], Any]:
    def call() -> Any:
        with openai.OpenAI(api_key="k", base_url=BASE, **more) as client:
            return client.chat.completions.create(model="m", messages=MESSAGES).id

    return call


async def aask_openai() -> Any:
    async with openai.AsyncOpenAI(api_key="k", base_url=BASE) as client:
        return (await client.chat.completions.create(model="m", messages=MESSAGES)).id


def ask_groq() -> Any:
    with groq.Groq(api_key="k") as client:
        return client.chat.completions.create(model="m", messages=MESSAGES).id


async def aask_groq() -> Any:
    async with groq.AsyncGroq(api_key="k") as client:
        return (await client.chat.completions.create(model="m", messages=MESSAGES)).id


def ask_anthropic() -> Any:
    """Only its retries are looked at: its route is given another wire's replies, which it hands out unread."""
    with anthropic.Anthropic(api_key="k") as client:
        return client.messages.create(model="m", max_tokens=9, messages=MESSAGES).id


async def aask_anthropic() -> Any:
    async with anthropic.AsyncAnthropic(api_key="k") as client:
        return (await client.messages.create(model="m", max_tokens=9, messages=MESSAGES)).id


def mistral_retries() -> Any:
    utils = mistralai.client.utils
    return utils.RetryConfig("backoff", utils.BackoffStrategy(500, 4000, 2, 9000), retry_connection_errors=True)


def ask_mistral() -> Any:
    with mistralai.client.Mistral(api_key="k", retry_config=mistral_retries()) as client:
        return client.chat.complete(model="m", messages=MESSAGES).id


async def aask_mistral() -> Any:
    async with mistralai.client.Mistral(api_key="k", retry_config=mistral_retries()) as client:
        return (await client.chat.complete_async(model="m", messages=MESSAGES)).id


# Libraries that retry

STOP = tenacity.stop_after_attempt(4)
EVENT = tenacity.sleep_using_event(threading.Event())


def tenacious(wait: Any, **more: Any) -> Callable[[], Any]:
    retried: Callable[[], Any] = tenacity.retry(wait=wait, reraise=True, **{"stop": STOP, **more})(post)
    return retried


@tenacity.retry(wait=tenacity.wait_random_exponential(), stop=STOP, reraise=True)
async def tenacious_async() -> str:
    return await apost()


@stamina.retry(on=requests.RequestException, attempts=4)
def staminaed() -> str:
    return post()


@stamina.retry(on=httpx.HTTPError, attempts=4)
async def staminaed_async() -> str:
    return await apost()


backed_off = backoff.on_exception(backoff.expo, requests.RequestException, max_tries=4)(post)
backed_off_async = backoff.on_exception(backoff.expo, httpx.HTTPError, max_tries=4)(apost)
backed_off_for = backoff.on_exception(
    backoff.constant, requests.RequestException, max_time=10, interval=3, jitter=None
)(post)


def with_adapter(**more: Any) -> Callable[[], Any]:
    def call() -> Any:
        retry = urllib3.Retry(total=3, allowed_methods=None, status_forcelist=[503], **more)
        with requests.Session() as session:
            session.mount("https://", requests.adapters.HTTPAdapter(max_retries=retry))
            return session.post(URL, json={"messages": MESSAGES}, timeout=5).json()["id"]

    return call


def with_transport(**more: Any) -> Callable[[], Any]:
    def call() -> Any:
        retry = httpx_retries.Retry(total=3, allowed_methods=["POST"], backoff_factor=1, **more)
        with httpx.Client(transport=httpx_retries.RetryTransport(retry=retry)) as client:
            reply = client.post(URL, json={"messages": MESSAGES})
            reply.raise_for_status()
            return reply.json()["id"]

    return call


async def with_async_transport() -> Any:
    retry = httpx_retries.Retry(total=3, allowed_methods=["POST"], backoff_factor=1)
    async with httpx.AsyncClient(transport=httpx_retries.RetryTransport(retry=retry)) as client:
        reply = await client.post(URL, json={"messages": MESSAGES})
        reply.raise_for_status()
        return reply.json()["id"]


OPENAI = ("3 attempts, waits 0.375..0.5 0.75..1 s, raises {}", "2 attempts, waits 0.375..0.5 s, same as ok")
MISTRAL = (
    (
        "6 attempts, waits 0.5..1.5 1..2 2..3 4 4 s, waited 10.5..11.5 s, raises SDKError, "
        "or raises SDKError after 5 attempts by chance"
    ),
    "2 attempts, waits 0.5..1.5 s, same as ok",
)
FULL_JITTER = ("4 attempts, waits 0..1 0..2 0..4 s, raises {}", "2 attempts, waits 0..1 s, same as ok")
STAMINA = ("4 attempts, waits 0.1..1.1 0.2..1.2 0.4..1.4 s, raises {}", "2 attempts, waits 0.1..1.1 s, same as ok")
HTTPX_RETRIES = ("4 attempts, waits 0..2 0..4 0..8 s, raises {}", "2 attempts, waits 0..2 s, same as ok")


@pytest.mark.parametrize(
    ("call", "persists", "once"),
    [
        pytest.param(ask_openai(), *OPENAI, id="openai"),
        pytest.param(
            ask_openai(max_retries=5),
            "6 attempts, waits 0.375..0.5 0.75..1 1.5..2 3..4 6..8 s, raises {}",
            OPENAI[1],
            id="openai-max_retries=5",
        ),
        pytest.param(ask_groq, *OPENAI, id="groq"),
        pytest.param(ask_anthropic, *OPENAI, id="anthropic"),
        pytest.param(ask_mistral, *MISTRAL, id="mistralai"),
        pytest.param(tenacious(tenacity.wait_random_exponential()), *FULL_JITTER, id="tenacity-random_exponential"),
        pytest.param(
            tenacious(tenacity.wait_exponential_jitter()),
            "4 attempts, waits 1..2 2..3 4..5 s, raises {}",
            "2 attempts, waits 1..2 s, same as ok",
            id="tenacity-exponential_jitter",
        ),
        pytest.param(
            tenacious(tenacity.wait_fixed(2), stop=tenacity.stop_after_delay(7)),
            "5 attempts, waits 2 (4 times) s, raises {}",
            "2 attempts, waits 2 s, same as ok",
            id="tenacity-stop_after_delay",
        ),
        pytest.param(
            tenacious(tenacity.wait_fixed(30), sleep=EVENT),
            "4 attempts, waits 30 30 30 s, raises {}",
            "2 attempts, waits 30 s, same as ok",
            id="tenacity-sleep_using_event",
        ),
        pytest.param(staminaed, *STAMINA, id="stamina"),
        pytest.param(backed_off, *FULL_JITTER, id="backoff-expo"),
        pytest.param(
            backed_off_for,
            "5 attempts, waits 3 3 3 1 s, raises {}",
            "2 attempts, waits 3 s, same as ok",
            id="backoff-max_time",
        ),
        pytest.param(
            with_adapter(backoff_factor=1),
            "4 attempts, waits 0 2 4 s, raises {}",
            "2 attempts, waits 0 s, same as ok",
            id="urllib3",
        ),
        pytest.param(
            with_adapter(backoff_factor=1, backoff_jitter=0.5),
            "4 attempts, waits 0 2..2.5 4..4.5 s, raises {}",
            "2 attempts, waits 0 s, same as ok",
            id="urllib3-jitter",
        ),
        pytest.param(with_transport(), *HTTPX_RETRIES, id="httpx-retries"),
        pytest.param(
            with_transport(backoff_jitter=0),
            "4 attempts, waits 2 4 8 s, raises {}",
            "2 attempts, waits 2 s, same as ok",
            id="httpx-retries-no_jitter",
        ),
    ],
)
def test_a_loop_waits_as_it_asked_to(call: Callable[[], Any], persists: str, once: str) -> None:
    holds(observed(call, "status.503"), persists, once)


@pytest.mark.parametrize(
    ("call", "expected", "loops"),
    [
        pytest.param(aask_openai, OPENAI, "both", id="openai"),
        pytest.param(aask_groq, OPENAI, "both", id="groq"),
        pytest.param(aask_anthropic, OPENAI, "both", id="anthropic"),
        pytest.param(aask_mistral, MISTRAL, "asyncio", id="mistralai"),
        pytest.param(tenacious_async, FULL_JITTER, "both", id="tenacity"),
        pytest.param(staminaed_async, STAMINA, "both", id="stamina"),
        pytest.param(backed_off_async, FULL_JITTER, "asyncio", id="backoff"),
        pytest.param(with_async_transport, HTTPX_RETRIES, "asyncio", id="httpx-retries"),
    ],
)
def test_an_asynchronous_loop_waits_as_it_asked_to(
    call: Callable[[], Awaitable[Any]], expected: tuple[str, str], loops: str
) -> None:
    holds(in_asyncio(call, "status.503"), *expected)
    if loops == "both":  # the others know nothing of trio
        holds(in_trio(call, "status.503"), *expected)


@pytest.mark.parametrize(
    ("fault", "persists"),
    [
        ("transport.reset_peer", "3 attempts, waits 0.375..0.5 0.75..1 s, raises APIConnectionError"),
        ("transport.timeout", "3 attempts, waits 0.375..0.5 0.75..1 s, waited 1800 s, raises APITimeoutError"),
        ("status.429_retry_after_seconds", "3 attempts, waits 7 7 s, raises RateLimitError"),
        ("status.429_retry_after_date", "3 attempts, waits 7 7 s, raises RateLimitError"),
        ("status.429_retry_after_ms", "3 attempts, waits 4.32 4.32 s, raises RateLimitError"),
        ("status.429_should_not_retry", "1 attempt, raises RateLimitError"),
        ("status.400_should_retry", "3 attempts, waits 0.375..0.5 0.75..1 s, raises BadRequestError"),
        ("body.html_page", "1 attempt, raises AttributeError"),
    ],
)
def test_what_openai_makes_of_other_faults(fault: str, persists: str) -> None:
    assert observed(ask_openai(), fault).persists == persists


def holds(seen: Behaviour, persists: str, once: str) -> None:
    """Find both sentences as they are expected; the name of the exception is each library's own."""
    pattern = re.escape(persists).replace(r"\{\}", r"\w+")
    assert (bool(re.fullmatch(pattern, seen.persists)), seen.once) == (True, once), seen
