"""The streams that httpcore and httpcore2 read and write instead of sockets."""

from __future__ import annotations

import dataclasses
import errno
import os
from collections.abc import Awaitable, Callable
from typing import Any

from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults._transports._play import KERNEL_CONNECT_SECONDS, areceive, receive
from pytest_llmfaults._transports._table import truly
from pytest_llmfaults.errors import Refused

__all__ = ["AsyncFake", "Fake", "Kind", "anyio_kind", "sync_kind", "trio_kind"]


@dataclasses.dataclass(slots=True, frozen=True)
class Kind:
    """How one backend of one library fails.

    Attributes:
        core: ``httpcore`` or ``httpcore2``.
        stream: the class of its streams: ours, and a subclass of the library's.
        reset: makes what the backend's own stream raises on an RST.
        timed_out: makes what it raises when a timeout is over.
        refused: makes what it raises when a connection is refused, from host and port.
        give_up: whether a kept connection whose server takes none now can be given up, so that the library dials.
        turn: lets other tasks run, as waiting for a socket does.
    """

    core: Any
    stream: type[Any]
    reset: Callable[[], Exception]
    timed_out: Callable[[], Exception]
    refused: Callable[[str, int], OSError]
    give_up: Callable[[Attempt], bool]
    turn: Callable[[], Awaitable[object]] | None = None

    def unconnected(self, attempt: Attempt, conversation: Conversation) -> Exception:
        """Return what the library raises when the connection of ``attempt`` does not open."""
        timed_out = attempt.reply.connection == "timed_out"
        attempt.end("timed_out" if timed_out else "refused")
        of_client = timed_out and (conversation.connect_timeout is not None or self.turn is None)
        cause = self.timed_out() if of_client else self.refused(conversation.host, conversation.port)
        error: Exception = (self.core.ConnectTimeout if of_client else self.core.ConnectError)(cause)
        error.__cause__ = cause
        return error


def sync_kind(core: Any, give_up: Callable[[Attempt], bool]) -> Kind:
    """Return how ``SyncBackend`` fails."""
    return Kind(
        core=core,
        stream=type("FakeStream", (Fake, core.NetworkStream), {}),
        reset=lambda: ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)),
        timed_out=lambda: TimeoutError("timed out"),
        refused=lambda _host, _port: ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED)),
        give_up=give_up,
    )


def anyio_kind(core: Any, give_up: Callable[[Attempt], bool]) -> Kind:
    """Return how ``AnyIOBackend`` fails."""
    import asyncio

    import anyio

    return Kind(
        core=core,
        stream=type("AsyncFakeStream", (AsyncFake, core.AsyncNetworkStream), {}),
        reset=anyio.BrokenResourceError,
        timed_out=TimeoutError,
        refused=lambda _host, _port: OSError("All connection attempts failed"),
        give_up=give_up,
        turn=lambda: asyncio.sleep(0),
    )


def trio_kind(core: Any, give_up: Callable[[Attempt], bool]) -> Kind:
    """Return how ``TrioBackend`` fails."""
    import trio

    return Kind(
        core=core,
        stream=type("AsyncFakeStream", (AsyncFake, core.AsyncNetworkStream), {}),
        reset=trio.BrokenResourceError,
        timed_out=trio.TooSlowError,
        refused=lambda host, port: OSError(f"all attempts to connect to {host}:{port} failed"),
        give_up=give_up,
        turn=trio.lowlevel.checkpoint,
    )


class _Base:
    """What both streams share."""

    def __init__(self, kind: Kind, conversation: Conversation, dial: Callable[[str, int], Any]) -> None:
        """Stand in for a connection.

        Args:
            kind: how the backend fails.
            conversation: the peer.
            dial: opens the real connection, for what goes its way.
        """
        self._kind = kind
        self._conversation = conversation
        self._dial = dial
        self._real: Any = None
        self._refused: Refused | None = None
        self._tls: tuple[Any, str | None, float | None] | None = None

    def _note_tls(self, ssl_context: Any, server_hostname: str | None, timeout: float | None) -> None:
        self._conversation.scheme = "https"
        self._tls = (ssl_context, server_hostname, timeout)
        if self._real is not None:
            # What is relayed is read request by request, and that is HTTP/1.1.
            ssl_context.set_alpn_protocols(["http/1.1"])

    def _feed(self, buffer: bytes) -> bytes:
        # A refusal waits for the read: raised here, it would leave the iteration over the request's body open.
        try:
            return self._conversation.feed(buffer)
        except Refused as error:
            self._refused = error
            return b""

    def get_extra_info(self, info: str) -> Any:
        """Tell about the connection, as streams of the library do."""
        conversation = self._conversation
        if self._real is not None and (conversation.forwards or info != "is_readable"):
            return self._real.get_extra_info(info)
        if info == "is_readable":
            return conversation.readable
        if info == "server_addr":
            return (conversation.host, conversation.port)
        return ("127.0.0.1", 0) if info == "client_addr" else None

    def _given_up(self, attempt: Attempt) -> Exception | None:
        """Return what makes the library dial again, when a kept connection meets a server that takes none."""
        if self._kind.give_up(attempt):
            self._conversation.give_up()
            error: Exception = self._kind.core.ConnectionNotAvailable()
            return error
        return None


class Fake(_Base):
    """A stream that plays a conversation."""

    def opened(self, attempt: Attempt | None) -> Fake:
        """Return the stream for the request that it is dialled for, or raise as the library does."""
        if attempt is None:
            self._forward()
        elif attempt.reply.connection != "accepted":
            self._fail(attempt)
        self._conversation.decided(attempt)
        return self

    def _fail(self, attempt: Attempt) -> None:
        conversation = self._conversation
        if attempt.reply.connection == "timed_out":
            timeout = conversation.connect_timeout
            conversation.clock.wait(KERNEL_CONNECT_SECONDS if timeout is None else timeout)
        raise self._kind.unconnected(attempt, conversation)

    def _forward(self) -> None:
        with truly():
            real = self._dial(*self._conversation.real_address)
            self._real = real if self._tls is None else real.start_tls(*self._tls)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Take what the client writes."""
        onward = self._feed(buffer)
        if onward:
            if self._real is None:
                self._forward()
            self._real.write(onward, timeout)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what the peer says."""
        conversation = self._conversation
        if self._refused is not None:
            raise self._refused
        if conversation.forwards:
            data: bytes = self._real.read(max_bytes, timeout)
            return data
        if conversation.failure is not None and conversation.attempt is not None:
            if (error := self._given_up(conversation.attempt)) is not None:
                raise error
            self._fail(conversation.attempt)
        core = self._kind.core
        try:
            return receive(conversation, max_bytes, timeout)
        except TimeoutError as error:
            raise core.ReadTimeout(error) from error
        except ConnectionResetError as error:
            raise core.ReadError(error) from error

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Fake:
        """Speak TLS from here on: there is nothing to encrypt, and nobody to verify."""
        self._note_tls(ssl_context, server_hostname, timeout)
        if self._real is not None:
            self._real = self._real.start_tls(ssl_context, server_hostname, timeout)
        return self

    def close(self) -> None:
        """Close it."""
        self._conversation.close()
        if self._real is not None:
            self._real.close()


class AsyncFake(_Base):
    """A stream that plays a conversation to a task."""

    async def opened(self, attempt: Attempt | None) -> AsyncFake:
        """Return the stream for the request that it is dialled for, or raise as the library does."""
        if attempt is None:
            await self._forward()
        elif attempt.reply.connection != "accepted":
            await self._fail(attempt)
        self._conversation.decided(attempt)
        return self

    async def _fail(self, attempt: Attempt) -> None:
        conversation = self._conversation
        if attempt.reply.connection == "timed_out":
            timeout = conversation.connect_timeout
            await conversation.clock.async_wait(KERNEL_CONNECT_SECONDS if timeout is None else timeout)
        raise self._kind.unconnected(attempt, conversation)

    async def _forward(self) -> None:
        with truly():
            real = await self._dial(*self._conversation.real_address)
            self._real = real if self._tls is None else await real.start_tls(*self._tls)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Take what the client writes."""
        onward = self._feed(buffer)
        if onward:
            if self._real is None:
                await self._forward()
            await self._real.write(onward, timeout)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what the peer says."""
        conversation = self._conversation
        if self._refused is not None:
            raise self._refused
        if conversation.forwards:
            data: bytes = await self._real.read(max_bytes, timeout)
            return data
        if conversation.failure is not None and conversation.attempt is not None:
            if (error := self._given_up(conversation.attempt)) is not None:
                raise error
            await self._fail(conversation.attempt)
        core, kind = self._kind.core, self._kind
        if kind.turn is not None:
            await kind.turn()
        try:
            return await areceive(conversation, max_bytes, timeout)
        except TimeoutError as error:
            cause = kind.timed_out()
            raise core.ReadTimeout(cause) from (cause if type(cause) is not TimeoutError else error)
        except ConnectionResetError as error:
            cause = kind.reset()
            cause.__cause__ = error
            raise core.ReadError(cause) from cause

    async def start_tls(
        self,
        ssl_context: Any,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> AsyncFake:
        """Speak TLS from here on: there is nothing to encrypt, and nobody to verify."""
        self._note_tls(ssl_context, server_hostname, timeout)
        if self._real is not None:
            self._real = await self._real.start_tls(ssl_context, server_hostname, timeout)
        return self

    async def aclose(self) -> None:
        """Close it."""
        self._conversation.close()
        if self._real is not None:
            await self._real.aclose()
