"""What a suite decides once, and which hosts are this machine."""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Callable
from typing import Final

from pytest_llmfaults._answer import Answer

__all__ = ["ATTEMPT_LIMIT", "CALL_SECONDS", "Settings", "is_loopback"]


ATTEMPT_LIMIT: Final = 10_000
"""Attempts that one injection answers, where the suite says nothing else: even an endless retry loop meets an end."""

CALL_SECONDS: Final = 30.0
"""True time that one observed call may take, where the suite does not say otherwise."""


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """What a suite decides once.

    Attributes:
        answer: makes what the healthy model says.
        routes: further path endings and the wire that each is a route of.
        dialects: hosts, ``*`` for any, and the dialect that each speaks, before what is known of it.
        passthrough: origins (``http://127.0.0.1:8080``) whose traffic is left alone.
        call_seconds: true time that one observed call of a contract may take.
        attempt_limit: attempts that one injection answers.
    """

    answer: Callable[[], Answer] = Answer
    routes: tuple[tuple[str, str], ...] = ()
    dialects: tuple[tuple[str, str], ...] = ()
    passthrough: frozenset[str] = frozenset()
    call_seconds: float = CALL_SECONDS
    attempt_limit: int = ATTEMPT_LIMIT


def is_loopback(host: str) -> bool:
    """Tell whether ``host`` is this machine: ``localhost`` or a loopback address."""
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
