"""How the streams of each backend of httpcore and httpcore2 fail."""

from __future__ import annotations

import dataclasses
import socket
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults._transports._play import connect_error, connection_reset
from pytest_llmfaults._transports._streams import AsyncFake, Fake

__all__ = ["Kind", "anyio_kind", "sync_kind", "trio_kind"]


@dataclasses.dataclass(slots=True, frozen=True)
class Kind:
    """How one backend of one library fails.

    Attributes:
        core: ``httpcore`` or ``httpcore2``.
        stream: the class of its streams: ours, and a subclass of the library's.
        reset: makes what the backend's own stream raises on an RST.
        timed_out: makes what it raises when a timeout is over.
        failed: makes what it raises when a connection does not open, from what the system says.
        give_up: whether a kept connection whose server takes none now can be given up, so that the library dials.
        turn: lets other tasks run, as waiting for a socket does.
    """

    core: Any
    stream: type[Any]
    reset: Callable[[], Exception]
    timed_out: Callable[[], Exception]
    failed: Callable[[OSError, Conversation], Exception]
    give_up: Callable[[Attempt], bool]
    turn: Callable[[], Awaitable[object]] | None = None

    def unconnected(self, attempt: Attempt, conversation: Conversation) -> Exception:
        """Return what the library raises when the connection of ``attempt`` does not open."""
        failure = attempt.reply.connection
        attempt.end("timed_out" if failure == "timed_out" else "refused")
        of_client = failure == "timed_out" and (conversation.connect_timeout is not None or self.turn is None)
        cause = self.timed_out() if of_client else self.failed(connect_error(failure), conversation)
        error: Exception = (self.core.ConnectTimeout if of_client else self.core.ConnectError)(cause)
        error.__cause__ = cause
        return error


def sync_kind(core: Any, give_up: Callable[[Attempt], bool]) -> Kind:
    """Return how ``SyncBackend`` fails."""
    return Kind(
        core=core,
        stream=type("FakeStream", (Fake, core.NetworkStream), {}),
        reset=connection_reset,
        timed_out=lambda: TimeoutError("timed out"),
        failed=lambda error, _conversation: error,
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
        failed=_anyio_failed,
        give_up=give_up,
        turn=lambda: asyncio.sleep(0),
    )


def _anyio_failed(error: OSError, _conversation: Conversation) -> Exception:
    if isinstance(error, (socket.gaierror, ssl.SSLError)):
        return error
    cause = OSError("All connection attempts failed")
    cause.__cause__ = error
    return cause


def trio_kind(core: Any, give_up: Callable[[Attempt], bool]) -> Kind:
    """Return how ``TrioBackend`` fails."""
    import trio

    def failed(error: OSError, conversation: Conversation) -> Exception:
        if isinstance(error, socket.gaierror):
            return error
        address = f"{conversation.host}:{conversation.port}"
        cause: Exception = OSError(f"all attempts to connect to {address} failed")
        if isinstance(error, ssl.SSLError):
            cause = trio.BrokenResourceError()
        cause.__cause__ = error
        return cause

    return Kind(
        core=core,
        stream=type("AsyncFakeStream", (AsyncFake, core.AsyncNetworkStream), {}),
        reset=trio.BrokenResourceError,
        timed_out=trio.TooSlowError,
        failed=failed,
        give_up=give_up,
        turn=trio.lowlevel.checkpoint,
    )
