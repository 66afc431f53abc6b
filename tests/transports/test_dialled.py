"""A transport that another package brings: its sockets play what a real gateway says, for a client of its own."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
import requests

from pytest_llmfaults import Refused, WaitsForever, inject
from pytest_llmfaults._dial import Address, Transport
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._registry import Loan, lending
from tests.judge import SETTLE_SECONDS, TIMEOUT_SECONDS, Outcome, class_name, judge
from tests.judge_clients import tls

URL: Final = "https://gateway.example.com/v1/chat/completions"


def dial(host: str, port: int, *, secure: bool, timeout: float | None) -> socket.socket:
    """Open a connection; what the transport stands before."""
    connection = socket.create_connection((host, port), timeout)
    return tls.wrap_socket(connection, server_hostname=host) if secure else connection


def _address(host: str, port: int, *, secure: bool, timeout: float | None) -> Address:
    return Address(scheme="https" if secure else "http", host=host, port=port, timeout_seconds=timeout)


BROUGHT: Final = Transport(name="acme_rpc", module=__name__, function="dial", address=_address)


@pytest.fixture(autouse=True)
def lent() -> Iterator[None]:
    with lending({"transports": {"acme_rpc": Loan(BROUGHT, "this test")}}):
        yield


def ask(url: str, body: Any, *, timeout: float | None = TIMEOUT_SECONDS) -> Any:
    """Ask once, with the parser of the standard library over a socket of our own."""
    parts, secure = urlsplit(url), url.startswith("https")
    content = json.dumps(body).encode()
    head = f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: {len(content)}\r\n\r\n"
    port = parts.port or (443 if secure else 80)
    with dial(parts.hostname or "", port, secure=secure, timeout=timeout) as connection:
        connection.sendall(head.encode() + content)
        reply = http.client.HTTPResponse(connection, method="POST")
        reply.begin()
        return (reply.status, json.loads(reply.read()))


def client(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for index in range(calls):
        time.sleep(SETTLE_SECONDS if index else 0)
        try:
            outcomes.append(("value", ask(url, body)))
        except Exception as error:  # noqa: BLE001 - its class is the outcome
            outcomes.append(("raised", class_name(error)))
    return outcomes


JUDGED: Final = (
    "transport.refused",
    "transport.reset_peer",
    "transport.closed",
    "transport.closed_in_headers",
    "transport.timeout",
    "transport.not_http",
    "transport.reset_peer_in_body",
    "transport.timeout_in_body",
    "transport.content_length_too_long",
    "transport.chunked_cut",
    "status.503",
    "status.429_rate",
    "body.html_page",
    "body.empty",
    "content.null",
    "control.chunked",
)


@pytest.mark.parametrize("name", JUDGED)
def test_memory_is_a_socket(name: str) -> None:
    memory, sockets = judge(client, CATALOGUE[name])
    assert memory == sockets
    assert memory.attempts


def test_what_goes_its_way_is_dialled_truly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, inject("ok") as seen:
        heard: list[bytes] = []

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                heard.append(connection.recv(9000))
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

        thread = threading.Thread(target=serve)
        thread.start()
        assert ask(f"http://127.0.0.1:{server.getsockname()[1]}/health", {}) == (200, {})
        thread.join()
        assert heard
        assert ask(URL, {"messages": []})[0] == 200
        assert [one.library for one in seen.requests] == ["acme_rpc"]


def test_a_refusal_and_a_wait_without_end_are_said() -> None:
    with pytest.raises(Refused, match=r"gateway\.example\.com/v1/images \(acme_rpc\) was refused"), inject("ok"):
        ask(URL.replace("chat/completions", "images"), {})
    with pytest.raises(WaitsForever), inject("transport.timeout"):
        ask(URL, {"messages": []}, timeout=None)


def test_a_connection_that_does_not_open_raises_what_a_socket_does() -> None:
    for name, kind in (("tls_verify", ssl.SSLCertVerificationError), ("dns_failure", socket.gaierror)):
        with pytest.raises(kind), inject(f"transport.{name}"):
            ask(URL, {"messages": []})
    for timeout, words in ((7.0, "timed out"), (None, "Connection timed out")):
        with pytest.raises(TimeoutError, match=words), inject("transport.connect_timeout"):
            ask(URL, {"messages": []}, timeout=timeout)


def test_nothing_stays_patched_and_another_session_has_its_own() -> None:
    before = dial
    with inject("ok"):
        assert dial is not before
        assert ask(URL, {"messages": []})[0] == 200
    assert dial is before
    with lending({}), inject("ok"):
        assert dial is before
        assert requests.post(URL, json={"messages": []}, timeout=5).status_code == 200
