"""One exchange of httpx or httpx2 in memory, without a run."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from typing import Any, Final

from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._transports._kinds import sync_kind
from pytest_llmfaults._transports._mocks._alone import Alone, Came, Still

__all__ = ["exchange", "response_of"]

_CORES: Final = {"httpx": "httpcore", "httpx2": "httpcore2"}
_KEPT: Final = ("http_version", "reason_phrase")


def exchange(request: Any, library: str, attempt: Attempt, still: Still) -> Came:
    """Send a request through a real transport of ``library`` to a connection that plays ``attempt``.

    Args:
        request: of httpx, its body read.
        library: ``httpx`` or ``httpx2``.
        attempt: what is played.
        still: counts the time that it takes.

    Raises:
        httpx.TransportError: (or httpx2's) what a client gets before there is a reply.
        WaitsForever: a reply never comes and the client has set no timeout.
    """
    client, core = import_module(library), import_module(_CORES[library])
    own = client.Request(
        request.method,
        str(request.url),
        headers=request.headers.raw,
        content=request.content,
        extensions={key: value for key, value in request.extensions.items() if key == "timeout"},
    )
    transport = client.HTTPTransport(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    transport._pool = _pool(core, library, attempt, still)  # noqa: SLF001 - there is no public way
    response = transport.handle_request(own)
    pieces: list[bytes] = []
    error = None
    try:
        pieces.extend(response.stream)  # as far as it comes
    except client.TransportError as caught:
        error = caught
    extensions = {key: value for key, value in response.extensions.items() if key in _KEPT}
    return Came(response.status_code, response.headers.raw, pieces, error, extensions)


def _pool(core: Any, library: str, attempt: Attempt, still: Still) -> Any:
    """Return what stands where the transport has its pool: the library's own is mocked."""
    kind = sync_kind(core, lambda _attempt: False)

    class Pool:
        def handle_request(self, request: Any) -> Any:
            origin = request.url.origin
            host, port = origin.host.decode(), origin.port
            conversation = Alone(origin.scheme.decode(), host, port, library, attempt, still)
            conversation.connect_timeout = request.extensions.get("timeout", {}).get("connect")
            stream = kind.stream(kind, conversation, None).opened(attempt)
            return core.HTTP11Connection(origin, stream).handle_request(request)

    return Pool()


def response_of(came: Came) -> Any:
    """Return a response that respx takes, for clients of both kinds: its body ends as the exchange did."""
    import httpx

    class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield from came.pieces
            if came.error is not None:
                raise came.error

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for piece in self:
                yield piece

    return httpx.Response(came.status, headers=came.headers, stream=Body(), extensions=dict(came.extensions))
