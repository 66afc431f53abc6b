"""What the tests of the transports share: a real server, injections, and one callable per client."""

from __future__ import annotations

import asyncio
import dataclasses
import http.client
import json
import threading
import urllib.request
from collections.abc import Callable, Coroutine
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import groq
import httpx
import httpx2
import openai
import requests
import trio
import urllib3

from pytest_llmfaults import _transports
from pytest_llmfaults._injection import Filter, Injection, Step, checked_steps
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._run import Run

HOST = "gateway.example.com"
BASE = f"https://{HOST}/v1"
URL = f"{BASE}/chat/completions"
ASK = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
SAID = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}],
}
OK = Reply.json(SAID)
CUT_BODY = dataclasses.replace(OK, chunks=(b"{",), headers=(("Content-Length", "9"),), ending="cut")
SILENT = dataclasses.replace(OK, head_bytes=0, ending="stalled")
REFUSED = dataclasses.replace(OK, connection="refused")
UNREACHED = dataclasses.replace(OK, connection="timed_out")
RESET = dataclasses.replace(OK, head_bytes=0, ending="reset")
CLOSED = dataclasses.replace(OK, head_bytes=0, ending="cut")

READ_SECONDS = 7.0
CONNECT_SECONDS = 3.0


def inject(run: Run, *steps: Step, times: int | None = None, host: str | None = None) -> Injection:
    made = Injection(
        checked_steps(steps, of=None),
        covers=Filter(host=host),
        times=times,
        per_request=False,
        answer=None,
        where="here",
    )
    run.add(made)
    return made


def attributes() -> list[Any]:
    """What every place that was ever replaced holds."""
    return [vars(entry.owner).get(entry.name) for table in _transports.tables() for entry in table._entries]


class Server:
    """A real server that says which path was asked."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.connections = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                outer.connections += 1
                super().setup()

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.paths.append(self.path)
                body = json.dumps({"real": self.path}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST  # noqa: N815 - the name is given

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


# One callable per client: asks once, with a client of its own, and returns the body as JSON.

Ask = Callable[..., Any]


def _httpx_timeout(module: Any) -> Any:
    return module.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)


def _sync_httpx(module: Any) -> Ask:
    def ask(url: str = URL, times: int = 1, **options: Any) -> Any:
        with module.Client(timeout=_httpx_timeout(module), **options) as client:
            for _ in range(times):
                value = client.post(url, json=ASK).json()
        return value

    return ask


def _async_httpx(module: Any, run: Callable[[Callable[[], Coroutine[Any, Any, Any]]], Any]) -> Ask:
    def ask(url: str = URL, times: int = 1, **options: Any) -> Any:
        async def main() -> Any:
            async with module.AsyncClient(timeout=_httpx_timeout(module), **options) as client:
                for _ in range(times):
                    value = (await client.post(url, json=ASK)).json()
            return value

        return run(main)

    return ask


def _asyncio(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run(main())


def _uvloop(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    import uvloop

    return uvloop.run(main())


def _requests(url: str = URL, times: int = 1) -> Any:
    with requests.Session() as session:
        for _ in range(times):
            value = session.post(url, json=ASK, timeout=(CONNECT_SECONDS, READ_SECONDS)).json()
    return value


def _urllib3(url: str = URL, times: int = 1) -> Any:
    timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
    with urllib3.PoolManager() as pool:
        for _ in range(times):
            value = pool.request("POST", url, json=ASK, timeout=timeout, retries=False).json()
    return value


def _http_client(url: str = URL, times: int = 1) -> Any:
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    made = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
    connection = made(host, timeout=READ_SECONDS)
    try:
        for _ in range(times):
            connection.request("POST", f"/{path}", json.dumps(ASK), {"Content-Type": "application/json"})
            value = json.load(connection.getresponse())
    finally:
        connection.close()
    return value


def _urllib(url: str = URL, times: int = 1) -> Any:
    for _ in range(times):
        request = urllib.request.Request(url, json.dumps(ASK).encode(), {"Content-Type": "application/json"})  # noqa: S310
        with urllib.request.urlopen(request, timeout=READ_SECONDS) as response:  # noqa: S310
            value = json.load(response)
    return value


def _sdk(module: Any, name: str, http: Any) -> Ask:
    def ask(url: str = URL, times: int = 1) -> Any:
        base = url.removesuffix("/chat/completions")
        timeout = _httpx_timeout(http)
        with getattr(module, name)(api_key="k", base_url=base, max_retries=0, timeout=timeout) as client:
            for _ in range(times):
                value = client.chat.completions.create(**ASK)
        return value.to_dict()

    return ask


def _async_sdk(module: Any, name: str, http: Any) -> Ask:
    def ask(url: str = URL, times: int = 1) -> Any:
        base = url.removesuffix("/chat/completions")

        async def main() -> Any:
            timeout = _httpx_timeout(http)
            async with getattr(module, name)(api_key="k", base_url=base, max_retries=0, timeout=timeout) as client:
                for _ in range(times):
                    value = await client.chat.completions.create(**ASK)
            return value.to_dict()

        return asyncio.run(main())

    return ask


HTTPX: dict[str, tuple[Any, Ask]] = {
    f"{module.__name__}-{kind}": (module, ask)
    for module in (httpx, httpx2)
    for kind, ask in {
        "sync": _sync_httpx(module),
        "asyncio": _async_httpx(module, _asyncio),
        "uvloop": _async_httpx(module, _uvloop),
        "trio": _async_httpx(module, trio.run),
    }.items()
}
URLLIB: dict[str, Ask] = {
    "requests": _requests,
    "urllib3": _urllib3,
    "http.client": _http_client,
    "urllib": _urllib,
}
SDKS: dict[str, tuple[Any, Ask]] = {
    "openai": (openai, _sdk(openai, "OpenAI", httpx2)),
    "openai-async": (openai, _async_sdk(openai, "AsyncOpenAI", httpx2)),
    "groq": (groq, _sdk(groq, "Groq", httpx)),
    "groq-async": (groq, _async_sdk(groq, "AsyncGroq", httpx)),
}
EVERY: dict[str, Ask] = {
    **{name: ask for name, (_, ask) in HTTPX.items()},
    **URLLIB,
    **{name: ask for name, (_, ask) in SDKS.items()},
}
