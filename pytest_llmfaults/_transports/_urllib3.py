"""urllib3 and http.client, and so requests, botocore and urllib: where they open a connection."""

from __future__ import annotations

import socket
import ssl
import weakref
from collections.abc import Callable
from typing import Any

from pytest_llmfaults._run import is_loopback
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults._transports._play import KERNEL_CONNECT_SECONDS, connect_error
from pytest_llmfaults._transports._sockets import FakeSocket
from pytest_llmfaults._transports._table import Table, has_say, truly

__all__ = ["connected", "failed", "http_client_table", "timeout_seconds", "urllib3_table"]


def http_client_table() -> Table:
    """Return the attributes of ``http.client`` that a run replaces."""
    import http.client

    table = Table("http.client")
    for name in ("_tunnel_host", "_tunnel_port"):
        if not hasattr(http.client.HTTPConnection("localhost"), name):
            raise table.moved(http.client.HTTPConnection, name)
    for connection, scheme in ((http.client.HTTPConnection, "http"), (http.client.HTTPSConnection, "https")):
        table.add(connection, "connect", _connector(scheme, "http.client", lambda _connection, error: error))
    table.add(http.client.HTTPConnection, "putrequest", _putrequest)
    return table


def urllib3_table() -> Table:
    """Return the attributes of ``urllib3`` that a run replaces."""
    import urllib3.connection

    table = Table("urllib3")
    if not hasattr(urllib3.connection.HTTPConnection("localhost"), "_has_connected_to_proxy"):
        raise table.moved(urllib3.connection.HTTPConnection, "_has_connected_to_proxy")
    table.add(urllib3.connection.HTTPConnection, "connect", _connector("http", "urllib3", _urllib3_error))
    table.add(urllib3.connection.HTTPSConnection, "connect", _connector("https", "urllib3", _urllib3_error))
    table.add(urllib3.connection.HTTPConnection, "is_connected", _is_connected)
    return table


def _connector(
    scheme: str, library: str, translate: Callable[[Any, OSError], Exception]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return what makes a replacement for ``connect``.

    Args:
        scheme: of the connection class.
        library: name for :attr:`Request.library`.
        translate: makes what the library raises from what the socket would have raised.
    """

    def make(original: Callable[..., None]) -> Callable[..., None]:
        def connect(self: Any) -> None:
            if has_say(self.host, self.port) is None:
                original(self)
                return
            # Through a tunnel the origin is spoken to; that the proxy opens it needs no bytes.
            host, port = self._tunnel_host or self.host, self._tunnel_port or self.port
            conversation = Conversation(scheme, host, port, library)
            conversation.trusting = scheme == "https" and not _verifies(self)
            connection = weakref.ref(self)  # the connection holds the socket: no circle
            self.sock = FakeSocket(
                conversation,
                timeout=timeout_seconds(self.timeout),
                dial=lambda: _dial(connection(), original, conversation),
                fail=lambda: failed(connection(), conversation, translate),
            )
            if library == "urllib3":
                connected(self, scheme)

        return connect

    return make


def timeout_seconds(timeout: Any) -> float | None:
    """Return a connection's timeout in seconds; a marker object stands for the default of new sockets."""
    return timeout if timeout is None or isinstance(timeout, (int, float)) else socket.getdefaulttimeout()


def connected(connection: Any, scheme: str) -> None:
    """Note on a urllib3 connection what its own ``connect`` notes."""
    connection._has_connected_to_proxy = bool(connection.proxy)  # noqa: SLF001 - checked when the table was made
    if connection.proxy is not None:
        connection.proxy_is_verified = connection.proxy.scheme == "https"
    if scheme == "https" and not connection.proxy_is_forwarding:
        connection.is_verified = _verifies(connection)


def _verifies(connection: Any) -> bool:
    """Tell whether a connection looks at the certificate: one of urllib3, or one of http.client."""
    if not hasattr(connection, "cert_reqs"):
        context = getattr(connection, "_context", None)
        return context is None or context.verify_mode != ssl.CERT_NONE
    from urllib3.util.ssl_ import resolve_cert_reqs

    return bool(connection.assert_fingerprint) or bool(resolve_cert_reqs(connection.cert_reqs))


def _dial(connection: Any, original: Callable[..., None], conversation: Conversation) -> socket.socket:
    """Open the real connection and return its socket."""
    fake = connection.sock
    proxied = conversation.host != connection.host and not is_loopback(connection.host)
    if proxied and conversation.run is not None:
        reason = (
            f"A request to {conversation.host} goes its way, but through the proxy {connection.host}, which is not "
            "reached while faults are injected. Put the host into NO_PROXY, or the proxy into passthrough=."
        )
        raise conversation.run.refusal(reason)
    try:
        with truly():
            original(connection)
        real: socket.socket = connection.sock
    finally:
        connection.sock = fake
    return real


def failed(
    connection: Any, conversation: Conversation, translate: Callable[[Any, OSError], Exception] | None = None
) -> Exception:
    """Return what the library raises when the connection does not open, after it has waited for it."""
    failure = conversation.failure or "refused"
    error = connect_error(failure)
    if failure == "timed_out":
        timeout = connection.sock.gettimeout()
        conversation.clock.wait(KERNEL_CONNECT_SECONDS if timeout is None else timeout)
        conversation.gave_up()
        error = error if timeout is None else TimeoutError("timed out")
    else:
        conversation.refused()
    connection.sock = None
    return (translate or _urllib3_error)(connection, error)


def _urllib3_error(connection: Any, error: OSError) -> Exception:
    from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

    raised: Exception
    if isinstance(error, ssl.SSLError):  # urllib3 wraps it further up, as after a true handshake
        return error
    if isinstance(error, TimeoutError):
        text = f"Connection to {connection.host} timed out. (connect timeout={connection.timeout})"
        raised = ConnectTimeoutError(connection, text)
    elif isinstance(error, socket.gaierror):
        raised = NameResolutionError(connection.host, connection, error)
    else:
        raised = NewConnectionError(connection, f"Failed to establish a new connection: {error}")
    raised.__cause__ = error
    return raised


def _foreign(connection: Any) -> bool:
    """Tell whether a connection was opened before the run, to where the run has a say."""
    sock = connection.sock
    if sock is None or isinstance(sock, FakeSocket):
        return False
    return has_say(connection.host, connection.port) is not None


def _putrequest(original: Callable[..., None]) -> Callable[..., None]:
    def putrequest(self: Any, *args: Any, **kwargs: Any) -> None:
        if _foreign(self):
            # As when the server has closed it: the library dials again by itself.
            self.sock.close()
            self.sock = None
        original(self, *args, **kwargs)

    return putrequest


def _is_connected(original: property) -> property:
    def is_connected(self: Any) -> bool:
        sock = self.sock
        if isinstance(sock, FakeSocket) and sock.relays is None:
            return not sock.readable
        return not _foreign(self) and bool(original.fget is not None and original.fget(self))

    return property(is_connected)
