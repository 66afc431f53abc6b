"""Why something was retried: a second, traced replay of one call.

It is for a person who looks at a report. It is never part of what is signed.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator

from pytest_llmfaults._contract._why_choose import loop_of, reason_of
from pytest_llmfaults._contract._why_reason import FOLLOWED, Reason, told
from pytest_llmfaults._contract._why_trace import Asked, Unavailable, Watch, place, top, tracer
from pytest_llmfaults._contract.call import Job, perform, perform_async
from pytest_llmfaults._contract.watchdog import Watchdog
from pytest_llmfaults._injection import Step
from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._request import Request
from pytest_llmfaults.errors import Refused

__all__ = ["Reason", "Why", "explain", "explain_async"]

_TEST_TOOLS = frozenset({"_pytest", "pytest"})


@dataclasses.dataclass(frozen=True, slots=True)
class Why:
    """Why the code under test asked again.

    Attributes:
        text: for a person; begins with ``unknown`` where it could not be found out.
        reasons: one for each retry, in order.
    """

    text: str
    reasons: tuple[Reason, ...] = ()


def explain(job_factory: Callable[[], Job]) -> Why:
    """Replay one call of a synchronous subject, and say why each of its retries happened.

    Args:
        job_factory: makes the call to replay. It is a call of its own, with the same fault and the same draws.

    Returns:
        What was found. What the subject raises is no error here.
    """
    replay = _Replay(job_factory())
    with replay.traced() as job:
        if job is not None:
            watchdog = Watchdog(job.subject.settings.call_seconds)
            with watchdog.watching():
                perform(job, watchdog)
    return replay.why


async def explain_async(job_factory: Callable[[], Job]) -> Why:
    """Do what ``explain`` does for an asynchronous subject, in the loop that runs."""
    replay = _Replay(job_factory())
    with replay.traced() as job:
        if job is not None:
            watchdog = Watchdog(job.subject.settings.call_seconds)
            with watchdog.watching():
                await perform_async(job, watchdog)
    return replay.why


class _Replay:
    """One traced call."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._watch = Watch()
        self._pending: list[Asked] = []
        self._reasons: list[Reason] = []
        self._unknown: str | None = None

    @contextlib.contextmanager
    def traced(self) -> Iterator[Job | None]:
        """Trace the block, which makes the call; None where that cannot be done. Nothing is left behind."""
        try:
            tracing = tracer(self._watch)
        except Unavailable as reason:
            self._unknown = str(reason)
            yield None
            return
        try:
            tracing.start()
            yield dataclasses.replace(self._job, watched=self._step)
        except (Exception, Refused) as error:
            if type(error).__module__.partition(".")[0] in _TEST_TOOLS:
                raise
            self._unknown = f"unknown: the replay ended with {type(error).__name__}"
        finally:
            tracing.stop()
            self._watch.forget(None)
            self._pending.clear()

    @property
    def why(self) -> Why:
        """What was found."""
        if self._reasons:
            return Why(told(self._reasons), tuple(self._reasons))
        return Why(self._unknown or (FOLLOWED if self._moved else "it was not retried"))

    @property
    def _moved(self) -> bool:
        """Whether a redirect was followed to where the plan is not asked."""
        attempts = self._job.run.ledger.attempts
        return any(one.reply.moved_to(one.request.url) is not None for one in attempts[:-1])

    def _step(self, request: Request) -> Step:
        """Stand before the plan: note each request on its way."""
        self._watch.looks_away = True
        try:
            self._note(request)
        finally:
            self._watch.looks_away = False
        return self._job.plan

    def _note(self, request: Request) -> None:
        attempts = self._job.run.ledger.attempts
        asked = self._watch.asked(len(attempts), request)
        before = self._before(asked, attempts)
        if before is not None:
            self._pending.remove(before)
            if attempts[before.number].step not in {"ok", "answer"}:
                self._reasons.append(self._reason(before, asked))
            loop = loop_of(before, asked)
            if loop is not None or not self._pending:
                self._watch.forget(None if loop is None else id(loop[0]))
        self._pending.append(asked)

    def _reason(self, before: Asked, asked: Asked) -> Reason:
        loop = loop_of(before, asked)
        if loop is None and any(not one.is_over for one in self._pending):
            return Reason(kind="unknown")
        moved = self._job.run.ledger.attempts[before.number].reply.moved_to(before.request.url)
        if loop is not None and moved is not None and place(loop[0].f_code.co_filename) == "library":
            return Reason(kind="predicate", library=top(loop[0]), predicate=FOLLOWED)
        return reason_of(before, asked, self._watch.catches, self._watch.trails)

    def _before(self, asked: Asked, attempts: list[Attempt]) -> Asked | None:
        """Return the request that this one comes after: the latest with the innermost common loop.

        Where no loop is common (a task or a thread for each), it is the latest that is over and asked the same.
        """
        best, most = None, -1
        for one in self._pending:
            loop = loop_of(one, asked)
            depth = -1 if loop is None else [frame for frame, _ in asked.stack].index(loop[0])
            best, most = (one, depth) if depth >= max(most, 0) else (best, most)
        if best is not None:
            return best
        same = (
            one
            for one in reversed(self._pending)
            if one.is_over
            and attempts[one.number].outcome != "open"
            and (one.request.url, one.request.body) == (asked.request.url, asked.request.body)
        )
        return next(same, None)
