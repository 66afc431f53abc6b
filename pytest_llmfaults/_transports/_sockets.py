"""The socket that http.client and urllib3 read and write instead of a true one."""

from __future__ import annotations

import os
import socket
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults._transports._play import receive

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FakeSocket", "close_pipes"]


def _open_ends() -> tuple[int, Callable[[], object], Callable[[], object], Callable[[], object]]:
    """Return a descriptor to poll, and functions that mark it readable, unmark it, and close it.

    A pipe, where the system can poll one: pytest-socket blocks pairs of sockets.
    """
    if sys.platform == "win32":
        ours, theirs = socket.socketpair()
        return (
            ours.fileno(),
            lambda: theirs.send(b"x"),
            lambda: ours.recv(1),
            lambda: [s.close() for s in (ours, theirs)],
        )
    reader, writer = os.pipe()

    def close() -> None:
        os.close(reader)
        os.close(writer)

    return reader, lambda: os.write(writer, b"x"), lambda: os.read(reader, 1), close


class _Pipe:
    """A descriptor for those who poll one: readable while there is something to read."""

    def __init__(self) -> None:
        self._ends: tuple[int, Callable[[], object], Callable[[], object], Callable[[], object]] | None = None
        self._marked = False

    def fileno(self, *, readable: bool) -> int:
        """Return the descriptor in the right state."""
        if self._ends is None:
            self._ends = _open_ends()
            self._marked = False
            _open_pipes.add(self)
        number, mark, unmark, _ = self._ends
        if readable and not self._marked:
            mark()
        elif self._marked and not readable:
            unmark()
        self._marked = readable
        return number

    def close(self) -> None:
        """Close it; :meth:`fileno` opens it again."""
        ends, self._ends = self._ends, None
        if ends is not None:
            ends[3]()

    def __del__(self) -> None:
        self.close()


_open_pipes: Final[weakref.WeakSet[_Pipe]] = weakref.WeakSet()


def close_pipes() -> None:
    """Give back the descriptors of every fake socket that is still open somewhere."""
    for pipe in list(_open_pipes):
        pipe.close()


class FakeSocket:
    """A socket that plays a conversation."""

    family: Final = socket.AF_INET
    type: Final = socket.SOCK_STREAM
    proto: Final = socket.IPPROTO_TCP

    def __init__(
        self,
        conversation: Conversation,
        *,
        timeout: float | None,
        dial: Callable[[], socket.socket],
        fail: Callable[[], Exception],
    ) -> None:
        """Stand in for a connection.

        Args:
            conversation: the peer.
            timeout: seconds, None for ever.
            dial: opens the real connection, for what goes its way.
            fail: makes what the library raises when the connection does not open.
        """
        self._conversation = conversation
        self._timeout = timeout
        self._dial = dial
        self._fail = fail
        self._real: socket.socket | None = None
        self._pipe = _Pipe()
        self._io_refs = 0
        self._closed = False
        self._shut = False

    # Writing

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Take what the client writes."""
        if self._closed:
            msg = "Bad file descriptor"
            raise OSError(9, msg)
        onward = self._conversation.feed(data if isinstance(data, (bytes, bytearray)) else memoryview(data).tobytes())
        if onward:
            if self._real is None:
                self._real = self._dial()
            self._real.settimeout(self._timeout)
            self._real.sendall(onward, flags)
        elif self._conversation.failure is not None:
            raise self._fail()

    def send(self, data: Any, flags: int = 0) -> int:
        """Take what the client writes, all of it."""
        self.sendall(data, flags)
        return len(data)

    # Reading

    def recv(self, bufsize: int, flags: int = 0) -> bytes:
        """Return what the peer says."""
        if self._shut:
            return b""
        if self._real is not None and self._conversation.forwards:
            self._real.settimeout(self._timeout)
            return self._real.recv(bufsize, flags)
        return receive(self._conversation, bufsize, self._timeout)

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        """Write what the peer says into ``buffer``."""
        view = memoryview(buffer).cast("B")
        data = self.recv(nbytes or len(view), flags)
        view[: len(data)] = data
        return len(data)

    makefile = socket.socket.makefile
    """Return a file to read from, or to write to: the one that a true socket makes, over this one."""

    # The connection

    @property
    def readable(self) -> bool:
        """Whether a read would return at once, the peer's closing included."""
        return self._shut or self._conversation.readable

    @property
    def relays(self) -> socket.socket | None:
        """The real connection, while the current exchange goes its way."""
        return self._real if self._conversation.forwards else None

    def fileno(self) -> int:
        """Return a descriptor that polls as readable when there is something to read."""
        if self._closed and not self._io_refs:
            return -1
        real = self.relays
        return real.fileno() if real is not None else self._pipe.fileno(readable=self.readable)

    def settimeout(self, value: float | None) -> None:
        """Set the timeout of what follows, in seconds."""
        self._timeout = value

    def gettimeout(self) -> float | None:
        """Return the timeout."""
        return self._timeout

    def setblocking(self, flag: bool) -> None:
        """Set no timeout, or one of 0."""
        self._timeout = None if flag else 0.0

    def setsockopt(self, *_args: Any) -> None:
        """Take an option, which has no effect."""

    def getsockopt(self, *_args: Any) -> int:
        """Return what an option is by default."""
        return 0

    def getpeername(self) -> tuple[str, int]:
        """Return host and port."""
        return (self._conversation.host, self._conversation.port)

    def getsockname(self) -> tuple[str, int]:
        """Return an address of this machine."""
        return ("127.0.0.1", 0)

    def getpeercert(self, binary_form: bool = False) -> Any:
        """Return a certificate for just this host, for those who check the name themselves."""
        host = self._conversation.host
        if binary_form:
            return host.encode()
        return {"subject": ((("commonName", host),),), "subjectAltName": (("DNS", host),)}

    def selected_alpn_protocol(self) -> str | None:
        """Return that nothing was negotiated: HTTP/1.1."""
        return None

    def version(self) -> str:
        """Return a version of TLS."""
        return "TLSv1.3"

    def shutdown(self, how: int) -> None:
        """Read no more."""
        if how != socket.SHUT_WR:
            self._shut = True

    def close(self) -> None:
        """Close it, or when the last file made from it is closed."""
        self._closed = True
        if not self._io_refs:
            self._close()

    def _decref_socketios(self) -> None:
        """Note that a file made from it was closed; the file calls it by this name."""
        self._io_refs -= 1
        if self._closed and not self._io_refs:
            self._close()

    def _close(self) -> None:
        self._conversation.close()
        self._pipe.close()
        if self._real is not None:
            self._real.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_exc: object) -> None:
        """Close it."""
        self.close()
