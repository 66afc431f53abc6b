"""respx, for httpx and (through the mocker of ``pytest-httpx2``) httpx2: an injection passes through as a route can."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._clock._running import asyncio_loop
from pytest_llmfaults._transports._mocks._claim import Asked, ask, request_of_httpx
from pytest_llmfaults._transports._table import Table

__all__ = ["table"]

_ABOVE: Final = "a route of respx"


def table() -> Table:
    """Return the attributes of ``respx`` that a run replaces."""
    import httpx
    import respx.mocks
    import respx.models

    made = Table("respx")
    for name in ("AllMockedAssertionError", "PassThrough"):
        if not hasattr(respx.models, name):
            raise made.moved(respx.models, name)
    made.add(respx.mocks.Mocker, "handler", _handler)
    made.add(respx.mocks.Mocker, "async_handler", _async_handler)
    behind = _Behind(httpx)
    made.add(httpx.MockTransport, "handle_request", functools.partial(_handle_request, behind=behind))
    made.add(httpx.MockTransport, "handle_async_request", functools.partial(_handle_async_request, behind=behind))
    return made


def _passing(request: Any) -> Exception:
    """Return what makes a mocker of respx hand the request on to the real transport."""
    from respx.models import PassThrough

    error: Exception = PassThrough(f"{request!r} is answered by an injection", request=request, origin=None)  # type: ignore[arg-type]
    return error


def _ask(mocker: Any, request: Any) -> Asked | None:
    return ask(request_of_httpx(request, "httpx2" if mocker.name == "httpcore2" else "httpx"))


def _handler(original: Any) -> Any:
    from respx.models import AllMockedAssertionError

    def handler(cls: Any, request: Any) -> Any:
        asked = _ask(cls, request)
        if asked is None:
            return original.__func__(cls, request)
        if asked.first:
            raise _passing(request)
        try:
            response = original.__func__(cls, request)
        except AllMockedAssertionError:
            raise _passing(request) from None
        asked.answered_by(_ABOVE)
        return response

    return classmethod(handler)


def _async_handler(original: Any) -> Any:
    from respx.models import AllMockedAssertionError

    async def async_handler(cls: Any, request: Any) -> Any:
        asked = _ask(cls, request)
        if asked is None:
            return await original.__func__(cls, request)
        if asked.first:
            raise _passing(request)
        try:
            response = await original.__func__(cls, request)
        except AllMockedAssertionError:
            raise _passing(request) from None
        asked.answered_by(_ABOVE)
        return response

    return classmethod(async_handler)


class _Behind:
    """The real transports behind hand-made ones whose handler is a router of respx."""

    def __init__(self, httpx: Any) -> None:
        self._httpx = httpx
        self._sync: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._async: weakref.WeakKeyDictionary[Any, tuple[object, Any]] = weakref.WeakKeyDictionary()

    def asked(self, transport: Any, request: Any) -> Asked | None:
        """Ask about a request if the handler of ``transport`` is a router of respx."""
        from respx.router import Router

        if not isinstance(getattr(transport.handler, "__self__", None), Router):
            return None
        return ask(request_of_httpx(request, "httpx"))

    def sync(self, transport: Any) -> Any:
        """Return the real transport behind a hand-made one."""
        if transport not in self._sync:
            self._sync[transport] = self._httpx.HTTPTransport(verify=False)
        return self._sync[transport]

    def of_loop(self, transport: Any) -> Any:
        """Return the real transport behind a hand-made one, in the running loop."""
        loop, real = self._async.get(transport, (None, None))
        if real is None or loop is not asyncio_loop():
            loop, real = asyncio_loop(), self._httpx.AsyncHTTPTransport(verify=False)
            self._async[transport] = (loop, real)
        return real


def _handle_request(original: Callable[..., Any], behind: _Behind) -> Callable[..., Any]:
    from respx.models import AllMockedAssertionError

    def handle_request(self: Any, request: Any) -> Any:
        request.read()
        asked = behind.asked(self, request)
        if asked is None:
            return original(self, request)
        if asked.first:
            return behind.sync(self).handle_request(request)
        try:
            response = original(self, request)
        except AllMockedAssertionError:
            response = None
        if response is None:
            return behind.sync(self).handle_request(request)
        asked.answered_by(_ABOVE)
        return response

    return handle_request


def _handle_async_request(original: Callable[..., Any], behind: _Behind) -> Callable[..., Any]:
    from respx.models import AllMockedAssertionError

    async def handle_async_request(self: Any, request: Any) -> Any:
        await request.aread()
        asked = behind.asked(self, request)
        if asked is None:
            return await original(self, request)
        if asked.first:
            return await behind.of_loop(self).handle_async_request(request)
        try:
            response = await original(self, request)
        except AllMockedAssertionError:
            response = None
        if response is None:
            return await behind.of_loop(self).handle_async_request(request)
        asked.answered_by(_ABOVE)
        return response

    return handle_async_request
