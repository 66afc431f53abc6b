"""Read-only views of a ledger: all attempts, or those that a filter lets through."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pytest_llmfaults._consumed import Consumed
from pytest_llmfaults._filter import Filter
from pytest_llmfaults._ledger import Attempt, again_after_output, gaps_seconds
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request

__all__ = ["Leg", "View"]


class Leg(NamedTuple):
    """Attempts in a row on the same wire, at the same host, for the same model.

    Attributes:
        wire: the wire's name.
        host: the host.
        model: the model that the requests name, or None.
        attempts: how many there were.
    """

    wire: str | None
    host: str
    model: str | None
    attempts: int


_MOST_WAITS: Final = 8
"""Waits that ``repr`` shows."""


class View:
    """What some requests of a test met, in order.

    An attempt is one request that left the SDK for a wire's route: a redirect hop and a transport's own retry count,
    a request that was refused by this plugin does not.
    """

    __slots__ = ("_select",)

    def __init__(self, select: Callable[[], Sequence[Attempt]]) -> None:
        """Show what ``select`` returns at the moment of asking."""
        self._select = select

    @property
    def attempts(self) -> int:
        """How many requests there were."""
        return len(self._select())

    @property
    def waits(self) -> list[float]:
        """Seconds of virtual time from the end of each attempt to the start of the next: one less than attempts.

        Ten sleeps of 0.1 s are one wait of 1.0 s. A stall or latency is time inside an attempt, never a wait.
        """
        return gaps_seconds(self._select())

    @property
    def requests(self) -> list[Request]:
        """The requests, as the wire saw them."""
        return [attempt.request for attempt in self._select()]

    @property
    def replies(self) -> list[Reply]:
        """The reply that each request met."""
        return [attempt.reply for attempt in self._select()]

    @property
    def outcomes(self) -> list[str]:
        """How far the client came with each reply: ``read``, ``cut``, ``reset``, ``timed_out``, ..."""
        return [attempt.outcome for attempt in self._select()]

    @property
    def legs(self) -> list[Leg]:
        """Where the requests went, in order: ``(wire, host, model, attempts)`` for each that was asked in a row.

        The way of a fallback chain, whole: nobody can be asked without being in it.
        """
        places = [(one.request.wire, one.request.host, one.request.model) for one in self._select()]
        return [Leg(*place, len(list(same))) for place, same in itertools.groupby(places)]

    @property
    def streams(self) -> list[Consumed]:
        """How much of each stream the client took: its events, its text, how it was closed.

        Replies that are no stream are left out: a status of 300 or more, and what no stream was asked for.
        """
        return [consumed for attempt in self._select() if (consumed := attempt.consumed) is not None]

    @property
    def retried_after_output(self) -> bool:
        """Whether the same messages were sent again after a stream had begun to answer them.

        What a caller was shown meanwhile cannot be taken back.
        """
        return again_after_output(self._select())

    def on(
        self,
        *,
        wire: str | None = None,
        host: str | None = None,
        model: str | None = None,
        when: Callable[[Request], object] | None = None,
    ) -> View:
        """Return the attempts of one wire, host, model, or those for which ``when(request)`` is true.

        Raises:
            InvalidUse: a filter that could never match.
        """
        covers = Filter(when=when, wire=wire, host=host, model=model)
        return View(lambda: [one for one in self._select() if covers.misses(one.request) is None])

    def __str__(self) -> str:
        """Tell the story, one line an attempt."""
        return story(self._select())

    def __repr__(self) -> str:
        """Say how much there is to see."""
        waits = self.waits
        more = f" and {len(waits) - _MOST_WAITS} more" * (len(waits) > _MOST_WAITS)
        return f"<{type(self).__name__} attempts={self.attempts} waits={waits[:_MOST_WAITS]}{more}>"


def story(attempts: Sequence[Attempt]) -> str:
    """Tell what happened, one line an attempt, with the wait that followed each."""
    gaps: list[float | None] = [*gaps_seconds(attempts), None]
    lines = []
    for attempt, gap in zip(attempts, gaps, strict=False):
        inside = round(attempt.ended_seconds - attempt.started_seconds, 6)
        took = f", took {inside:g} s" if inside else ""
        waited = f", then waited {gap:g} s" if gap else ""
        lines.append(f"{attempt} [{attempt.consumed or attempt.outcome}{took}]{waited}")
    return "\n".join(lines)
