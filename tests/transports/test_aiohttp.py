"""aiohttp in memory: true classes, true timeouts on virtual time, on asyncio's loop and on uvloop."""

from __future__ import annotations

import asyncio
import dataclasses
import errno
import socket
import ssl
from typing import Any

import aiohttp
import pytest

from pytest_llmfaults._current import active
from pytest_llmfaults._reply import Pause, Reply
from pytest_llmfaults._run import Run
from pytest_llmfaults._transports._play import KERNEL_CONNECT_SECONDS
from pytest_llmfaults.errors import Refused, WaitsForever
from tests.transports.aiohttp_kit import BODY, NO_LIMITS, STALLED, URL, Runner, ask, injected, pieces


def test_healthy_over_https_without_dns_and_tls(go: Runner) -> None:
    run = injected("ok")
    with active(run):
        reply = go(ask())
    (attempt,) = run.ledger.attempts
    assert reply["choices"][0]["message"]["content"]
    assert (attempt.outcome, attempt.request.library, attempt.request.json) == ("read", "aiohttp", BODY)
    assert attempt.request.url == URL
    assert attempt.request.header("content-type") == "application/json"
    assert attempt.request.header("host") == "gateway.example.com"


def test_refused_has_the_class_and_the_facts_of_a_true_one(go: Runner) -> None:
    run = injected(Reply(connection="refused"))
    with active(run), pytest.raises(aiohttp.ClientConnectorError) as caught:
        go(ask())
    error = caught.value
    assert (error.host, error.port, error.ssl) == ("gateway.example.com", 443, True)
    assert isinstance(error.os_error, ConnectionRefusedError)
    assert error.errno == errno.ECONNREFUSED
    assert [attempt.outcome for attempt in run.ledger.attempts] == ["refused"]


@pytest.mark.parametrize("data", [None, "pieces"], ids=["at the dial", "when written"])
@pytest.mark.parametrize(
    ("connection", "kind", "cause"),
    [
        ("unresolved", aiohttp.ClientConnectorDNSError, socket.gaierror),
        ("untrusted", aiohttp.ClientConnectorCertificateError, ssl.SSLCertVerificationError),
    ],
)
def test_what_fails_around_the_connection(
    go: Runner, connection: Any, kind: type[Exception], cause: type[Exception], data: str | None
) -> None:
    run = injected(Reply(connection=connection))
    with active(run), pytest.raises(kind) as caught:
        go(ask(json=None, data=pieces()) if data else ask())
    error: Any = caught.value
    assert isinstance(error.certificate_error if connection == "untrusted" else error.os_error, cause)
    assert (error.host, error.port) == ("gateway.example.com", 443)
    assert [attempt.outcome for attempt in run.ledger.attempts] == ["refused"]


def test_a_kept_connection_that_is_dead(go: Runner) -> None:
    async def thrice() -> list[Any]:
        async with aiohttp.ClientSession() as session:

            async def one() -> Any:
                try:
                    async with session.post(URL, json=BODY) as response:
                        return (await response.json())["a"]
                except aiohttp.ClientOSError as error:
                    return error.errno

            return [await one() for _ in range(3)]

    reply = dataclasses.replace(Reply.json({"a": 1}), ending="stale")
    run = injected(reply, Reply.json({"a": 2}))
    with active(run):
        assert go(thrice()) == [1, errno.ECONNRESET, 2]
    assert len(run.ledger.attempts) == 2


@pytest.mark.parametrize(
    ("limits", "kind", "seconds"),
    [
        (aiohttp.ClientTimeout(total=None, sock_connect=10), aiohttp.ConnectionTimeoutError, 10),
        (aiohttp.ClientTimeout(total=None, connect=20), aiohttp.ConnectionTimeoutError, 20),
        (aiohttp.ClientTimeout(total=30), asyncio.TimeoutError, 30),
        (NO_LIMITS, aiohttp.ClientConnectorError, KERNEL_CONNECT_SECONDS),
    ],
    ids=["sock_connect", "connect", "total", "none"],
)
def test_a_connection_that_never_opens(
    go: Runner, limits: aiohttp.ClientTimeout, kind: type[Exception], seconds: float
) -> None:
    run = injected(Reply(connection="timed_out"))
    with active(run), pytest.raises(kind):
        go(ask(limits))
    # aiohttp rounds timeouts above five seconds up to the next whole second of the loop's clock.
    assert seconds <= run.clock.elapsed_seconds <= seconds + 1
    assert [attempt.outcome for attempt in run.ledger.attempts] == ["timed_out"]


@pytest.mark.parametrize(
    ("limits", "kind", "seconds"),
    [
        (aiohttp.ClientTimeout(total=None, sock_read=60), aiohttp.SocketTimeoutError, 60),
        (aiohttp.client.DEFAULT_TIMEOUT, asyncio.TimeoutError, 300),
    ],
    ids=["sock_read", "default"],
)
@pytest.mark.parametrize("reply", [STALLED, Reply(chunks=(b"{",), ending="stalled")], ids=["head", "body"])
def test_a_stall_costs_the_clients_own_timeout(
    go: Runner, reply: Reply, limits: aiohttp.ClientTimeout, kind: type[Exception], seconds: float
) -> None:
    if reply is not STALLED:
        reply = reply.with_headers(content_length="100", content_type="application/json")
    run = injected(reply)
    with active(run), pytest.raises(kind):
        go(ask(limits))
    assert seconds <= run.clock.elapsed_seconds <= seconds + 1
    assert [attempt.outcome for attempt in run.ledger.attempts] == ["timed_out"]


def test_a_stall_without_any_timeout_is_for_ever(go: Runner) -> None:
    run = injected(STALLED)
    with active(run), pytest.raises(WaitsForever):
        go(ask())
    assert [attempt.outcome for attempt in run.ledger.attempts] == ["forever"]


def test_a_stall_ends_with_the_callers_wait_for(go: Runner) -> None:
    async def bounded() -> Any:
        return await asyncio.wait_for(ask(), 45)

    run = injected(STALLED)
    with active(run), pytest.raises(asyncio.TimeoutError):
        go(bounded())
    assert run.clock.elapsed_seconds == pytest.approx(45, abs=0.1)
    assert [attempt.outcome for attempt in run.ledger.attempts] == ["closed_early"]


def test_pauses_take_virtual_time(go: Runner) -> None:
    body = b'{"a": [1, 2]}'
    reply = Reply(chunks=(body[:5], Pause(20), body[5:]), first_byte_seconds=30)
    run = injected(reply.with_headers(content_type="application/json"))
    with active(run):
        assert go(ask(aiohttp.ClientTimeout(total=None, sock_read=31))) == {"a": [1, 2]}
    assert run.clock.elapsed_seconds == pytest.approx(50)


@pytest.mark.parametrize("url", [URL, "https://elsewhere.example.com/anything"], ids=["route", "elsewhere"])
def test_what_nobody_covers_is_refused(go: Runner, url: str) -> None:
    run = Run(name="bare")
    with active(run), pytest.raises(Refused, match=r"example\.com"):
        go(ask(url=url))
    assert [refusal.fatal for refusal in run.ledger.refusals] == [True]


def test_a_body_that_is_read_once_is_decided_when_it_is_written(go: Runner) -> None:
    run = injected("ok")
    with active(run):
        assert go(ask(json=None, data=pieces()))["choices"]
    (attempt,) = run.ledger.attempts
    assert attempt.request.json == {"model": "gpt-test", "messages": []}


@pytest.mark.parametrize(
    ("connection", "kind"),
    [("refused", aiohttp.ClientConnectorError), ("timed_out", aiohttp.ConnectionTimeoutError)],
)
def test_a_body_that_is_read_once_and_no_connection(go: Runner, connection: Any, kind: type[Exception]) -> None:
    run = injected(Reply(connection=connection))
    with active(run), pytest.raises(kind):
        go(ask(aiohttp.ClientTimeout(total=None, sock_connect=5), json=None, data=pieces()))
    assert [attempt.outcome for attempt in run.ledger.attempts] == [connection]


def test_a_body_that_is_read_once_is_refused_too(go: Runner) -> None:
    run = Run(name="bare")
    with active(run), pytest.raises(Refused):
        go(ask(json=None, data=pieces()))


def test_expect_continue(go: Runner) -> None:
    run = injected("ok")
    with active(run):
        assert go(ask(expect100=True))["choices"]
