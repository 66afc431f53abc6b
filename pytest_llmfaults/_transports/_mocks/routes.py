"""A fault for a route that a person made by hand: a ``responses`` callback, a respx side effect."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._current import find
from pytest_llmfaults._injection import Filter, Injection, Step, checked_steps
from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run
from pytest_llmfaults._transports._mocks import _alone_httpx, _alone_requests
from pytest_llmfaults._transports._mocks._alone import Still
from pytest_llmfaults._transports._mocks._claim import as_bytes, request_of_httpx
from pytest_llmfaults._transports._mocks._untold import check_told, retried_below
from pytest_llmfaults.errors import Refused, Unsupported

__all__ = ["as_callback", "as_side_effect"]

_T = TypeVar("_T")


def as_callback(
    *steps: Step, answer: Answer | None = None, wire: str | None = None
) -> Callable[[Any], tuple[int, Any, Any]]:
    """Make the callback of a ``responses`` route that answers with these steps, one a request; the last one repeats.

    ``responses.add_callback("POST", url, callback=as_callback("body.html_page", "ok"))``. No fixture is needed: the
    reply is played to requests' and urllib3's own code in memory, and what that gives or raises is handed on. A
    client that waits for it waits in virtual time; without a fixture it does not wait at all.

    Args:
        *steps: what ``inject`` takes.
        answer: what the healthy model says in ``"ok"`` and in what the faults corrupt.
        wire: the wire, where the path is no known route.

    Raises:
        UnknownFault: a name is no fault.
        InvalidUse: a step that makes no sense.
        Unsupported: a route made by hand cannot tell this fault truly; ``inject`` can.
    """
    route = _Route("responses", steps, answer, wire)

    def callback(request: Any) -> tuple[int, Any, Any]:
        headers = tuple((str(name), str(value)) for name, value in request.headers.items())
        seen = Request(request.method or "", request.url or "", headers, as_bytes(request.body), "requests")
        attempt, still = route.open(seen)
        try:
            came = route.played(still, lambda: _alone_requests.exchange(request, attempt, still))
        except Exception as error:
            untold = retried_below(attempt.step, _adapter())
            if untold is None:
                raise
            raise route.refusal(untold) from error
        return came.status, came.headers, _alone_requests.body_of(came)

    return callback


def as_side_effect(*steps: Step, answer: Answer | None = None, wire: str | None = None) -> Callable[[Any], Any]:
    """Make the side effect of a respx route that answers with these steps, one a request; the last one repeats.

    ``respx.post(url).mock(side_effect=as_side_effect("status.503", "ok"))``, and the same for the router of
    ``pytest-httpx2``. No fixture is needed: the reply is played to the library's own code in memory, and what that
    gives or raises (httpx's classes, or httpx2's) is handed on. A client that waits for it waits in virtual time;
    without a fixture it does not wait at all.

    Args:
        *steps: what ``inject`` takes.
        answer: what the healthy model says in ``"ok"`` and in what the faults corrupt.
        wire: the wire, where the path is no known route.

    Raises:
        UnknownFault: a name is no fault.
        InvalidUse: a step that makes no sense.
        Unsupported: a route made by hand cannot tell this fault truly; ``inject`` can.
    """
    route = _Route("respx", steps, answer, wire)

    def side_effect(request: Any) -> Any:
        library = _library()
        attempt, still = route.open(request_of_httpx(request, library))
        came = route.played(still, lambda: _alone_httpx.exchange(request, library, attempt, still))
        return _alone_httpx.response_of(came)

    return side_effect


class _Route:
    """Steps and how many of them were used, outside any run."""

    def __init__(self, mock: str, steps: tuple[Step, ...], answer: Answer | None, wire: str | None) -> None:
        self._mock = mock
        played = checked_steps(steps, of=wire)
        for step in played:
            check_told(step, mock)
        self._run = Run(name="a route made by hand")
        covers, where = Filter(wire=wire), "a route made by hand"
        self._run.add(Injection(played, covers=covers, times=None, per_request=False, answer=answer, where=where))

    def open(self, request: Request) -> tuple[Attempt, Still]:
        """Decide what a request gets.

        Raises:
            Refused: nothing that could be told truly.
        """
        still = Still()
        try:
            attempt = self._run.open(request)
        except Refused as error:
            raise self.refusal(str(error)) from error
        if attempt is None:
            reason = f"{request.short} is not the route of a known wire: name it with wire=."
            raise self.refusal(reason)
        try:
            check_told(attempt.fault or attempt.reply, self._mock)
        except Unsupported as error:
            raise self.refusal(str(error)) from error
        attempt.clock = lambda: still.seconds
        return attempt, still

    @staticmethod
    def refusal(reason: str) -> Refused:
        """Return what to raise; the run that is active, if any, fails whatever is done with it."""
        run = find()
        return Refused(reason) if run is None else run.refusal(reason)

    @staticmethod
    def played(still: Still, exchange: Callable[[], _T]) -> _T:
        """Make an exchange, and let the time that it took pass in the run that is active, if any."""
        try:
            return exchange()
        finally:
            run = find()
            if run is not None and still.seconds:
                run.clock.wait(still.seconds)


def _library() -> str:
    """Tell whose request a side effect is asked for: the mocker of respx that asks says it."""
    mocker = _asking("respx.mocks", "cls")
    return "httpx2" if getattr(mocker, "name", "") == "httpcore2" else "httpx"


def _adapter() -> Any:
    """Return the adapter whose request a callback is asked for, or None."""
    return _asking("responses", "adapter")


def _asking(module: str, name: str) -> Any:
    """Return a local variable of the nearest calling function of a module that has it."""
    frame = sys._getframe(1)  # noqa: SLF001 - neither library hands it on
    while frame.f_back is not None:
        if frame.f_globals.get("__name__") == module and name in frame.f_locals:
            return frame.f_locals[name]
        frame = frame.f_back
    return None
