"""The streams that httpcore and httpcore2 read and write instead of sockets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults._transports._play import (
    KERNEL_CONNECT_SECONDS,
    areceive,
    receive,
    takes_any,
)
from pytest_llmfaults._transports._table import truly
from pytest_llmfaults.errors import Refused

if TYPE_CHECKING:
    from pytest_llmfaults._transports._kinds import Kind

__all__ = ["AsyncFake", "Fake"]


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
        self._conversation.trusting = takes_any(ssl_context)
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
