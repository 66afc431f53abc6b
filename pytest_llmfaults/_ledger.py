"""What happened: requests as parsed, the reply each got, waits, refusals."""

from __future__ import annotations

import dataclasses
import threading
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_llmfaults._consumed import Consumed, consumed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_llmfaults._faults import Fault
    from pytest_llmfaults._reply import Reply
    from pytest_llmfaults._request import Request

__all__ = ["Attempt", "Ledger", "Refusal", "Sighting", "again_after_output", "gaps_seconds"]

Outcome: TypeAlias = Literal["open", "read", "cut", "reset", "timed_out", "refused", "closed_early", "forever"]


@dataclasses.dataclass(slots=True, eq=False)
class Attempt:
    """One request that left the SDK for a wire's route, and the reply it met.

    Attributes:
        number: 1 for the first of the test.
        request: the request as parsed.
        step: what answered it: a fault's label, ``ok``, ``answer``, ``reply 200``.
        reply: the reply that is played.
        fault: the fault, or None when the reply is not one of the catalogue's.
        started_seconds: virtual time when the request was complete.
        ended_seconds: virtual time of the last thing that happened in it.
        outcome: how far the client came: ``open`` (still being read), ``read`` (to the end), ``cut``, ``reset``,
            ``timed_out``, ``refused``, ``closed_early`` (by the client), ``forever`` (no timeout was set).
        taken_bytes: how many bytes of the reply, its head included, the client took off the connection.
    """

    number: int
    request: Request
    step: str
    reply: Reply
    fault: Fault | None
    started_seconds: float
    ended_seconds: float
    clock: Callable[[], float]
    outcome: Outcome = "open"
    taken_bytes: int = 0

    @property
    def consumed(self) -> Consumed | None:
        """How much of the stream was taken; None where none was asked for, or no stream was answered."""
        return consumed(self.request, self.reply, self.taken_bytes, self.outcome)

    @property
    def is_healthy(self) -> bool:
        """Whether what answered it is a good reply."""
        return self.fault is None or self.fault.family == "control"

    def touch(self) -> None:
        """Note that something happened in this attempt just now."""
        self.ended_seconds = max(self.ended_seconds, self.clock())

    def end(self, outcome: Outcome, *, happened: bool = True) -> None:
        """Note how the attempt ended; the first call counts.

        Only ``read`` is open to correction: that a reply promised more than was sent is noticed by the silence, the
        cut or the reset that follows the last byte.

        Args:
            outcome: how it ended.
            happened: whether the client was at it until now. A stream that was dropped is closed when its memory is
                freed, and what was slept meanwhile is a wait between attempts.
        """
        if self.outcome == "open" or (self.outcome == "read" and outcome != "read"):
            if happened:
                self.touch()
            self.outcome = outcome

    def reopen(self) -> None:
        """Note that the client asks for more than there was."""
        if self.outcome == "read":
            self.outcome = "open"

    def __str__(self) -> str:
        """Tell the attempt in one line."""
        return f"#{self.number} {self.request.short} -> {self.step}"


@dataclasses.dataclass(frozen=True, slots=True)
class Refusal:
    """A request that was not let out.

    Attributes:
        reason: the whole sentence for a person.
        fatal: whether it fails the test (telemetry does not).
    """

    reason: str
    fatal: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Sighting:
    """A request seen above the wire, on its way down through a client library.

    Attributes:
        url: masked URL.
        library: the library.
        above: what stands between it and the wire (``httpx.MockTransport``, ``responses``), or None.
        answered: the request, where a route of a mock or a cassette that injections can pass has answered it.
    """

    url: str
    library: str
    above: str | None
    answered: Request | None = None


class Ledger:
    """Everything that happened in one run, in order."""

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.Lock()
        self.attempts: list[Attempt] = []
        self.refusals: list[Refusal] = []
        self.sightings: list[Sighting] = []

    def attempt(
        self, request: Request, step: str, reply: Reply, fault: Fault | None, clock: Callable[[], float]
    ) -> Attempt:
        """Write down that ``request`` arrived and will get ``reply``."""
        now = clock()
        with self._lock:
            entry = Attempt(len(self.attempts) + 1, request, step, reply, fault, now, now, clock)
            self.attempts.append(entry)
        return entry

    def refuse(self, reason: str, *, fatal: bool) -> None:
        """Write down a refusal."""
        with self._lock:
            self.refusals.append(Refusal(reason, fatal))

    def saw(self, url: str, library: str, above: str | None, answered: Request | None = None) -> None:
        """Write down that a client library was asked for ``url``, and what stands above the wire."""
        with self._lock:
            self.sightings.append(Sighting(url, library, above, answered))


def again_after_output(attempts: Iterable[Attempt]) -> bool:
    """Tell whether a conversation was asked again after a stream had begun to answer it.

    A healthy answer that was taken whole is no failure, and to ask the same again is no retry.
    """
    answered: list[object] = []
    for attempt in attempts:
        if attempt.request.messages in answered:
            return True
        taken = attempt.consumed
        if taken is not None and taken.output and not (attempt.is_healthy and taken.closed == "drained"):
            answered.append(attempt.request.messages)
    return False


def gaps_seconds(attempts: Iterable[Attempt]) -> list[float]:
    """Return the virtual seconds from the end of each attempt to the start of the next."""
    entries = list(attempts)
    pairs = zip(entries, entries[1:], strict=False)
    return [round(max(0.0, after.started_seconds - before.ended_seconds), 6) for before, after in pairs]
