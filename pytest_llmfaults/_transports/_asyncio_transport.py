"""A connection in memory, as an asyncio protocol sees one: the events of a selector transport, in their order."""

from __future__ import annotations

import asyncio
import ipaddress
import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol, TypeAlias

from pytest_llmfaults._reply import Pause
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults._transports._play import connection_reset
from pytest_llmfaults.errors import Refused, WaitsForever

__all__ = ["Client", "MemoryTransport", "dismiss_all"]

_READ_BYTES: Final = 256 * 1024
"""What asyncio's own transport reads at once."""

_CLIENT_PORT: Final = 49152

_Bytes: TypeAlias = "bytes | bytearray | memoryview"

_live: Final[weakref.WeakSet[MemoryTransport]] = weakref.WeakSet()


class Client(Protocol):
    """What a transport asks and tells the library that it serves."""

    def awaits_reply(self) -> bool:
        """Tell whether the reply to the request that was written is not complete for the client."""

    def gave_up(self) -> bool:
        """Tell whether a timeout of the client's own is why it closes."""

    def tell(self, error: BaseException) -> None:
        """Raise ``error`` where the reply is awaited."""

    def not_opened(self, transport: MemoryTransport) -> None:
        """Take notice that the request that was just written meets a connection that does not open."""


class MemoryTransport(asyncio.Transport):
    """Plays a conversation to a protocol."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, protocol: asyncio.Protocol, conversation: Conversation, client: Client
    ) -> None:
        """Connect; the caller calls ``protocol.connection_made``."""
        super().__init__()
        self.conversation = conversation
        self._loop = loop
        self._protocol: asyncio.BaseProtocol = protocol
        self.client = client
        self._closing = False
        self._lost = False
        self._paused = False
        self._eof = False
        self._next: asyncio.Handle | None = None
        self._forever: asyncio.Task[None] | None = None
        _live.add(self)

    # What the client writes

    def write(self, data: _Bytes) -> None:
        """Hand bytes to the gateway."""
        if self._eof:
            msg = "Cannot call write() after write_eof()"
            raise RuntimeError(msg)
        if self._lost or not data:
            return
        try:
            self.conversation.feed(bytes(data))
        except Refused as refusal:
            self.client.tell(refusal)
            return
        except OSError as error:
            self._force_close(error)
            return
        if self.conversation.forwards:
            # The run changed between dial and request; the peer that was dialled is gone.
            self._force_close(connection_reset())
        elif self.conversation.failure is not None:
            self._cancel_next()
            self.client.not_opened(self)
        else:
            self._read_soon()

    def writelines(self, list_of_data: Iterable[_Bytes]) -> None:
        """Hand several pieces to the gateway as one."""
        self.write(b"".join(list_of_data))

    def write_eof(self) -> None:
        """Half-close."""
        self._eof = True

    def can_write_eof(self) -> bool:
        """Tell that a half-close is possible, as on TCP."""
        return True

    def get_write_buffer_size(self) -> int:
        """Return 0: what is written has arrived."""
        return 0

    def get_write_buffer_limits(self) -> tuple[int, int]:
        """Return asyncio's own defaults."""
        return 16 * 1024, 64 * 1024

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Do nothing: the buffer is always empty."""

    # What the client reads

    def is_reading(self) -> bool:
        """Tell whether the protocol takes bytes."""
        return not self._closing and not self._paused

    def pause_reading(self) -> None:
        """Hold bytes back."""
        self._paused = True

    def resume_reading(self) -> None:
        """Go on."""
        if self._paused and not self._closing:
            self._paused = False
            self._read_soon()

    def _read_soon(self) -> None:
        if self._next is None and self._forever is None:
            self._next = self._loop.call_soon(self._read)

    def _read(self) -> None:
        """Do what a loop does that found the socket readable: one read in a turn."""
        self._next = None
        if not self.is_reading():
            return
        act = self.conversation.read(_READ_BYTES)
        if isinstance(act, bytes):
            self._deliver(act)
        elif isinstance(act, Pause):
            self._wait(act)
        elif act.kind == "reset":
            self._force_close(connection_reset())
        else:
            self._deliver_eof()

    def _deliver(self, data: bytes) -> None:
        protocol = self._protocol
        assert isinstance(protocol, asyncio.Protocol)  # noqa: S101 - for the type checker
        try:
            protocol.data_received(data)
        except Exception as error:  # noqa: BLE001 - asyncio's own transport does the same
            self._fatal_error(error, "Fatal error: protocol.data_received() call failed.")
            return
        self._read_soon()

    def _deliver_eof(self) -> None:
        protocol = self._protocol
        assert isinstance(protocol, asyncio.Protocol)  # noqa: S101 - for the type checker
        try:
            keep_open = protocol.eof_received()
        except Exception as error:  # noqa: BLE001 - asyncio's own transport does the same
            self._fatal_error(error, "Fatal error: protocol.eof_received() call failed.")
            return
        if not keep_open:
            self.close()

    def _wait(self, pause: Pause) -> None:
        clock = self.conversation.clock
        if pause.seconds is not None:
            self._next = clock.call_later(self._loop, pause.seconds, self._read)
        elif self.conversation.attempt is not None and self.client.awaits_reply():
            # A waiter like any other: the client's own timeouts may pass meanwhile.
            self.conversation.asks_for_more()
            self._forever = self._loop.create_task(clock.async_wait(None))
            self._forever.add_done_callback(self._waited_forever)

    def _waited_forever(self, waiter: asyncio.Task[None]) -> None:
        error = None if waiter.cancelled() else waiter.exception()
        if error is None or self._closing:
            return
        if isinstance(error, WaitsForever):
            self.conversation.waits_forever()
        self.client.tell(error)

    def fail_after(self, seconds: float, error: BaseException) -> None:
        """Let the client have ``error`` after so long: the connection never opened."""
        self._next = self.conversation.clock.call_later(self._loop, seconds, self._fail, error)

    def _fail(self, error: BaseException) -> None:
        self.conversation.gave_up()
        self.client.tell(error)

    # How it ends

    def is_closing(self) -> bool:
        """Tell whether it is closed, or about to be."""
        return self._closing

    def close(self) -> None:
        """Close; the protocol is told in the loop's next turn."""
        if self._closing:
            return
        self._stop()
        self._lose(None)

    def abort(self) -> None:
        """Close at once."""
        self._force_close(None)

    def dismiss(self) -> None:
        """Hang up because the run is over. May be called in any thread."""
        if self._closing:
            return
        self._closing = True
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hang_up)

    def _hang_up(self) -> None:
        self._stop()
        self._lose(None)

    def _stop(self) -> None:
        """Stop playing, and note how far the client came."""
        self._closing = True
        self._cancel_next()
        if self._forever is not None:
            self._forever.cancel()
        if isinstance(sys.exc_info()[1], asyncio.TimeoutError) or self.client.gave_up():
            self.conversation.gave_up()
        self.conversation.close()

    def _cancel_next(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _force_close(self, error: Exception | None) -> None:
        if not self._closing:
            self._stop()
        self._lose(error)

    def _lose(self, error: Exception | None) -> None:
        if not self._lost:
            self._lost = True
            self._loop.call_soon(self._protocol.connection_lost, error)

    def _fatal_error(self, error: Exception, message: str) -> None:
        if not isinstance(error, OSError):
            self._loop.call_exception_handler(
                {"message": message, "exception": error, "transport": self, "protocol": self._protocol}
            )
        self._force_close(error)

    # What it says of itself

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol."""
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Serve another protocol from now on."""
        self._protocol = protocol

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Say where both ends are. There is neither a socket nor TLS."""
        if name == "peername":
            return peer_address(self.conversation.host, self.conversation.port)
        return ("127.0.0.1", _CLIENT_PORT) if name == "sockname" else default


def peer_address(host: str, port: int) -> tuple[Any, ...]:
    """Return the address that a host is said to have: a name is never looked up."""
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return ("127.0.0.1", port)
    return (str(address), port) if address.version == 4 else (str(address), port, 0, 0)


def dismiss_all(is_over: Callable[[Conversation], bool]) -> None:
    """Hang up on every client whose conversation is over."""
    for transport in tuple(_live):
        if is_over(transport.conversation):
            transport.dismiss()
