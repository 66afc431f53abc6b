"""httpcore and httpcore2, and so httpx and httpx2: where they open a TCP connection, and what they keep in pools."""

from __future__ import annotations

import contextvars
import functools
import weakref
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, Literal

from pytest_llmfaults._current import find, is_active
from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults._transports._kinds import Kind, anyio_kind, sync_kind, trio_kind
from pytest_llmfaults._transports._play import takes_any
from pytest_llmfaults._transports._streams import AsyncFake, Fake
from pytest_llmfaults._transports._table import Table, has_say

__all__ = ["table"]

_CLIENTS: Final = {"httpcore": "httpx", "httpcore2": "httpx2"}

_asked: Final[contextvars.ContextVar[Any]] = contextvars.ContextVar("llmfaults_asked", default=None)
"""The library's own request that a connection is dialled or taken for."""

_tls: Final[contextvars.ContextVar[Any]] = contextvars.ContextVar("llmfaults_tls", default=None)
"""The TLS context of the connection that is dialled."""

_given_up: Final[contextvars.ContextVar[tuple[Any, Attempt] | None]] = contextvars.ContextVar(
    "llmfaults_given_up", default=None
)
"""The body's stream and the attempt of a request for which a kept connection was given up."""


class _Library:
    """What the replacements in one of the two libraries share."""

    def __init__(self, name: str) -> None:
        self.core: Any = import_module(name)
        self.client = _CLIENTS[name]
        self.ours: weakref.WeakSet[Any] = weakref.WeakSet()
        own = type(self.core.Request("GET", "http://localhost", content=b"").stream)
        self.readable_again: tuple[type, ...] = (own, *_byte_streams(self.client))
        self.table = Table(name)

    def asked(self) -> Any:
        """Return the request that is under way, if its body can be read without using it up."""
        asked = _asked.get()
        return asked if asked is not None and isinstance(asked.stream, self.readable_again) else None

    def decide(self, run: Run, conversation: Conversation) -> Attempt | Literal["later"] | None:
        """Decide at the dial what the request gets, where that can be known already."""
        asked = self.asked()
        if asked is None or asked.method == b"CONNECT":
            return "later"
        conversation.scheme = asked.url.scheme.decode()
        given_up = _given_up.get()
        if given_up is not None:
            _given_up.set(None)
            if given_up[0] is asked.stream:
                return given_up[1]
        method = asked.method.decode()
        url = conversation.url(method, asked.url.target.decode())
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in asked.headers)
        body = b"".join(asked.stream)
        return run.open(Request(method, url, headers, body, self.client, trusting=takes_any(_tls.get())))

    def give_up(self, attempt: Attempt) -> bool:
        """Let the library drop a kept connection and dial for the same attempt, if it can send the request again."""
        asked = self.asked()
        if asked is None:
            return False
        _given_up.set((asked.stream, attempt))
        return True

    def foreign(self, connection: Any) -> bool:
        """Tell whether a pooled connection was opened before the run, to where the run has a say."""
        if connection in self.ours or not is_active(None):
            return False
        run = find()
        passes = () if run is None else run.settings.passthrough
        return not any(connection.can_handle_request(self._origin(origin)) for origin in passes)

    def _origin(self, origin: str) -> Any:
        url = self.core.URL(origin)
        return url.origin


def _byte_streams(client: str) -> tuple[type, ...]:
    try:
        return (import_module(client).ByteStream,)
    except ImportError:
        return ()


def table(name: str) -> Table:
    """Return the attributes of ``httpcore`` or ``httpcore2`` that a run replaces."""
    library = _Library(name)
    core, add = library.core, library.table.add
    kind = sync_kind(core, library.give_up)
    add(core.SyncBackend, "connect_tcp", lambda original: _connect(original, library, kind))
    for backend, of_loop in (("AnyIOBackend", anyio_kind), ("TrioBackend", trio_kind)):
        try:
            akind = of_loop(core, library.give_up)
        except ImportError:
            continue
        add(getattr(core, backend), "connect_tcp", functools.partial(_aconnect, library=library, kind=akind))
    add(core.HTTPConnection, "handle_request", lambda original: _handle(original, library))
    add(core.AsyncHTTPConnection, "handle_async_request", lambda original: _ahandle(original, library))
    for prefix in ("", "Async"):
        http11 = getattr(core, f"{prefix}HTTP11Connection")
        add(http11, "__init__", lambda original: _init(original, library))
        for connection in (http11, getattr(core, f"{prefix}HTTP2Connection")):
            if hasattr(connection, "has_expired"):  # without h2 the class for HTTP/2 is a stand-in
                add(connection, "has_expired", lambda original: _has_expired(original, library))
                add(connection, "is_available", lambda original: _is_available(original, library))
    return library.table


def _connect(original: Callable[..., Any], library: _Library, kind: Kind) -> Callable[..., Any]:
    def connect_tcp(
        self: Any,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> Any:
        def dial(host: str, port: int) -> Any:
            return original(self, host, port, timeout, local_address, socket_options)

        run = has_say(host, port)
        if run is None:
            return dial(host, port)
        conversation = Conversation("http", host, port, library.client, timeout)
        stream = kind.stream(kind, conversation, dial)
        attempt = library.decide(run, conversation)
        return stream if attempt == "later" else stream.opened(attempt)

    return connect_tcp


def _aconnect(original: Callable[..., Any], library: _Library, kind: Kind) -> Callable[..., Any]:
    async def connect_tcp(
        self: Any,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> Any:
        async def dial(host: str, port: int) -> Any:
            return await original(self, host, port, timeout, local_address, socket_options)

        run = has_say(host, port)
        if run is None:
            return await dial(host, port)
        conversation = Conversation("http", host, port, library.client, timeout)
        stream = kind.stream(kind, conversation, dial)
        if kind.turn is not None:
            await kind.turn()
        attempt = library.decide(run, conversation)
        return stream if attempt == "later" else await stream.opened(attempt)

    return connect_tcp


def _handle(original: Callable[..., Any], library: _Library) -> Callable[..., Any]:
    def handle_request(self: Any, request: Any) -> Any:
        if not is_active(None):
            return original(self, request)
        if _given_up.get() is not None and self.is_idle():
            self.close()
            raise library.core.ConnectionNotAvailable
        tokens = _asked.set(request), _tls.set(getattr(self, "_ssl_context", None))
        try:
            return original(self, request)
        finally:
            _asked.reset(tokens[0])
            _tls.reset(tokens[1])

    return handle_request


def _ahandle(original: Callable[..., Any], library: _Library) -> Callable[..., Any]:
    async def handle_async_request(self: Any, request: Any) -> Any:
        if not is_active(None):
            return await original(self, request)
        if _given_up.get() is not None and self.is_idle():
            await self.aclose()
            raise library.core.ConnectionNotAvailable
        tokens = _asked.set(request), _tls.set(getattr(self, "_ssl_context", None))
        try:
            return await original(self, request)
        finally:
            _asked.reset(tokens[0])
            _tls.reset(tokens[1])

    return handle_async_request


def _init(original: Callable[..., None], library: _Library) -> Callable[..., None]:
    def __init__(self: Any, origin: Any, stream: Any, keepalive_expiry: float | None = None) -> None:  # noqa: N807
        original(self, origin, stream, keepalive_expiry)
        if isinstance(stream, (Fake, AsyncFake)):
            library.ours.add(self)

    return __init__


def _has_expired(original: Callable[..., bool], library: _Library) -> Callable[..., bool]:
    def has_expired(self: Any) -> bool:
        # Only an idle one: the pool closes what has expired, and another thread may be reading.
        return original(self) or (library.foreign(self) and self.is_idle())

    return has_expired


def _is_available(original: Callable[..., bool], library: _Library) -> Callable[..., bool]:
    def is_available(self: Any) -> bool:
        return original(self) and not library.foreign(self)

    return is_available
