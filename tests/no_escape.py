"""Proof that no test of this suite reaches another machine.

A second audit hook, behind the guard's: what the guard refuses never gets here. Whatever else does is stopped, noted,
and fails the session.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from typing import Any, Final

import pytest

from pytest_llmfaults._run import is_loopback
from pytest_llmfaults._transports import _guard

_WATCHED: Final = frozenset(
    {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname"}
)

escapes: Final[list[str]] = []
_hooked: Final[list[bool]] = []


class Escaped(BaseException):
    """A test tried to reach another machine."""


def watch() -> None:
    """Add the hook to this process, once, behind the guard's."""
    if not _hooked:
        _hooked.append(True)
        _guard.install()
        sys.addaudithook(_hook)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event not in _WATCHED:
        return
    if event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = args[0]
    elif args[0].family in {socket.AF_INET, socket.AF_INET6} and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode("latin-1")
    if not host or is_loopback(host) or host == socket.gethostname() or _is_looked_up_only(event, host):
        return
    escapes.append(f"{event} {host}")
    raise Escaped(escapes[-1])


def _is_looked_up_only(event: str, host: str) -> bool:
    """Tell whether nothing is asked: an address that is "looked up" stays in this process."""
    if event not in {"socket.getaddrinfo", "socket.gethostbyname"}:
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def fail_if_any(session: pytest.Session) -> None:
    """Fail the session when something escaped."""
    if escapes:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def lines() -> list[str]:
    """Say what escaped."""
    return [f"ESCAPED: {one}" for one in escapes]
