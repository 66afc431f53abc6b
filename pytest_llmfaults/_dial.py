"""Where another library opens connections: a row of data that a package brings, and what is known of a connection."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Final

from pytest_llmfaults._registry import Registry

__all__ = ["TRANSPORTS", "Address", "Transport"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a connection goes.

    Attributes:
        scheme: ``http`` or ``https``.
        host: name of the host.
        port: its port.
        timeout_seconds: of the connection and of each read, until its socket says otherwise; None is for ever.
        trusting: whether the client takes any certificate.
    """

    scheme: str
    host: str
    port: int
    timeout_seconds: float | None = None
    trusting: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Transport:
    """A library that opens its connections by one blocking function of its own, which returns a connected socket.

    While a run has a say about the address, the function returns a socket that plays replies instead. It is
    read and written as any socket; a connection that does not open says so when the first request is written.

    Attributes:
        name: of the library: ``request.library`` of what it sends.
        module: the module that has the function.
        function: its name in the module, ``dial`` or ``Client.connect``.
        address: says from the arguments of a call where it goes; it takes what the function takes.
    """

    name: str
    module: str
    function: str
    address: Callable[..., Address]


TRANSPORTS: Final[Registry[Transport]] = Registry("transports", {})
"""What others bring. The libraries that this package knows need more than a row: ``_transports``."""
