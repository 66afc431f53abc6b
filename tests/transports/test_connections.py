"""Which connection a request takes: pools, relays, proxies, and what is refused."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import http.client
import select
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any

import anthropic
import groq
import httpcore
import httpx
import httpx2
import openai
import pytest
import requests
import trio
import urllib3

import pytest_llmfaults
from pytest_llmfaults._current import active
from pytest_llmfaults._reply import Pause, Reply
from pytest_llmfaults._run import Run, Settings
from pytest_llmfaults._transports._table import Table
from pytest_llmfaults.errors import Refused, Unsupported, WaitsForever

from .tools import ASK, EVERY, HTTPX, OK, REFUSED, RESET, SAID, SILENT, UNREACHED, URL, Ask, Server, inject

HTTPX_MODULES = pytest.mark.parametrize("module", [httpx, httpx2], ids=lambda module: module.__name__)


DESCRIPTORS = Path("/proc/self/fd")


def route(server: Server) -> str:
    return f"{server.url}/v1/chat/completions"


class TestLoopback:
    @pytest.mark.parametrize("ask", EVERY.values(), ids=EVERY)
    def test_route_of_a_wire_is_injected(self, in_run: Run, ask: Ask, server: Server) -> None:
        inject(in_run, OK)
        assert ask(route(server)) == SAID
        assert server.connections == 0

    @pytest.mark.parametrize("name", [*HTTPX, "requests", "urllib3", "http.client", "urllib"])
    def test_other_routes_go_their_way(self, in_run: Run, name: str, server: Server) -> None:
        assert EVERY[name](f"{server.url}/other", times=2) == {"real": "/other"}
        assert server.paths == ["/other", "/other"]
        assert server.connections == (2 if name == "urllib" else 1)
        assert in_run.ledger.attempts == []
        assert in_run.ledger.refusals == []

    def test_relay_is_asked_at_each_request(self, in_run: Run, server: Server) -> None:
        inject(in_run, OK)
        with httpx2.Client() as client, requests.Session() as session:
            for post in (client.post, session.post):
                for _ in range(2):
                    assert post(f"{server.url}/other", json=ASK).json() == {"real": "/other"}
                    assert post(route(server), json=ASK).json() == SAID
        assert server.paths == ["/other"] * 4
        assert server.connections == 2

    def test_nobody_listens(self, in_run: Run, server: Server) -> None:
        server.close()
        url = f"{server.url}/other"
        with pytest.raises(httpx.ConnectError):
            httpx.post(url, json=ASK)
        with pytest.raises(requests.exceptions.ConnectionError) as caught:
            requests.post(url, json=ASK, timeout=1)
        assert "NewConnectionError" in str(caught.value)
        with pytest.raises(ConnectionRefusedError):
            EVERY["http.client"](url)
        assert in_run.ledger.refusals == []

    def test_streamed_upload(self, in_run: Run, server: Server) -> None:
        with httpx.Client() as client:
            response = client.post(f"{server.url}/other", content=iter([b"a"]), headers={"Content-Length": "1"})
        assert response.json() == {"real": "/other"}
        assert in_run.ledger.refusals == []

    def test_passthrough_origin(self, server: Server) -> None:
        run = Run(Settings(passthrough=frozenset({server.url})))
        with active(run):
            for name in (*HTTPX, "requests", "http.client"):
                assert EVERY[name](route(server)) == {"real": "/v1/chat/completions"}
        assert run.ledger.attempts == []


@pytest.fixture
def tls_server(server: Server, tmp_path: Path) -> tuple[str, Path]:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    try:
        subprocess.run(
            [*command, "-days", "2", *subject, "-keyout", str(key), "-out", str(certificate)],
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    inner = server._server
    inner.socket = context.wrap_socket(inner.socket, server_side=True)
    return f"https://localhost:{inner.server_address[1]}", certificate


def test_loopback_over_tls(in_run: Run, tls_server: tuple[str, Path]) -> None:
    url, certificate = tls_server
    context = ssl.create_default_context(cafile=str(certificate))
    inject(in_run, OK)

    async def asynchronous(module: Any) -> Any:
        async with module.AsyncClient(verify=context) as client:
            return [(await client.post(f"{url}{path}", json=ASK)).json() for path in ("/other", "/chat/completions")]

    for module in (httpx, httpx2):
        with module.Client(verify=context) as client:
            assert client.post(f"{url}/other", json=ASK).json() == {"real": "/other"}
            assert client.post(f"{url}/chat/completions", json=ASK).json() == SAID
        assert asyncio.run(asynchronous(module)) == [{"real": "/other"}, SAID]
        assert trio.run(asynchronous, module) == [{"real": "/other"}, SAID]
    with requests.Session() as session:
        verify = str(certificate)
        assert session.post(f"{url}/other", json=ASK, verify=verify, timeout=5).json() == {"real": "/other"}
        assert session.post(f"{url}/chat/completions", json=ASK, verify=verify, timeout=5).json() == SAID
    with pytest.raises(requests.exceptions.SSLError):
        requests.post(f"{url}/other", json=ASK, timeout=5)
    with pytest.raises(httpx.ConnectError):
        httpx.post(f"{url}/other", json=ASK)


class TestPools:
    """Connections neither escape an injection nor outlive it."""

    @HTTPX_MODULES
    def test_httpx_sync(self, run: Run, module: Any, server: Server) -> None:
        with module.Client() as client:
            assert client.post(route(server), json=ASK).json() == {"real": "/v1/chat/completions"}
            with active(run):
                inject(run, OK)
                assert client.post(route(server), json=ASK).json() == SAID
            assert client.post(route(server), json=ASK).json() == {"real": "/v1/chat/completions"}
        assert server.connections == 2

    @HTTPX_MODULES
    @pytest.mark.parametrize("runner", [asyncio.run, trio.run], ids=["asyncio", "trio"])
    def test_httpx_async(self, run: Run, module: Any, runner: Any, server: Server) -> None:
        async def main() -> None:
            async with module.AsyncClient() as client:
                assert (await client.post(route(server), json=ASK)).json() == {"real": "/v1/chat/completions"}
                with active(run):
                    inject(run, OK)
                    assert (await client.post(route(server), json=ASK)).json() == SAID
                assert (await client.post(route(server), json=ASK)).json() == {"real": "/v1/chat/completions"}

        runner(main() if runner is asyncio.run else main)
        assert server.connections == 2

    def test_requests(self, run: Run, server: Server) -> None:
        with requests.Session() as session:
            assert session.post(route(server), json=ASK).json() == {"real": "/v1/chat/completions"}
            with active(run):
                inject(run, OK)
                assert session.post(route(server), json=ASK).json() == SAID
            assert session.post(route(server), json=ASK).json() == {"real": "/v1/chat/completions"}
        assert server.connections == 2

    def test_http_client(self, run: Run, server: Server) -> None:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
        connection.request("POST", "/v1/chat/completions", b"{}")
        assert b"real" in connection.getresponse().read()
        with active(run):
            inject(run, OK)
            connection.request("POST", "/v1/chat/completions", b"{}")
            assert b"real" not in connection.getresponse().read()
        connection.request("POST", "/v1/chat/completions", b"{}")
        with pytest.raises(http.client.RemoteDisconnected):
            connection.getresponse()
        connection.close()
        assert server.connections == 1

    def test_next_run_asks_anew(self) -> None:
        with httpx2.Client() as client, requests.Session() as session:
            for status in (201, 202):
                run = Run()
                with active(run):
                    inject(run, Reply.json({}, status=status))
                    assert client.post(URL, json=ASK).status_code == status
                    assert session.post(URL, json=ASK, timeout=1).status_code == status

    def test_relay_outlives_the_run(self, run: Run, server: Server) -> None:
        with httpx2.Client() as client, requests.Session() as session:
            with active(run):
                client.get(f"{server.url}/a")
                session.get(f"{server.url}/b", timeout=1)
            client.get(f"{server.url}/c")
            session.get(f"{server.url}/d", timeout=1)
        assert server.paths == ["/a", "/b", "/c", "/d"]
        assert server.connections == 2

    @pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs /proc")
    def test_no_descriptor_is_left(self, run: Run) -> None:
        pools = [urllib3.HTTPSConnectionPool("gateway.example.com") for _ in range(5)]
        before = len(list(DESCRIPTORS.iterdir()))
        with active(run):
            inject(run, OK)
            for pool in pools:
                pool.request("POST", "/v1/chat/completions", json=ASK)
                connection: Any = pool._get_conn()
                assert select.select([connection.sock], [], [], 0) == ([], [], [])
                pool._put_conn(connection)
            assert len(list(DESCRIPTORS.iterdir())) > before
        assert len(list(DESCRIPTORS.iterdir())) == before
        assert not connection.is_connected
        del pool, pools, connection
        gc.collect()
        assert len(list(DESCRIPTORS.iterdir())) == before


class TestProxies:
    @pytest.mark.parametrize("scheme", ["http", "https"])
    @pytest.mark.parametrize("name", [*HTTPX, "requests", "urllib", "openai", "openai-async", "groq"])
    def test_from_the_environment(self, in_run: Run, monkeypatch: pytest.MonkeyPatch, name: str, scheme: str) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://proxy.example.com:3128")
        monkeypatch.setenv("http_proxy", "http://proxy.example.com:3128")
        monkeypatch.setenv("https_proxy", "http://proxy.example.com:3128")
        monkeypatch.delenv("REQUEST_METHOD", raising=False)
        inject(in_run, OK)
        url = URL.replace("https", scheme)
        assert EVERY[name](url, times=2) == SAID
        assert {attempt.request.host for attempt in in_run.ledger.attempts} == {"gateway.example.com"}
        assert {attempt.request.scheme for attempt in in_run.ledger.attempts} == {scheme}
        assert len(in_run.ledger.attempts) == 2

    def test_as_an_argument(self, in_run: Run) -> None:
        inject(in_run, OK)
        proxy = "http://user:secret@proxy.example.com:3128"
        assert EVERY["httpx2-asyncio"](proxy=proxy) == SAID
        with urllib3.ProxyManager(proxy) as pool:
            assert pool.request("POST", URL, json=ASK).json() == SAID
        connection = http.client.HTTPSConnection("proxy.example.com", 3128)
        connection.set_tunnel("gateway.example.com", 443)
        connection.request("POST", "/v1/chat/completions", b"{}")
        assert connection.getresponse().status == 200
        connection.close()
        assert {attempt.request.host for attempt in in_run.ledger.attempts} == {"gateway.example.com"}


class TestRefusal:
    @pytest.mark.parametrize("name", EVERY)
    def test_uncovered_route(self, in_run: Run, name: str) -> None:
        with pytest.raises(Refused, match="no injection covers it"):  # noqa: PT012 - what swallows is inside
            try:
                EVERY[name]()
            except Exception:  # noqa: BLE001 - code under test that catches everything
                pytest.fail("swallowed")
        assert [refusal.fatal for refusal in in_run.ledger.refusals] == [True]

    def test_anthropic(self, in_run: Run) -> None:
        with anthropic.Anthropic(api_key="k", max_retries=2) as client, pytest.raises(Refused):
            client.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}])
        assert len(in_run.ledger.refusals) == 1

    def test_telemetry_does_not_fail(self, in_run: Run) -> None:
        with pytest.raises(httpx.ConnectError):
            httpx.post("https://o1.ingest.sentry.io/api/1/envelope/", content=b"x")
        assert [refusal.fatal for refusal in in_run.ledger.refusals] == [False]

    def test_what_is_no_http(self, in_run: Run) -> None:
        with httpx.Client(http1=False, http2=False) as client:
            inject(in_run, OK)
            assert client.post(URL, json=ASK).json() == SAID
        backend = httpcore.SyncBackend()
        stream = backend.connect_tcp("gateway.example.com", 1080)
        stream.write(b"\x05\x01\x00")
        with pytest.raises(Refused, match=r"no HTTP/1\.1"):
            stream.read(1)


class TestRetries:
    @HTTPX_MODULES
    def test_transport_of_httpx_retries_connecting_only(self, in_run: Run, module: Any) -> None:
        inject(in_run, REFUSED, UNREACHED, OK, REFUSED, OK, RESET)
        with module.Client(transport=module.HTTPTransport(retries=2), timeout=4) as client:
            assert client.post(URL, json=ASK).json() == SAID
            assert client.post(URL, json=ASK).json() == SAID  # kept alive when the server goes
            with pytest.raises(module.ReadError):
                client.post(URL, json=ASK)
        outcomes = [attempt.outcome for attempt in in_run.ledger.attempts]
        assert outcomes == ["refused", "timed_out", "read", "refused", "read", "reset"]

    @HTTPX_MODULES
    @pytest.mark.parametrize("runner", [asyncio.run, trio.run], ids=["asyncio", "trio"])
    def test_async_transport(self, in_run: Run, module: Any, runner: Any) -> None:
        inject(in_run, REFUSED, UNREACHED, OK, REFUSED, OK)

        async def main() -> None:
            async with module.AsyncClient(transport=module.AsyncHTTPTransport(retries=2), timeout=4) as client:
                for _ in range(2):
                    assert (await client.post(URL, json=ASK)).json() == SAID

        runner(main() if runner is asyncio.run else main)
        outcomes = [attempt.outcome for attempt in in_run.ledger.attempts]
        assert outcomes == ["refused", "timed_out", "read", "refused", "read"]

    def test_body_that_can_be_read_once(self, in_run: Run) -> None:
        inject(in_run, REFUSED, OK)
        with httpx.Client() as client:
            with pytest.raises(httpx.ConnectError):
                client.post(URL, content=iter([b"{", b"}"]))
            assert client.post(URL, content=iter([b"{", b"}"])).json() == SAID
        assert [attempt.request.body for attempt in in_run.ledger.attempts] == [b"{}", b"{}"]

    def test_adapter_of_urllib3(self, in_run: Run) -> None:
        inject(in_run, REFUSED, RESET, SILENT, Reply.json({}, status=503), OK)
        retry = urllib3.Retry(5, allowed_methods=None, status_forcelist=[503], backoff_factor=1)
        with requests.Session() as session:
            session.mount("https://", requests.adapters.HTTPAdapter(max_retries=retry))
            assert session.post(URL, json=ASK, timeout=2).json() == SAID
        assert [attempt.outcome for attempt in in_run.ledger.attempts] == [
            "refused",
            "reset",
            "timed_out",
            "read",
            "read",
        ]
        assert in_run.clock.seconds == pytest.approx(2 + 4 + 8 + 2)  # the backoff of the last three, and the silence

    def test_openai(self, in_run: Run) -> None:
        inject(in_run, REFUSED, RESET, OK)
        with openai.OpenAI(api_key="k") as client:
            assert client.chat.completions.create(**ASK).choices[0].message.content == "hi"  # type: ignore[call-overload]
        assert len(in_run.ledger.attempts) == 3

    def test_chunked_upload(self, in_run: Run) -> None:
        inject(in_run, OK)
        assert requests.post(URL, data=iter([b'{"a"', b":1}"]), timeout=1).json() == SAID
        assert httpx2.post(URL, content=iter([b'{"a"', b":1}"])).json() == SAID
        assert [attempt.request.json for attempt in in_run.ledger.attempts] == [{"a": 1}, {"a": 1}]


class TestCancellation:
    @HTTPX_MODULES
    def test_asyncio(self, in_run: Run, module: Any) -> None:
        inject(in_run, SILENT, OK)

        async def main() -> float:
            async with module.AsyncClient(timeout=600) as client:
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.post(URL, json=ASK), 30)
                seconds = in_run.clock.seconds
                assert (await client.post(URL, json=ASK)).json() == SAID
                return seconds

        # The timer is older than the first request, with which the loop joins the clock.
        assert asyncio.run(main()) == pytest.approx(30, abs=1)
        assert in_run.ledger.attempts[0].outcome == "closed_early"

    @HTTPX_MODULES
    def test_trio(self, in_run: Run, module: Any) -> None:
        inject(in_run, SILENT, OK)

        async def main() -> None:
            async with module.AsyncClient(timeout=600) as client:
                with trio.move_on_after(30) as scope:
                    await client.post(URL, json=ASK)
                assert scope.cancelled_caught
                assert (await client.post(URL, json=ASK)).json() == SAID

        trio.run(main)
        assert in_run.ledger.attempts[0].outcome == "closed_early"

    def test_hedged_request_wins(self, in_run: Run) -> None:
        inject(in_run, dataclasses.replace(OK, first_byte_seconds=60), OK)

        async def main() -> None:
            async with httpx2.AsyncClient(timeout=600) as client:
                slow = asyncio.create_task(client.post(URL, json=ASK))
                await asyncio.sleep(1)
                fast = asyncio.create_task(client.post(URL, json=ASK))
                done, _ = await asyncio.wait({slow, fast}, return_when=asyncio.FIRST_COMPLETED)
                assert done == {fast}
                slow.cancel()

        asyncio.run(main())
        assert in_run.clock.seconds < 5

    def test_no_timeout_is_for_ever(self, in_run: Run) -> None:
        inject(in_run, SILENT)
        with pytest.raises(WaitsForever), httpx2.Client(timeout=None) as client:
            client.post(URL, json=ASK)
        with pytest.raises(WaitsForever):
            requests.post(URL, json=ASK)  # noqa: S113 - that is the point
        assert [attempt.outcome for attempt in in_run.ledger.attempts] == ["forever", "forever"]

    def test_stream_that_is_closed_early(self, in_run: Run) -> None:
        inject(in_run, dataclasses.replace(OK, chunks=(b"a", Pause(1), b"b"), framing="chunked"))
        with httpx.Client() as client, client.stream("POST", URL, json=ASK) as response:
            assert next(response.iter_bytes()) == b"a"
        assert in_run.ledger.attempts[0].outcome == "closed_early"


class TestTable:
    def test_missing_place_is_named(self) -> None:
        table = Table("httpcore")
        with pytest.raises(Unsupported, match=r"httpcore \d.* has no SyncBackend\.dial"):
            table.add(httpcore.SyncBackend, "dial", lambda original: original)

    def test_somebody_elses_patch_stays(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        seen: list[str] = []
        with active(run):
            inject(run, OK)
            ours = httpcore.SyncBackend.connect_tcp

            def theirs(self: Any, host: str, *args: Any, **kwargs: Any) -> Any:
                seen.append(host)
                return ours(self, host, *args, **kwargs)

            with monkeypatch.context() as patch:
                patch.setattr(httpcore.SyncBackend, "connect_tcp", theirs)
                assert httpx.post(URL, json=ASK).json() == SAID
            assert httpx.post(URL, json=ASK).json() == SAID
        assert seen == ["gateway.example.com"]

    def test_threads(self, in_run: Run) -> None:
        inject(in_run, OK)
        values: list[Any] = []
        threads = [threading.Thread(target=lambda: values.append(EVERY["requests"]())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert values == [SAID] * 4


def test_groq_keeps_its_connection(in_run: Run) -> None:
    inject(in_run, OK)
    with groq.Groq(api_key="k") as client:
        for _ in range(3):
            client.chat.completions.create(**ASK)  # type: ignore[call-overload]
    assert len(in_run.ledger.attempts) == 3


def test_a_client_may_write_to_a_file_of_the_connection() -> None:
    with pytest_llmfaults.inject("content.empty") as seen:
        connection = http.client.HTTPConnection("gateway.example.com", timeout=5)
        connection.connect()
        with connection.sock.makefile("wb") as file:
            file.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\nContent-Length: 2\r\n\r\n{}")
        reply = http.client.HTTPResponse(connection.sock, method="POST")
        reply.begin()
        assert reply.read() == seen.replies[0].body
        connection.close()
    assert seen.outcomes == ["read"]
