"""Play a conversation to a client that reads with a timeout, in virtual time."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from typing import Final

from pytest_llmfaults._reply import Pause
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults.errors import WaitsForever

__all__ = ["KERNEL_CONNECT_SECONDS", "areceive", "connect_error", "connection_reset", "receive", "takes_any"]

KERNEL_CONNECT_SECONDS: Final = 127.0
"""When Linux gives up connecting to a host that is silent (1 + 2 + 4 + ... + 64 s, six retries of the SYN)."""


def connection_reset() -> ConnectionResetError:
    """Return what a socket raises after an RST."""
    return ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))


def connect_error(failure: str) -> OSError:
    """Return what the system raises when a connection does not open.

    Args:
        failure: ``refused``, ``unresolved``, ``untrusted`` or ``timed_out`` (by the system, not by the client).
    """
    if failure == "unresolved":
        return socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    if failure == "untrusted":
        text = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate"
        return ssl.SSLCertVerificationError(1, text)
    number = errno.ETIMEDOUT if failure == "timed_out" else errno.ECONNREFUSED
    return OSError(number, os.strerror(number))


def takes_any(context: ssl.SSLContext | None) -> bool:
    """Tell whether a client with this TLS context takes any certificate; None is the default, which does not."""
    return context is not None and context.verify_mode == ssl.CERT_NONE


def receive(conversation: Conversation, max_bytes: int, timeout: float | None) -> bytes:
    """Read as ``socket.recv`` does.

    Args:
        conversation: what is played.
        max_bytes: the most that is returned.
        timeout: seconds, or None for ever.

    Returns:
        Bytes, none when the peer has closed.

    Raises:
        TimeoutError: nothing came in time.
        ConnectionResetError: the peer reset the connection.
        WaitsForever: there is no timeout, and nothing will ever come.
    """
    left = timeout
    while True:
        act = conversation.read(max_bytes)
        if isinstance(act, bytes):
            return act
        if not isinstance(act, Pause):
            if act.kind == "reset":
                raise connection_reset()
            return b""
        if act.seconds is None:
            conversation.asks_for_more()
        seconds, left = _wait(act, left)
        try:
            conversation.clock.wait(seconds)
        except WaitsForever:
            conversation.waits_forever()
            raise
        if left is not None and left <= 0:
            conversation.gave_up()
            msg = "timed out"
            raise TimeoutError(msg)


async def areceive(conversation: Conversation, max_bytes: int, timeout: float | None) -> bytes:
    """Read as :func:`receive` does, in a running asyncio or trio loop."""
    left = timeout
    while True:
        act = conversation.read(max_bytes)
        if isinstance(act, bytes):
            return act
        if not isinstance(act, Pause):
            if act.kind == "reset":
                raise connection_reset()
            return b""
        if act.seconds is None:
            conversation.asks_for_more()
        seconds, left = _wait(act, left)
        try:
            await conversation.clock.async_wait(seconds)
        except WaitsForever:
            conversation.waits_forever()
            raise
        if left is not None and left <= 0:
            conversation.gave_up()
            msg = "timed out"
            raise TimeoutError(msg)


def _wait(pause: Pause, left: float | None) -> tuple[float | None, float | None]:
    """Return how long to wait now, and what is left of the timeout after it (0 when the client gives up)."""
    if left is None:
        return pause.seconds, None
    if pause.seconds is None or pause.seconds >= left:
        return left, 0.0
    return pause.seconds, left - pause.seconds
