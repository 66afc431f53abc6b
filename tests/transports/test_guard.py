"""Nothing leaves this machine while a run is active, by whatever way it is dialled."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvloop

from pytest_llmfaults._current import active
from pytest_llmfaults._run import Run, Settings
from pytest_llmfaults._transports import _guard
from pytest_llmfaults.errors import Refused
from tests.gateway import listening

FAR = "192.0.2.1"
"""An address that documentation may use: nobody has it."""


@pytest.fixture
def run() -> Iterator[Run]:
    run = Run(name="guarded")
    with active(run):
        yield run


def fatal(run: Run) -> list[str]:
    return [refusal.reason for refusal in run.ledger.refusals if refusal.fatal]


def connect() -> None:
    with socket.socket() as sock:
        sock.connect((FAR, 443))


def connect_ex() -> None:
    with socket.socket() as sock:
        sock.connect_ex((FAR, 443))


def connect_ipv6() -> None:
    with socket.socket(socket.AF_INET6) as sock:
        sock.connect(("2001:db8::1", 443))


def create_connection() -> None:
    socket.create_connection(("gateway.example.com", 443), timeout=1).close()


def lookup_bytes() -> None:
    socket.getaddrinfo(b"gateway.example.com", 443)


def lookup_old() -> None:
    socket.gethostbyname("gateway.example.com")


def datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"x", (FAR, 8125))


def datagram_message() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendmsg([b"x"], [], 0, (FAR, 8125))


WAYS: tuple[Callable[[], None], ...] = (
    connect,
    connect_ex,
    connect_ipv6,
    create_connection,
    lookup_bytes,
    lookup_old,
    datagram,
    datagram_message,
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_another_machine_is_refused(run: Run, way: Callable[[], None]) -> None:
    with pytest.raises(Refused, match="refused before it left the machine"):
        way()
    assert len(fatal(run)) == 1


def test_the_refusal_says_where_to_and_what_to_do(run: Run) -> None:
    with pytest.raises(Refused) as caught:
        create_connection()
    assert "gateway.example.com:443" in str(caught.value)
    assert "passthrough=" in str(caught.value)
    assert fatal(run) == [str(caught.value)]


async def open_connection() -> None:
    await asyncio.open_connection("gateway.example.com", 443)


async def open_connection_to_address() -> None:
    await asyncio.open_connection(FAR, 443)


async def loop_lookup() -> None:
    await asyncio.get_running_loop().getaddrinfo("gateway.example.com", 443)


async def datagram_endpoint() -> None:
    await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=(FAR, 8125))


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize(
    "way",
    [open_connection, open_connection_to_address, loop_lookup, datagram_endpoint],
    ids=lambda way: way.__name__,
)
def test_another_machine_is_refused_in_a_loop(run: Run, way: Callable[[], Any], new_loop: Callable[[], Any]) -> None:
    loop = new_loop()
    with contextlib.closing(loop):
        with pytest.raises(Refused, match="refused before it left the machine"):
            loop.run_until_complete(way())
        loop.run_until_complete(loop.shutdown_default_executor())
    assert fatal(run)


def test_a_refusal_in_another_thread_is_the_runs(run: Run) -> None:
    caught: list[BaseException] = []

    def work() -> None:
        try:
            connect()
        except BaseException as error:  # noqa: BLE001 - a refusal is no Exception
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [type(error) for error in caught] == [Refused]
    assert len(fatal(run)) == 1


def test_code_that_catches_everything_does_not_swallow_it(run: Run) -> None:
    def careless() -> str:
        try:
            create_connection()
        except Exception:  # noqa: BLE001 - that is the point
            return "went on"
        return "connected"

    with pytest.raises(Refused):
        careless()
    assert fatal(run)


def test_telemetry_is_listed_and_fails_nothing(run: Run) -> None:
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("o1.ingest.sentry.io", 443)
    assert fatal(run) == []
    assert [refusal.reason for refusal in run.ledger.refusals] == ["telemetry: o1.ingest.sentry.io:443"]


def test_loopback_and_this_machines_own_name_are_let_through(run: Run) -> None:
    with contextlib.closing(listening(4)) as listener:
        with socket.create_connection(("127.0.0.1", listener.getsockname()[1])):
            pass
        with socket.create_connection(("localhost", listener.getsockname()[1])):
            pass
    socket.getaddrinfo(None, 80, flags=socket.AI_PASSIVE)
    with contextlib.suppress(socket.gaierror):  # not every machine knows its own name
        socket.getaddrinfo(socket.gethostname(), 80)
    assert run.ledger.refusals == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Unix sockets in Python")
def test_unix_sockets_and_pairs_are_let_through(run: Run, tmp_path: Any) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as sock:
        listener.bind(path)
        listener.listen()
        sock.connect(path)
    ours, theirs = socket.socketpair()
    ours.close()
    theirs.close()
    assert run.ledger.refusals == []


def test_passthrough_lets_an_address_through() -> None:
    run = Run(Settings(passthrough=frozenset({f"https://{FAR}:443"})))
    with active(run):
        _guard.check_send(FAR, 443)
        with pytest.raises(Refused):
            _guard.check_send(FAR, 80)


def test_passthrough_lets_a_name_and_its_addresses_through(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (FAR, 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: found)
    run = Run(Settings(passthrough=frozenset({"https://gateway.example.com:443"})))
    with active(run):
        _guard.check_lookup("gateway.example.com", 443)
        _guard.check_lookup("gateway.example.com", None)
        _guard.check_lookup("gateway.example.com", "https")
        _guard.check_send(FAR, 443)
        with pytest.raises(Refused):
            _guard.check_lookup("gateway.example.com", 80)
    with active(Run()), pytest.raises(Refused):
        _guard.check_send(FAR, 443)


def test_it_is_inert_without_a_run(run: Run) -> None:
    code = (
        "import socket, sys\n"
        "from pytest_llmfaults._current import active\n"
        "from pytest_llmfaults._run import Run\n"
        "with active(Run()): pass\n"
        "sys.addaudithook(lambda event, args: event == 'socket.connect' and sys.exit('dialled'))\n"
        "socket.socket().connect(('192.0.2.1', 9))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip().endswith("dialled")
    assert run.ledger.refusals == []


def test_a_http_client_of_nobody_is_refused(run: Run) -> None:
    class Own(http.client.HTTPConnection):
        def connect(self) -> None:
            self.sock = socket.create_connection((self.host, self.port), 1)

    with pytest.raises(Refused, match=r"gateway\.example\.com"):
        Own("gateway.example.com").request("GET", "/")
    assert fatal(run)
