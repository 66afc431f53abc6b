"""The hooks. What they return is imported when a session asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_llmfaults.extending import Dialect, Fault, Transport, Wire


def pytest_llmfaults_wires() -> Iterable[Wire]:
    """Bring the wire ``acme.ask``."""
    from acme_llmfaults.gateway import ASK

    return [ASK]


def pytest_llmfaults_dialects() -> Iterable[Dialect]:
    """Bring the dialect ``acme``."""
    from acme_llmfaults.chat import CHAT

    return [CHAT]


def pytest_llmfaults_transports() -> Iterable[Transport]:
    """Bring the transport ``acme_rpc``."""
    from acme_llmfaults.transport import RPC

    return [RPC]


def pytest_llmfaults_faults() -> Iterable[Fault]:
    """Bring the family ``acme``."""
    from acme_llmfaults.faults import FAULTS

    return FAULTS
