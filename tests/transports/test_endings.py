"""How a reply ends, in every client's own words."""

from __future__ import annotations

import dataclasses
import http.client
import socket
import ssl
import urllib.error
from typing import Any

import pytest
import requests
import urllib3

from pytest_llmfaults._reply import Pause, Reply
from pytest_llmfaults._run import Run

from .tools import (
    CLOSED,
    CONNECT_SECONDS,
    CUT_BODY,
    EVERY,
    HTTPX,
    OK,
    READ_SECONDS,
    REFUSED,
    RESET,
    SAID,
    SDKS,
    SILENT,
    UNREACHED,
    URLLIB,
    Ask,
    inject,
)


@pytest.mark.parametrize("ask", EVERY.values(), ids=EVERY)
class TestEvery:
    def test_healthy_over_tls_without_dns(self, in_run: Run, ask: Ask) -> None:
        inject(in_run, OK)
        assert ask() == SAID
        (attempt,) = in_run.ledger.attempts
        assert attempt.outcome == "read"
        assert attempt.request.url.startswith("https://gateway.example.com/v1/")
        assert attempt.request.path.endswith("/chat/completions")
        assert attempt.request.model == "m"

    def test_several_on_one_connection(self, in_run: Run, ask: Ask) -> None:
        inject(in_run, dataclasses.replace(OK, status=200), OK)
        assert ask(times=3) == SAID
        assert [attempt.outcome for attempt in in_run.ledger.attempts] == ["read"] * 3

    @pytest.mark.parametrize("framing", ["length", "chunked", "close"])
    def test_slow_drip(self, in_run: Run, ask: Ask, framing: Any) -> None:
        body = OK.body
        chunks = tuple(piece for n in range(0, len(body), 40) for piece in (Pause(READ_SECONDS - 1), body[n : n + 40]))
        inject(in_run, dataclasses.replace(OK, chunks=chunks, framing=framing))
        assert ask() == SAID
        (attempt,) = in_run.ledger.attempts
        assert attempt.outcome == "read"
        assert attempt.ended_seconds == pytest.approx((READ_SECONDS - 1) * len(chunks) / 2)

    def test_pause_longer_than_the_timeout(self, in_run: Run, ask: Ask) -> None:
        inject(in_run, dataclasses.replace(OK, chunks=(OK.body[:9], Pause(READ_SECONDS + 1), OK.body[9:])))
        with pytest.raises(Exception):  # noqa: B017, PT011 - which one it is, is asked below
            ask()
        assert in_run.ledger.attempts[0].outcome == "timed_out"
        assert in_run.ledger.attempts[0].ended_seconds == pytest.approx(READ_SECONDS)

    def test_latency(self, in_run: Run, ask: Ask) -> None:
        inject(in_run, dataclasses.replace(OK, first_byte_seconds=READ_SECONDS - 2))
        assert ask() == SAID
        assert in_run.ledger.attempts[0].ended_seconds == pytest.approx(READ_SECONDS - 2)

    def test_length_that_lies_short_leaves_bytes_behind(self, in_run: Run, ask: Ask) -> None:
        lie = Reply.json({"x": 1}).with_headers(content_length="8")
        inject(in_run, dataclasses.replace(lie, chunks=(b'{"x": 1}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}',)))
        assert ask()

    def test_stale_connection(self, in_run: Run, ask: Ask) -> None:
        inject(in_run, dataclasses.replace(OK, ending="stale"), OK)
        if ask is URLLIB["urllib"]:  # it keeps no connection
            assert ask(times=2) == SAID
        else:
            with pytest.raises(Exception):  # noqa: B017, PT011 - each library's own word for a reset
                ask(times=2)
        assert {attempt.outcome for attempt in in_run.ledger.attempts} == {"read"}


Case = tuple[Reply, str, str, float]

HTTPX_CASES: dict[str, Case] = {
    "refused": (REFUSED, "ConnectError", "refused", 0.0),
    "unreached": (UNREACHED, "ConnectTimeout", "timed_out", CONNECT_SECONDS),
    "unresolved": (dataclasses.replace(OK, connection="unresolved"), "ConnectError", "refused", 0.0),
    "untrusted": (dataclasses.replace(OK, connection="untrusted"), "ConnectError", "refused", 0.0),
    "reset": (RESET, "ReadError", "reset", 0.0),
    "closed": (CLOSED, "RemoteProtocolError", "cut", 0.0),
    "cut in the body": (CUT_BODY, "RemoteProtocolError", "cut", 0.0),
    "silent": (SILENT, "ReadTimeout", "timed_out", READ_SECONDS),
    "reset in the body": (dataclasses.replace(CUT_BODY, ending="reset"), "ReadError", "reset", 0.0),
    "stalled in the body": (dataclasses.replace(CUT_BODY, ending="stalled"), "ReadTimeout", "timed_out", READ_SECONDS),
    "length too long": (OK.with_headers(content_length="9999"), "ReadTimeout", "timed_out", READ_SECONDS),
    "cut in the head": (dataclasses.replace(OK, head_bytes=30, ending="cut"), "RemoteProtocolError", "cut", 0.0),
}


@pytest.mark.parametrize("case", HTTPX_CASES.values(), ids=HTTPX_CASES)
@pytest.mark.parametrize("client", HTTPX.values(), ids=HTTPX)
def test_httpx(in_run: Run, client: tuple[Any, Ask], case: Case) -> None:
    module, ask = client
    reply, name, outcome, seconds = case
    inject(in_run, reply)
    with pytest.raises(getattr(module, name)) as caught:
        ask()
    assert type(caught.value) is getattr(module, name)
    (attempt,) = in_run.ledger.attempts
    assert attempt.outcome == outcome
    assert attempt.ended_seconds == pytest.approx(seconds)


@pytest.mark.parametrize("case", HTTPX_CASES.values(), ids=HTTPX_CASES)
@pytest.mark.parametrize("client", SDKS.values(), ids=SDKS)
def test_sdks(in_run: Run, client: tuple[Any, Ask], case: Case) -> None:
    module, ask = client
    reply, name, outcome, _ = case
    inject(in_run, reply)
    expected = module.APITimeoutError if name.endswith("Timeout") else module.APIConnectionError
    with pytest.raises(expected) as caught:
        ask()
    assert type(caught.value) is expected
    assert type(caught.value.__cause__).__name__ == name
    assert [attempt.outcome for attempt in in_run.ledger.attempts] == [outcome]


Errors = dict[str, type[Exception]]

URLLIB_CASES: dict[str, tuple[Reply, Errors]] = {
    "refused": (
        REFUSED,
        {
            "requests": requests.exceptions.ConnectionError,
            "urllib3": urllib3.exceptions.NewConnectionError,
            "http.client": ConnectionRefusedError,
            "urllib": urllib.error.URLError,
        },
    ),
    "unreached": (
        UNREACHED,
        {
            "requests": requests.exceptions.ConnectTimeout,
            "urllib3": urllib3.exceptions.ConnectTimeoutError,
            "http.client": TimeoutError,
            "urllib": urllib.error.URLError,
        },
    ),
    "unresolved": (
        dataclasses.replace(OK, connection="unresolved"),
        {
            "requests": requests.exceptions.ConnectionError,
            "urllib3": urllib3.exceptions.NameResolutionError,
            "http.client": socket.gaierror,
            "urllib": urllib.error.URLError,
        },
    ),
    "untrusted": (
        dataclasses.replace(OK, connection="untrusted"),
        {
            "requests": requests.exceptions.SSLError,
            "urllib3": urllib3.exceptions.SSLError,
            "http.client": ssl.SSLCertVerificationError,
            "urllib": urllib.error.URLError,
        },
    ),
    "reset": (
        RESET,
        {
            "requests": requests.exceptions.ConnectionError,
            "urllib3": urllib3.exceptions.ProtocolError,
            "http.client": ConnectionResetError,
            "urllib": ConnectionResetError,
        },
    ),
    "closed": (
        CLOSED,
        {
            "requests": requests.exceptions.ConnectionError,
            "urllib3": urllib3.exceptions.ProtocolError,
            "http.client": http.client.RemoteDisconnected,
            "urllib": http.client.RemoteDisconnected,
        },
    ),
    "cut in the body": (
        CUT_BODY,
        {
            "requests": requests.exceptions.ChunkedEncodingError,
            "urllib3": urllib3.exceptions.ProtocolError,
            "http.client": http.client.IncompleteRead,
            "urllib": http.client.IncompleteRead,
        },
    ),
    "silent": (
        SILENT,
        {
            "requests": requests.exceptions.ReadTimeout,
            "urllib3": urllib3.exceptions.ReadTimeoutError,
            "http.client": TimeoutError,
            "urllib": TimeoutError,
        },
    ),
}


@pytest.mark.parametrize("case", URLLIB_CASES.values(), ids=URLLIB_CASES)
@pytest.mark.parametrize("name", URLLIB)
def test_urllib3_and_http_client(in_run: Run, name: str, case: tuple[Reply, Errors]) -> None:
    reply, errors = case
    inject(in_run, reply)
    with pytest.raises(errors[name]) as caught:
        URLLIB[name]()
    assert type(caught.value) is errors[name]
    assert len(in_run.ledger.attempts) == 1


def test_causes_of_urllib3(in_run: Run) -> None:
    inject(in_run, RESET, CUT_BODY, REFUSED)
    with pytest.raises(urllib3.exceptions.ProtocolError) as reset:
        URLLIB["urllib3"]()
    assert isinstance(reset.value.args[1], ConnectionResetError)
    with pytest.raises(urllib3.exceptions.ProtocolError) as cut:
        URLLIB["urllib3"]()
    assert isinstance(cut.value.args[1], http.client.IncompleteRead)
    with pytest.raises(urllib3.exceptions.NewConnectionError, match="Connection refused") as refused:
        URLLIB["urllib3"]()
    assert isinstance(refused.value.__cause__, ConnectionRefusedError)


def test_header_block_that_was_cut_is_an_empty_200_for_requests(in_run: Run) -> None:
    inject(in_run, dataclasses.replace(OK, head_bytes=30, ending="cut"))
    response = requests.post("https://gateway.example.com/v1/chat/completions", json={}, timeout=1)
    assert (response.status_code, response.content) == (200, b"")
