"""What a hand-made route cannot tell truly: measured against the memory transport, and refused by name."""

from __future__ import annotations

import dataclasses
from typing import Any, Final, Literal

from pytest_llmfaults._faults import Fault
from pytest_llmfaults._injection import Played
from pytest_llmfaults._quota import Quota
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import Unsupported

__all__ = ["UNTOLD", "Untold", "check_told", "retried_below"]


@dataclasses.dataclass(frozen=True, slots=True)
class Untold:
    """Faults that one kind of hand-made route cannot tell truly. Injections tell them all.

    Attributes:
        mock: the library of the route.
        faults: names of rows.
        reason: why.
        retry: whether it is so only for clients that have urllib3's Retry mounted.
    """

    mock: Literal["responses", "respx"]
    faults: tuple[str, ...]
    reason: str
    retry: bool = False


_NO_CONNECTION: Final = (
    "it shows in the next request on the same connection, and behind a hand-made route there is no connection"
)
_RETRY: Final = (
    "this client has urllib3's Retry mounted, which retries when there is no reply, and it never runs under responses"
)

UNTOLD: Final = (
    Untold("responses", ("transport.stale_keep_alive",), _NO_CONNECTION),
    Untold("respx", ("transport.stale_keep_alive", "transport.content_length_too_short"), _NO_CONNECTION),
    Untold(
        "responses",
        (
            "transport.refused",
            "transport.dns_failure",
            "transport.connect_timeout",
            "transport.tls_verify",
            "transport.reset_peer",
            "transport.closed",
            "transport.timeout",
            "transport.latency",
            "transport.not_http",
        ),
        _RETRY,
        retry=True,
    ),
)
"""``transport.latency`` is told under Retry where it stays below the client's timeout."""


def check_told(step: Played, mock: str) -> None:
    """Refuse a step that a route of ``mock`` cannot tell truly.

    Raises:
        Unsupported: it cannot.
    """
    if isinstance(step, Quota):
        raise Unsupported(untold(step.label, mock, "it has no clock on which a quota could refill"))
    name = step.name if isinstance(step, Fault) else ""
    if isinstance(step, Reply) and step.ending == "stale":
        name = "transport.stale_keep_alive"
    for one in UNTOLD:
        if one.mock == mock and not one.retry and name in one.faults:
            raise Unsupported(untold(name, mock, one.reason))


def untold(name: str, mock: str, reason: str) -> str:
    """Say what cannot be told, why, and what to do."""
    return (
        f"{name} cannot be told truly by a hand-made route of {mock}: {reason}. "
        f"Use llmfaults.inject({_step(name)}) or with inject(...), which goes past the mock to the connection."
    )


def _step(name: str) -> str:
    return name if name.endswith(")") else repr(name)


def retried_below(name: str, adapter: Any) -> str | None:
    """Say what cannot be told when a request got no reply, or None: the client's Retry would have gone on."""
    retries = getattr(adapter, "max_retries", None)
    budgets = (getattr(retries, budget, None) for budget in ("total", "connect", "read", "other"))
    return untold(name, "responses", _RETRY) if any(budgets) else None
