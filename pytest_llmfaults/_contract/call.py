"""Make one call of the subject under one injection, and see what it does."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import inspect
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

from pytest_llmfaults._clock import next_whole_second
from pytest_llmfaults._contract.cancel import Cancellation
from pytest_llmfaults._contract.describe import Describe, raised, returned
from pytest_llmfaults._contract.jitter import Draws, draws
from pytest_llmfaults._contract.plan import Answers, At, Met, Plan
from pytest_llmfaults._contract.watchdog import Watchdog
from pytest_llmfaults._current import active
from pytest_llmfaults._injection import Filter, Injection, Step, checked_steps
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run, Settings
from pytest_llmfaults._standing import Strictness
from pytest_llmfaults._views import View
from pytest_llmfaults.errors import (
    InvalidUse,
    LLMFaultsError,
    Refused,
    SpinsForever,
    TooManyAttempts,
    WaitsForever,
)

__all__ = ["ATTEMPT_LIMIT", "INTERRUPT", "Called", "Interrupt", "Job", "Subject", "perform", "perform_async"]

ATTEMPT_LIMIT: Final = 200
INTERRUPT: Final = "an interrupt of the contract"
"""The text by which an interrupt of ours is told from a person's."""

_ENDLESS: Final = {
    WaitsForever: "waits for ever",
    SpinsForever: "spins for ever",
    TooManyAttempts: f"asks more than {ATTEMPT_LIMIT} times",
}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is observed, and how.

    Attributes:
        call: the code under test, without arguments.
        settings: what the suite decided.
        answers: what the healthy model says.
        at: which requests of one call a fault strikes.
        setup: called before each observed call.
        after: says what became of side effects, after each observed call; its text becomes part of the contract.
        describe: turns what ``call`` returned into a short text.
        strictness: the rules that the requests of each observed call are held to.
        begin: the Unix time in seconds at which the wall clock of each observed call begins.
    """

    call: Callable[[], Any]
    settings: Settings
    answers: Answers = None
    at: At = "every"
    setup: Callable[[], object] | None = None
    after: Callable[[], str] | None = None
    describe: Describe | None = None
    strictness: Strictness = dataclasses.field(default_factory=Strictness)
    begin: float = dataclasses.field(default_factory=next_whole_second)


@dataclasses.dataclass(slots=True, eq=False)
class Job:
    """One call to make.

    Attributes:
        subject: what to call.
        run: the run it belongs to.
        fault: what strikes, or None.
        plan: which attempts meet it.
        end: which end of randomness it sees.
        words: what strikes it.
        later: whether it is made to see whether another date makes a difference.
        watched: the step that stands before the plan and asks it, where somebody watches; None is the plan alone.
    """

    subject: Subject
    run: Run
    fault: Step | Met | None
    plan: Plan
    end: Draws
    words: str
    later: bool = False
    watched: Step | None = None

    @contextlib.contextmanager
    def stage(self) -> Iterator[None]:
        """Be the run that requests belong to, with the plan in force and randomness at its end."""
        with draws(self.end), active(self.run):
            covers = Filter()
            self.run.add(
                Injection(
                    checked_steps((self.watched or self.plan,), of=None),
                    covers=covers,
                    times=None,
                    per_request=False,
                    answer=None,
                    where="the contract",
                )
            )
            yield


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """What one call did.

    Attributes:
        view: its attempts.
        elapsed_seconds: virtual time of the call.
        outcome: in words, ``same as ok`` not yet applied.
        module: module of the class that was raised, or None.
        after: what ``after=`` said.
        random: whether a random number was drawn.
        inapplicable: why the fault makes no sense for any request that was chosen, or None.
        value: what was returned, or None.
        error: what was raised, or None.
    """

    view: View
    elapsed_seconds: float
    outcome: str
    module: str | None
    after: str | None
    random: bool
    inapplicable: str | None
    value: Any
    error: BaseException | None


class Interrupt:
    """A step: what ends the call arrives while the client talks to the gateway.

    For synchronous code that is Ctrl-C. In a loop it is a cancellation, as Ctrl-C, a client that hangs up and a
    timeout are.
    """

    def __init__(self) -> None:
        """Raise; until ``cancel`` is set."""
        self.cancel: Callable[[], object] | None = None

    def __call__(self, _request: Request) -> Step:
        """Strike."""
        if self.cancel is None:
            raise KeyboardInterrupt(INTERRUPT)
        self.cancel()
        return Reply(ending="stalled")


def perform(job: Job, watchdog: Watchdog) -> Called:
    """Make one call of a synchronous subject."""
    value, error = None, None
    with job.stage():
        _prepare(job)
        before = random.getstate()
        try:
            value = watchdog.run(job.words, job.subject.call)
        except BaseException as caught:  # noqa: BLE001 - whatever it is belongs to the outcome, or is raised again
            error = caught
        if inspect.iscoroutine(value):
            value.close()
            msg = f"{_name(job)} is asynchronous: write await llmfaults_contract.acheck(...), or afuzz or adiscover."
            raise InvalidUse(msg)
        return _called(job, value, error, drew=random.getstate() != before)


async def perform_async(job: Job, watchdog: Watchdog) -> Called:
    """Make one call of an asynchronous subject, in the loop that runs."""
    value, error = None, None
    with job.stage():
        job.run.clock.join()
        _prepare(job)
        cancellation = Cancellation()
        if isinstance(job.fault, Interrupt):
            job.fault.cancel = cancellation.now
        before = random.getstate()
        try:
            value = await watchdog.run_async(job.words, lambda: _awaitable(job), cancellation)
        except BaseException as caught:
            error = caught
            if isinstance(caught, asyncio.CancelledError) and cancellation.by_others:
                raise
        return _called(job, value, error, drew=random.getstate() != before)


def _awaitable(job: Job) -> Awaitable[Any]:
    made = job.subject.call()
    if not inspect.isawaitable(made):
        msg = (
            f"{_name(job)} returned {type(made).__name__}, which cannot be awaited: write check(...), fuzz or discover."
        )
        raise InvalidUse(msg)
    return made


def _name(job: Job) -> str:
    return getattr(job.subject.call, "__qualname__", None) or repr(job.subject.call)


def _prepare(job: Job) -> None:
    if job.subject.setup is not None:
        with _named("setup=", job):
            job.subject.setup()


@contextlib.contextmanager
def _named(what: str, job: Job) -> Iterator[None]:
    """Say of an error in what a person handed in which call it was: it may be about one of a thousand."""
    try:
        yield
    except Exception as error:
        # What add_note() does, which Python has from 3.11; pytest shows it on 3.10, too.
        error.__notes__ = [*getattr(error, "__notes__", ()), f"This was {what} under {job.words}."]  # type: ignore[attr-defined,unused-ignore]
        raise


def _called(job: Job, value: Any, error: BaseException | None, *, drew: bool) -> Called:
    run = job.run
    elapsed_seconds = run.clock.elapsed_seconds
    if error is not None:
        _raise_what_is_not_an_outcome(run, error, refusals=not job.later)
    attempts = list(run.ledger.attempts)  # a task that is left behind may make more
    if any(one.outcome == "forever" for one in attempts) and not isinstance(error, tuple(_ENDLESS)):
        error = WaitsForever()  # whatever was made of ours, such as by gather(): in production nothing came after it
    with _named("repr()" if job.subject.describe is None else "describe=", job):
        outcome = _outcome(job.subject, value, error)
    with _named("after=", job):
        after = _after(job.subject)
    return Called(
        view=View(lambda: attempts),
        elapsed_seconds=elapsed_seconds,
        outcome=outcome,
        module=type(error).__module__ if error is not None else None,
        after=after,
        random=drew,
        inapplicable=run.inapplicable or job.plan.inapplicable,
        value=value,
        error=error,
    )


def _raise_what_is_not_an_outcome(run: Run, error: BaseException, *, refusals: bool) -> None:
    """Raise what is no behaviour of the subject again: a person's interrupt, the test tool's own, a refusal.

    On another date a token may have expired, and a new one is asked for where nothing may go.
    """
    if isinstance(error, Refused) and run.inapplicable is None and refusals:
        raise error
    own_interrupt = isinstance(error, KeyboardInterrupt) and str(error) != INTERRUPT
    tools = {"_pytest", "pytest", "unittest"}
    test_tool = any(kind.__module__.partition(".")[0] in tools for kind in type(error).__mro__)
    if own_interrupt or test_tool or isinstance(error, (GeneratorExit, LLMFaultsError)):
        raise error


def _outcome(subject: Subject, value: Any, error: BaseException | None) -> str:
    if error is None:
        return f"returns {returned(value, subject.describe)}"
    for kind, words in _ENDLESS.items():
        if isinstance(error, kind):
            return words
    return f"raises {raised(error)}"


def _after(subject: Subject) -> str | None:
    if subject.after is None:
        return None
    text = subject.after()
    if not isinstance(text, str):
        msg = f"after= returned {text!r}; it returns a short text about side effects, such as f'{{n}} rows stored'."
        raise InvalidUse(msg)
    return " ".join(text.split())
