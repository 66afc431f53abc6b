"""vcrpy: an injection goes past an active cassette, which neither answers it nor records it.

What no injection covers is the cassette's to answer; what that does not hold is refused, not dialled.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._transports._mocks._claim import Asked, as_bytes, ask, request_of_httpx
from pytest_llmfaults._transports._requests import library_of, url_of
from pytest_llmfaults._transports._table import Table

__all__ = ["table"]

_ABOVE: Final = "a cassette"
_MARK: Final = "llmfaults_asked"


def table() -> Table:
    """Return the attributes of ``vcrpy`` that a run replaces."""
    made = Table("vcrpy")
    stubs, cassette = import_module("vcr.stubs"), import_module("vcr.cassette").Cassette
    made.add(stubs.VCRConnection, "getresponse", _getresponse)
    made.add(cassette, "can_play_response_for", _can_play)
    made.add(cassette, "filter_request", _filter_request)
    made.add(cassette, "play_response", _play_response)
    pools = import_module("urllib3.connectionpool")
    made.add(pools.HTTPConnectionPool, "_make_request", _make_request)
    httpx_stubs = import_module("vcr.stubs.httpx_stubs")
    made.add(httpx_stubs, "_vcr_handle_request", _handle_request)
    made.add(httpx_stubs, "_vcr_handle_async_request", _handle_async_request)
    return made


def _plays(cassette: Any, asked: Asked, recorded: Any) -> bool:
    """Tell whether the cassette answers a request."""
    return not asked.first and bool(cassette.can_play_response_for(recorded))


# httpx and httpx2


def _asked_httpx(transport: Any, request: Any, httpx: Any) -> Asked | None:
    """Ask about a request to a real transport; a hand-made one cannot be passed."""
    if not isinstance(transport, (httpx.HTTPTransport, httpx.AsyncHTTPTransport)):
        return None
    return ask(request_of_httpx(request, httpx.__name__))


def _handle_request(original: Callable[..., Any]) -> Callable[..., Any]:
    def handle(cassette: Any, real: Any, self: Any, request: Any, httpx: Any) -> Any:
        request.read()
        asked = _asked_httpx(self, request, httpx)
        if asked is None or _plays(cassette, asked, _recorded(asked)):
            return original(cassette, real, self, request, httpx)
        return real(self, request)

    return handle


def _handle_async_request(original: Callable[..., Any]) -> Callable[..., Any]:
    async def handle(cassette: Any, real: Any, self: Any, request: Any, httpx: Any) -> Any:
        await request.aread()
        asked = _asked_httpx(self, request, httpx)
        if asked is None or _plays(cassette, asked, _recorded(asked)):
            return await original(cassette, real, self, request, httpx)
        return await real(self, request)

    return handle


def _recorded(asked: Asked) -> Any:
    """Return a request as the cassette knows it."""
    request = asked.request
    return import_module("vcr.request").Request(request.method, request.url, request.body, dict(request.headers))


# urllib3, and so requests and botocore


def _make_request(original: Callable[..., Any]) -> Callable[..., Any]:
    def make_request(self: Any, conn: Any, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        real = conn.__dict__.get("real_connection") if hasattr(conn, "cassette") else None
        if real is None:
            return original(self, conn, method, url, *args, **kwargs)
        names = ("body", "headers")
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        headers = tuple((str(name), _text(value)) for name, value in (given.get("headers") or {}).items())
        where = url_of(self.scheme, self.host, self.port, method, url)
        library = library_of("urllib3", headers)
        asked = ask(Request(method.upper(), where, headers, as_bytes(given.get("body")), library))
        if asked is None or _plays(conn.cassette, asked, _recorded(asked)):
            return original(self, conn, method, url, *args, **kwargs)
        return original(self, real, method, url, *args, **kwargs)

    return make_request


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


# http.client, and so urllib


def _getresponse(original: Callable[..., Any]) -> Callable[..., Any]:
    def getresponse(self: Any, _: Any = False, **kwargs: Any) -> Any:
        asked = _asked_vcr(self._vcr_request, "http.client")
        if asked is None or _plays(self.cassette, asked, self._vcr_request):
            return original(self, _, **kwargs)
        _send(self, self._vcr_request)
        return self.real_connection.getresponse(**kwargs)

    return getresponse


def _send(connection: Any, request: Any) -> None:
    """Send a request that the cassette has kept back."""
    with import_module("vcr.patch").force_reset():
        late = connection.__dict__.pop("_deferred_connect", None)
        if late is not None:
            arguments, options = late
            connection.real_connection.connect(*arguments, **options)
        connection.real_connection.request(
            method=request.method,
            url=connection._url(request.uri),  # noqa: SLF001 - the stub's own way
            body=as_bytes(request.body),
            headers=request.headers,
        )


def _asked_vcr(recorded: Any, library: str) -> Asked | None:
    """Ask about a request as the cassette knows it."""
    body = recorded.body
    if isinstance(body, (dict, list)):  # aiohttp's json=
        body = json.dumps(body)
    headers = tuple((str(name), _text(value)) for name, value in dict(recorded.headers).items())
    return ask(Request(recorded.method.upper(), recorded.uri, headers, as_bytes(body), library))


# aiohttp: the stub asks the cassette, and whether to record; both say that it has nothing to do with the request


def _can_play(original: Callable[..., bool]) -> Callable[..., bool]:
    def can_play_response_for(self: Any, request: Any) -> bool:
        asked = _asked_vcr(request, "aiohttp")
        if asked is None:
            return original(self, request)
        plays = not asked.first and original(self, request)
        request.__dict__[_MARK] = not plays
        return plays

    return can_play_response_for


def _filter_request(original: Callable[..., Any]) -> Callable[..., Any]:
    def filter_request(self: Any, request: Any) -> Any:
        return None if request.__dict__.get(_MARK) else original(self, request)

    return filter_request


def _play_response(original: Callable[..., Any]) -> Callable[..., Any]:
    def play_response(self: Any, request: Any) -> Any:
        asked = _asked_vcr(request, "a client")
        if asked is not None:
            asked.answered_by(_ABOVE)
        return original(self, request)

    return play_response
