"""What an injected call costs beside a bare mock of the same library, in one process.

Prints medians in microseconds and their ratio. Rounds alternate, so that both sides meet the same weather.

``responses`` stands above urllib3 and http.client, an injection below them. What their own code costs is measured by
itself, over a socket that does nothing but answer: no injection can cost less.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock as patching

import httpx2
import openai
import requests
import responses
import urllib3.connection

from pytest_llmfaults import Answer, inject

URL = "https://api.openai.com/v1/chat/completions"
MESSAGES = [{"role": "user", "content": "hello"}]


def healthy_body() -> bytes:
    """Return the very bytes that an injected call gets, so that both sides parse the same."""
    with inject(Answer("hi")) as seen, requests.Session() as session:
        session.post(URL, json={"model": "gpt-5", "messages": MESSAGES})
    return seen.replies[0].body


BODY = healthy_body()
HEADERS = {"content-type": "application/json"}

Call = Callable[[], object]


def create(client: openai.OpenAI) -> Call:
    """Return one chat completion of the official SDK."""
    return lambda: client.chat.completions.create(model="gpt-5", messages=MESSAGES)  # type: ignore[arg-type]


@contextmanager
def openai_mocked() -> Iterator[Call]:
    """Yield an openai call over a bare MockTransport."""
    transport = httpx2.MockTransport(lambda _request: httpx2.Response(200, content=BODY, headers=HEADERS))
    with httpx2.Client(transport=transport) as http, openai.OpenAI(api_key="k", http_client=http) as client:
        yield create(client)


@contextmanager
def openai_injected() -> Iterator[Call]:
    """Yield an openai call that meets an injection."""
    with inject(Answer("hi")), openai.OpenAI(api_key="k") as client:
        yield create(client)


@contextmanager
def requests_mocked() -> Iterator[Call]:
    """Yield a requests call under bare ``responses``."""
    with responses.RequestsMock() as mock, requests.Session() as session:
        mock.add(responses.POST, URL, body=BODY, content_type=HEADERS["content-type"])
        yield lambda: session.post(URL, json={"model": "gpt-5", "messages": MESSAGES}).json()


@contextmanager
def requests_injected() -> Iterator[Call]:
    """Yield a requests call that meets an injection."""
    with inject(Answer("hi")), requests.Session() as session:
        yield lambda: session.post(URL, json={"model": "gpt-5", "messages": MESSAGES}).json()


class Answering:
    """The least that http.client needs of a socket, answering each request with the same bytes."""

    def __init__(self, raw: bytes) -> None:
        """Take what to answer."""
        self.raw = raw

    def sendall(self, data: bytes) -> None:
        """Take a request."""

    def settimeout(self, seconds: float | None) -> None:
        """Never wait."""

    def makefile(self, *_: object) -> io.BufferedReader:
        """Answer."""
        return io.BufferedReader(io.BytesIO(self.raw))

    def close(self) -> None:
        """Hold nothing."""


@contextmanager
def requests_floor() -> Iterator[Call]:
    """Yield a requests call over a socket that only answers, without any of this package."""
    head = "".join(f"{name}: {value}\r\n" for name, value in {**HEADERS, "content-length": str(len(BODY))}.items())
    raw = f"HTTP/1.1 200 OK\r\n{head}\r\n".encode() + BODY
    kind = urllib3.connection.HTTPSConnection

    def connect(connection: urllib3.connection.HTTPSConnection) -> None:
        connection.sock = Answering(raw)
        connection.is_verified = True

    connected = property(lambda connection: connection.sock is not None)
    with (
        patching.patch.object(kind, "connect", connect),
        patching.patch.object(kind, "is_connected", connected),
        requests.Session() as session,
    ):
        yield lambda: session.post(URL, json={"model": "gpt-5", "messages": MESSAGES}).json()


def measure(call: Call, calls: int) -> float:
    """Return microseconds of CPU a call, the mean of one round."""
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls * 1e6


def compare(
    name: str, mocked: object, injected: object, limit: float | None, rounds: int, calls: int
) -> dict[str, object]:
    """Alternate rounds of both sides and return medians and ratio."""
    bare: list[float] = []
    ours: list[float] = []
    for number in range(rounds + 1):
        for side, into in ((mocked, bare), (injected, ours)):
            with side() as call:  # type: ignore[operator]
                call()
                microseconds = measure(call, calls)
                if number:  # the first round warms up
                    into.append(microseconds)
    ratios = [mine / theirs for mine, theirs in zip(ours, bare, strict=True)]
    return {
        "case": name,
        "mock_us": round(statistics.median(bare), 1),
        "injected_us": round(statistics.median(ours), 1),
        "ratio": round(statistics.median(ratios), 2),
        "limit": limit,
    }


def main() -> int:
    """Print one line a case, JSON with ``--json``; fail when a ratio is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = [
        compare("openai over httpx2.MockTransport", openai_mocked, openai_injected, 1.6, given.rounds, given.calls),
        compare("requests under responses", requests_mocked, requests_injected, 1.2, given.rounds, given.calls),
        compare("requests, urllib3 alone (floor)", requests_mocked, requests_floor, None, given.rounds, given.calls),
    ]
    if given.json:
        print(json.dumps(results, indent=2))
    else:
        for result in results:
            print(
                f"{result['case']:34} {result['mock_us']:>8} us bare {result['injected_us']:>8} us injected "
                f"ratio {result['ratio']}" + (f" (limit {result['limit']})" if result["limit"] else "")
            )
    return int(any(result["limit"] and float(str(result["ratio"])) > float(str(result["limit"])) for result in results))


if __name__ == "__main__":
    sys.exit(main())
