"""aiohttp: where it opens a TCP connection, and what it keeps in its pool.

``TCPConnector._create_connection`` knows the request, so it is decided there; name resolution, proxies and TLS come
later and never happen. A body that can be read only once (an async iterator, a file) is decided when the client has
written it.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._current import is_active
from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run, is_loopback
from pytest_llmfaults._transports._asyncio_transport import Client, MemoryTransport, peer_address
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults._transports._play import KERNEL_CONNECT_SECONDS, connect_error, takes_any
from pytest_llmfaults._transports._table import Table, has_say, truly

if TYPE_CHECKING:
    from aiohttp import ClientRequest, ClientTimeout
    from aiohttp.client_proto import ResponseHandler

__all__ = ["table"]


@lru_cache(maxsize=1)
def table() -> Table:
    """Return the attributes of aiohttp that are replaced while a run is active.

    Raises:
        Unsupported: one of them has moved.
    """
    import aiohttp
    from aiohttp import client_proto, helpers

    made = Table("aiohttp")
    if not hasattr(helpers, "ceil_timeout"):
        raise made.moved(helpers, "ceil_timeout")
    made.add(aiohttp.TCPConnector, "_create_connection", _create_connection)
    made.add(client_proto.ResponseHandler, "is_connected", _is_connected)
    return made


def _create_connection(original: Callable[..., Any]) -> Callable[..., Any]:
    async def _create_connection(self: Any, req: ClientRequest, traces: Any, timeout: ClientTimeout) -> Any:
        run = _run(req)
        if run is not None:
            run.clock.join()
            connected = await _connected(run, req, timeout, trusting=_is_trusting(req, self))
            if connected is not None:
                return connected
        with truly():
            return await original(self, req, traces, timeout)

    return _create_connection


def _is_connected(original: Callable[..., bool]) -> Callable[..., bool]:
    def is_connected(self: ResponseHandler) -> bool:
        """Tell whether the connection can be used: while a run is active none that waits in a pool can.

        A foreign one would reach its real server. One of ours would be taken before the request is known, and so could
        not be refused any more; only where that is the fault, it looks alive and is dead.
        """
        if not original(self):
            return False
        client = getattr(self.transport, "client", None)
        if isinstance(client, _Client):
            return client.awaits_reply() or _is_stale(self.transport)
        return not is_active(None)

    return is_connected


def _is_stale(transport: Any) -> bool:
    attempt = transport.conversation.attempt
    return attempt is not None and attempt.reply.ending == "stale"


def _run(req: ClientRequest) -> Run | None:
    """Return the run that decides, if any: neither the origin nor a proxy on the way is left alone."""
    run = has_say(req.url.host or "", req.url.port or 0)
    if run is not None and req.proxy is not None:
        run = has_say(req.proxy.host or "", req.proxy.port or 0)
    return run


def _is_trusting(req: ClientRequest, connector: Any) -> bool:
    """Tell whether a request, or else its connector, takes any certificate."""
    for said in (req.ssl, getattr(connector, "_ssl", True)):
        if said is not True:
            return said is False or (isinstance(said, ssl.SSLContext) and takes_any(said))
    return False


async def _connected(run: Run, req: ClientRequest, limits: ClientTimeout, *, trusting: bool) -> ResponseHandler | None:
    """Connect in memory, or return None when the connection goes its way.

    Raises:
        Refused: the request must not leave the machine.
        OSError: the connection does not open, in the class that aiohttp raises.
    """
    request = _request(req, trusting=trusting)
    attempt = None
    if request is not None:
        attempt = run.open(request)
        if attempt is None:
            return None
        await _open(run, req, limits, attempt)
    elif is_loopback(req.url.host or "") and not run.is_route(Request(req.method, str(req.url))):
        return None
    return _connection(req, limits, attempt, trusting=trusting)


def _request(req: ClientRequest, *, trusting: bool) -> Request | None:
    """Make a request of ours from aiohttp's; None when its body cannot be read without using it up."""
    from aiohttp.payload import BytesPayload

    body: object = req.body
    if isinstance(body, BytesPayload):
        # Latin-1 maps each byte to a character and back.
        body = body.decode("latin-1").encode("latin-1")
    elif body is None:
        body = b""
    if not isinstance(body, (bytes, bytearray)) or req.compress:
        return None
    headers = tuple((str(name), value) for name, value in req.headers.items())
    return Request(req.method.upper(), str(req.url), headers, bytes(body), "aiohttp", trusting=trusting)


async def _open(run: Run, req: ClientRequest, limits: ClientTimeout, attempt: Attempt) -> None:
    """Return when the connection opens at once; raise what aiohttp raises when it does not.

    Raises:
        ClientConnectorError: it was refused, or the system gave up on it.
        TimeoutError: aiohttp gave up on it.
    """
    from aiohttp.helpers import ceil_timeout

    if attempt.reply.connection == "accepted":
        return
    failure = attempt.reply.connection
    if failure != "timed_out":
        attempt.end("refused")
        raise _connector_error(req, failure)
    try:
        async with ceil_timeout(limits.sock_connect, ceil_threshold=limits.ceil_threshold):
            await run.clock.async_wait(KERNEL_CONNECT_SECONDS)
    finally:
        attempt.end("timed_out")
    raise _connector_error(req, failure)


def _connector_error(req: ClientRequest, failure: str) -> OSError:
    """Make what aiohttp raises when a connection does not open."""
    import aiohttp

    cause = connect_error(failure)
    if failure == "unresolved":
        return aiohttp.ClientConnectorDNSError(req.connection_key, cause)
    if failure == "untrusted":
        return aiohttp.ClientConnectorCertificateError(req.connection_key, cause)
    dialled = req.proxy or req.url
    address = peer_address(dialled.host or "", dialled.port or 0)
    kind = aiohttp.ClientProxyConnectionError if req.proxy else aiohttp.ClientConnectorError
    return kind(req.connection_key, OSError(cause.errno, f"Connect call failed {address!r}"))


def _connection(
    req: ClientRequest, limits: ClientTimeout, attempt: Attempt | None, *, trusting: bool
) -> ResponseHandler:
    from aiohttp.client_proto import ResponseHandler

    loop = asyncio.get_running_loop()
    protocol = ResponseHandler(loop=loop)
    conversation = Conversation(req.url.scheme, req.url.host or "", req.url.port or 0, "aiohttp")
    conversation.trusting = trusting
    if attempt is not None:
        conversation.decided(attempt)
    transport = MemoryTransport(loop, protocol, conversation, _Client(protocol, req, limits))
    protocol.connection_made(transport)
    return protocol


class _Client(Client):
    """One request of aiohttp's."""

    def __init__(self, protocol: ResponseHandler, req: ClientRequest, limits: ClientTimeout) -> None:
        """Know the protocol that reads, and the request with its timeouts."""
        self._protocol = protocol
        self._req = req
        self._limits = limits

    def awaits_reply(self) -> bool:
        """Tell whether the reply is not complete: no head yet, or a body without its end."""
        payload = getattr(self._protocol, "_payload", None)
        return payload is None or not payload.is_eof()

    def gave_up(self) -> bool:
        """Tell whether aiohttp's total timeout is over; the others arrive as exceptions."""
        return getattr(getattr(self._req, "_timer", None), "_cancelled", False)

    def tell(self, error: BaseException) -> None:
        """Raise ``error`` where the head, or the body, is awaited."""
        self._protocol.set_exception(error)
        payload = getattr(self._protocol, "_payload", None)
        if payload is not None:
            payload.set_exception(error)

    def not_opened(self, transport: MemoryTransport) -> None:
        """Fail late: the body had to be written before it could be decided."""
        from aiohttp import ConnectionTimeoutError

        conversation = transport.conversation
        failure = conversation.failure
        if failure is not None and failure != "timed_out":
            conversation.refused()
            self.tell(_connector_error(self._req, failure))
            return
        limits = [seconds for seconds in (self._limits.sock_connect, self._limits.connect) if seconds]
        error: BaseException = _connector_error(self._req, "timed_out")
        if limits and min(limits) <= KERNEL_CONNECT_SECONDS:
            error = ConnectionTimeoutError(f"Connection timeout to host {self._req.url}")
        seconds = min(*limits, KERNEL_CONNECT_SECONDS) if limits else KERNEL_CONNECT_SECONDS
        transport.fail_after(seconds, error)
