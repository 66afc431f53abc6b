"""One exchange in memory without a run: the library's own code above a connection that plays one reply.

Nothing is patched and nothing waits; virtual time is only counted.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from pytest_llmfaults._clock import Clock
from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._request import Request
from pytest_llmfaults._transports._conversation import Conversation
from pytest_llmfaults.errors import WaitsForever

__all__ = ["Alone", "Came", "Still"]


class Still(Clock):
    """A clock that only counts what was waited for."""

    def __init__(self) -> None:
        """Start at 0."""
        super().__init__()
        self._waited_seconds = 0.0

    @property
    def seconds(self) -> float:
        """Seconds that were waited for."""
        return self._waited_seconds

    def wait(self, seconds: float | None) -> None:
        """Count a wait.

        Raises:
            WaitsForever: nothing would ever end it.
        """
        if seconds is None:
            raise WaitsForever
        self._waited_seconds += seconds


class Alone(Conversation):
    """A conversation that plays the reply of one attempt, whatever is asked."""

    __slots__ = ("_next", "_still")

    def __init__(self, scheme: str, host: str, port: int, library: str, attempt: Attempt, still: Still) -> None:
        """Accept a connection that plays ``attempt`` on the time of ``still``."""
        super().__init__(scheme, host, port, library)
        self._next = attempt
        self._still = still

    def _decide(self, request: Request, raw: bytes) -> bytes:  # noqa: ARG002 - the base class has the signature
        self.attempt = self._next
        if self.attempt.reply.connection == "accepted":
            self._play(self.attempt.reply.script())
        else:
            self._gone = True
        return b""

    @property
    def clock(self) -> Clock:
        """The time that is counted."""
        return self._still

    @property
    def over(self) -> bool:
        """Whether the peer has hung up."""
        return self._gone


@dataclasses.dataclass(frozen=True, slots=True)
class Came:
    """What came of an exchange, down to where its body ended.

    Attributes:
        status: HTTP status.
        headers: name and value pairs, as the library's parser gave them.
        pieces: the body as it crossed the wire, framing taken off, codings left on.
        error: what the library raised after the last piece, or None.
        extensions: further marks that httpx hands on.
    """

    status: int
    headers: list[tuple[Any, Any]]
    pieces: list[bytes]
    error: Exception | None = None
    extensions: dict[str, Any] = dataclasses.field(default_factory=dict)
