"""The clients of the judge, each under an active mock that has a route of its own for the same address."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest_httpx2  # noqa: F401 - registers the mocker for httpcore2
import requests
import responses
import respx
import urllib3

from tests import judge_clients
from tests.judge import TIMEOUT_SECONDS, Client, Outcome, class_name


def call_requests_retry(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with a requests session that has urllib3's Retry mounted."""
    retry = urllib3.Retry(total=2, backoff_factor=0, allowed_methods=None, status_forcelist=[429, 500, 502, 503, 504])
    retry.respect_retry_after_header = False
    outcomes: list[Outcome] = []
    with requests.Session() as session:
        session.trust_env = False
        session.mount("https://", requests.adapters.HTTPAdapter(max_retries=retry))
        for _ in range(calls):
            try:
                response = session.post(url, json=body, timeout=TIMEOUT_SECONDS)
                outcomes.append(("value", (response.status_code, response.json())))
            except Exception as error:  # noqa: BLE001 - its class is the outcome
                outcomes.append(("raised", class_name(error)))
    return outcomes


CLIENTS: Final = {**judge_clients.CLIENTS, "requests_retry": call_requests_retry}
ROUTE: Final = {"the user's own": "route"}

Mocked: Any = Callable[[str], contextlib.AbstractContextManager[Callable[[], int]]]


@contextlib.contextmanager
def under_responses(url: str) -> Iterator[Callable[[], int]]:
    """Mock requests, and yield what counts the calls that the mock saw."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.add("POST", url, json=ROUTE)
        yield lambda: len(mock.calls)


def under_respx(using: str) -> Mocked:
    """Mock one library, and yield what counts the calls that the mock saw."""

    @contextlib.contextmanager
    def mocked(url: str) -> Iterator[Callable[[], int]]:
        with respx.mock(using=using, assert_all_called=False) as router:
            router.post(url).respond(json=ROUTE)
            yield lambda: len(router.calls)

    return mocked


MOCKED: Final[dict[str, tuple[str, Mocked]]] = {
    "requests under responses": ("requests", under_responses),
    "requests with Retry under responses": ("requests_retry", under_responses),
    "httpx under respx, httpx": ("httpx", under_respx("httpx")),
    "httpx under respx, httpcore": ("httpx", under_respx("httpcore")),
    "httpx asyncio under respx, httpx": ("httpx_asyncio", under_respx("httpx")),
    "httpx asyncio under respx, httpcore": ("httpx_asyncio", under_respx("httpcore")),
    "httpx trio under respx, httpcore": ("httpx_trio", under_respx("httpcore")),
    "groq under respx, httpcore": ("groq", under_respx("httpcore")),
    "httpx2 under pytest-httpx2": ("httpx2", under_respx("httpcore2")),
    "httpx2 asyncio under pytest-httpx2": ("httpx2_asyncio", under_respx("httpcore2")),
    "openai under pytest-httpx2": ("openai", under_respx("httpcore2")),
    "openai asyncio under pytest-httpx2": ("openai_asyncio", under_respx("httpcore2")),
}


def mocked(name: str) -> tuple[Client, Client, list[int]]:
    """Return a client, the same one under its mock, and a list that the second adds the mock's calls to."""
    client, mock = MOCKED[name]
    plain, calls_seen = CLIENTS[client], list[int]()

    def under(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
        with mock(url) as seen:
            outcomes = plain(url, body, calls)
            calls_seen.append(seen())
        return outcomes

    return plain, under, calls_seen
