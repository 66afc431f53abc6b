"""``inject``: the one verb, as a statement in a test, or as ``with`` and ``async with`` anywhere."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Final

from pytest_llmfaults import _current
from pytest_llmfaults._answer import Answer
from pytest_llmfaults._injection import Filter, Injection, Step, checked_steps
from pytest_llmfaults._placeholders import placeholders
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run
from pytest_llmfaults._verdict import verdict
from pytest_llmfaults._views import View
from pytest_llmfaults.errors import InvalidUse, NeverFired, Refused

__all__ = ["Injected", "caller", "entered", "in_hypothesis_example", "inject", "injected_into", "running_example"]

entered: Final[list[Injected]] = []
"""The blocks with a run of their own that were entered and not left, in order."""


class Injected(View):
    """An injection in force, and a view of the attempts it answered.

    As a context manager it is in force until the block ends, and the block's end fails if a fault never fired.
    """

    __slots__ = ("_injection", "_own", "_run", "_state")

    def __init__(self, injection: Injection, run: Run | None) -> None:
        """Hold an injection for ``run``; None is a run of its own, begun by ``with``."""
        super().__init__(lambda: injection.attempts)
        self._injection = injection
        self._run = run
        self._own: contextlib.ExitStack | None = None
        self._state = "made"

    def __enter__(self) -> Injected:  # noqa: PYI034 - typing.Self needs Python 3.11
        """Put the injection in force until the block ends."""
        if self._state in {"entered", "left"}:
            msg = f"{self._injection} was entered before: write a new inject() for each with."
            raise InvalidUse(msg)
        if self._run is None:
            self._own = contextlib.ExitStack()
            self._own.enter_context(placeholders())
            self._run = self._own.enter_context(_current.active(Run()))
            entered.append(self)
        if self._state != "in force":
            self._run.add(self._injection)
        if self._injection in self._run.pending:
            self._run.pending.remove(self._injection)
        self._state = "entered"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the injection out of force, and fail if a fault never fired in a block that went well."""
        abandoned = self._state == "left"
        self.leave()
        run, own = self._run, self._own
        if error is not None or run is None or abandoned:
            return
        refused = [refusal.reason for refusal in run.ledger.refusals if refusal.fatal]
        if own is not None and refused:
            raise Refused(refused[0])
        text = verdict(run, [self._injection])
        if text:
            raise NeverFired(text)

    @property
    def described(self) -> str:
        """What a person wrote, and where."""
        return f"{self._injection} at {self._injection.where}"

    def leave(self) -> None:
        """Take the injection out of force and end its own run, without a verdict; a second time does nothing."""
        self._state = "left"
        self._injection.closed = self._injection.judged = True
        if self._run is not None:
            self._run.remove(self._injection)
        if self in entered:
            entered.remove(self)
        if self._own is not None:
            self._own.close()

    async def __aenter__(self) -> Injected:  # noqa: PYI034 - typing.Self needs Python 3.11
        """Do what ``__enter__`` does."""
        injected = self.__enter__()
        if self._run is not None:
            self._run.clock.join()
        return injected

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do what ``__exit__`` does."""
        self.__exit__(kind, error, trace)

    def start(self) -> None:
        """Be in force from now on, to the end of the run; or wait for ``with`` where a statement would be wrong."""
        if self._run is None:
            return
        self._run.clock.join()  # in a running loop, timers that are set from now on are virtual
        example = running_example()
        if example is not None:
            self._run.begin_example(example)
            self._run.pending.append(self._injection)
            return
        self._run.add(self._injection)
        self._state = "in force"

    def __del__(self) -> None:
        """Say so when nothing was injected."""
        if self._state == "made" and self._run is None:
            msg = (
                f"{self._injection} at {self._injection.where} injected nothing: outside a test write with inject(...)."
            )
            warnings.warn(msg, RuntimeWarning, stacklevel=2)

    def __str__(self) -> str:
        """Write it as a person would have, then what happened."""
        return f"{self._injection}\n{super().__str__()}"


def inject(
    *steps: Step,
    when: Callable[[Request], object] | None = None,
    wire: str | None = None,
    host: str | None = None,
    model: str | None = None,
    dialect: str | None = None,
    times: int | None = None,
    per_request: bool = False,
    answer: Answer | None = None,
) -> Injected:
    """Answer the requests of the code under test with these steps, one an attempt; the last one repeats.

    In a test that uses this plugin it is in force from the call to the end of the test, or of its ``with``. Anywhere
    else it is used as ``with inject(...) as seen:``. Injections are asked in the order of definition; the first that
    covers a request and is not used up answers; where all that cover it are used up, the healthy reply does.

    Args:
        *steps: a fault's name or ``"ok"``; a ``Fault``, ``Answer`` or ``Reply``; a ``quota(...)``, as the last; or a
            function of the request that returns a step.
        when: only requests for which ``when(request)`` is true. It may be asked more than once about a request.
        wire: only this wire; also covers paths that are no known route when the body speaks the wire's format.
        host: only this host; ``*.example.com`` covers its subdomains.
        model: only requests that name this model; ``gpt-5*`` covers all that begin so.
        dialect: how the host speaks the wire, ``vllm``, where its name does not say it; only requests on that wire.
        times: used up after so many attempts.
        per_request: give each distinct request (method, URL, body) its own sequence.
        answer: what the healthy model says in ``"ok"`` and in what the faults corrupt.

    Returns:
        The injection as a view: ``attempts``, ``waits`` (seconds), ``requests``.

    Raises:
        UnknownFault: a name is no fault.
        InvalidUse: a step, filter or number that makes no sense, or an injection that can never be reached.
        NeverFired: at the end of a ``with``: a fault among the steps met no request.
    """
    covers = Filter(when=when, wire=wire, host=host, model=model, dialect=dialect)
    return injected_into(_current.find(), steps, covers=covers, times=times, per_request=per_request, answer=answer)


def injected_into(
    run: Run | None,
    steps: Sequence[Step],
    *,
    covers: Filter,
    times: int | None,
    per_request: bool,
    answer: Answer | None,
    where: str | None = None,
) -> Injected:
    """Do what ``inject`` says in ``run``; None is a run of its own, which ``with`` begins.

    ``where`` is ``file:line`` of what a person wrote; None is the nearest frame that is not ours.
    """
    injection = Injection(
        checked_steps(steps, of=covers.on, spoken=covers.dialect),
        covers=covers,
        times=times,
        per_request=per_request,
        answer=answer,
        where=where or caller(),
    )
    injected = Injected(injection, run)
    injected.start()
    return injected


def caller() -> str:
    """Return ``file:line`` of the nearest frame that is not ours."""
    frame = sys._getframe(1)  # noqa: SLF001 - inspect.stack reads every source file on the way
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("pytest_llmfaults"):
        frame = frame.f_back
    name = frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{name}:{frame.f_lineno}"


def running_example() -> object | None:
    """Return what stands for the Hypothesis example that is running: the same object while it runs; None outside."""
    control: Any = sys.modules.get("hypothesis.control")
    return control.current_build_context() if control is not None and control.currently_in_test_context() else None


def in_hypothesis_example() -> bool:
    """Tell whether a Hypothesis example is running."""
    hypothesis = sys.modules.get("hypothesis")
    return bool(hypothesis and hypothesis.currently_in_test_context())
