"""Libraries that others bring: one blocking function of theirs returns a connected socket."""

from __future__ import annotations

import functools
import operator
import socket
from collections.abc import Callable
from importlib import import_module
from typing import Any

from pytest_llmfaults._dial import Transport
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults._transports._play import KERNEL_CONNECT_SECONDS, connect_error
from pytest_llmfaults._transports._sockets import FakeSocket
from pytest_llmfaults._transports._table import Table, has_say, truly

__all__ = ["table"]


def table(transport: Transport) -> Table:
    """Return the attribute of a library that a run replaces.

    Raises:
        Unsupported: the library has no such function.
    """
    made = Table(transport.module.partition(".")[0])
    *outer, name = transport.function.split(".")
    module: Any = import_module(transport.module)
    try:
        owner = operator.attrgetter(".".join(outer))(module) if outer else module
    except AttributeError:
        raise made.moved(module, transport.function) from None
    made.add(owner, name, lambda original: _dial(original, transport))
    return made


def _dial(original: Callable[..., Any], transport: Transport) -> Callable[..., Any]:
    @functools.wraps(original)
    def dial(*args: Any, **kwargs: Any) -> Any:
        address = transport.address(*args, **kwargs)
        if has_say(address.host, address.port) is None:
            return original(*args, **kwargs)
        conversation = Conversation(address.scheme, address.host, address.port, transport.name)
        conversation.trusting = address.trusting

        def truly_dialled() -> socket.socket:
            with truly():
                real: socket.socket = original(*args, **kwargs)
            return real

        return FakeSocket(
            conversation,
            timeout=address.timeout_seconds,
            dial=truly_dialled,
            fail=lambda: _failed(conversation, address.timeout_seconds),
        )

    return dial


def _failed(conversation: Conversation, timeout_seconds: float | None) -> Exception:
    """Return what a socket raises when a connection does not open, after what the client would have waited."""
    failure = conversation.failure or "refused"
    if failure != "timed_out":
        conversation.refused()
        return connect_error(failure)
    conversation.clock.wait(KERNEL_CONNECT_SECONDS if timeout_seconds is None else timeout_seconds)
    conversation.gave_up()
    return connect_error(failure) if timeout_seconds is None else TimeoutError("timed out")
