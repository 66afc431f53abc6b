"""The fixture ``llmfaults``: a handle on the run of whichever test is running."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_llmfaults import _current
from pytest_llmfaults._inject import Injected, injected_into, running_example
from pytest_llmfaults._injection import Filter, Step
from pytest_llmfaults._quota import Quota, quota
from pytest_llmfaults._strict import Strict, strict_in
from pytest_llmfaults._views import View
from pytest_llmfaults.errors import InvalidUse

if TYPE_CHECKING:
    from pytest_llmfaults._answer import Answer
    from pytest_llmfaults._clock import Clock
    from pytest_llmfaults._faults import Fault
    from pytest_llmfaults._ledger import Attempt
    from pytest_llmfaults._request import Request
    from pytest_llmfaults._rules import Rule
    from pytest_llmfaults._run import Run
    from pytest_llmfaults._standing import Violation

__all__ = ["LLMFaults"]


class LLMFaults(View):
    """What the fixture ``llmfaults`` gives: ``inject``, ``strict``, and a view of all attempts of the test.

    It is session-scoped and holds no state: each test has a run of its own. So ``@given`` takes it, and so does a
    fixture of any scope. While an example of Hypothesis runs, it shows what happened in that example.
    """

    __slots__ = ()

    def __init__(self) -> None:
        """Look the run up at each use."""
        super().__init__(self._shown)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """Be short where Hypothesis shows a failing example: it is no part of it."""
        printer.text(f"<{type(self).__name__}>")

    def _shown(self) -> list[Attempt]:
        run = self._run
        return run.ledger.attempts[run.first_shown :]

    @property
    def _run(self) -> Run:
        run = _current.find()
        if run is None:
            msg = (
                "llmfaults was used outside a test that asks for it: put llmfaults among the arguments of the test or "
                "of its fixtures (request.getfixturevalue comes too late), or mark the test."
            )
            raise InvalidUse(msg)
        example = running_example()
        if example is not None:
            run.begin_example(example)
        return run

    def inject(
        self,
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
        """Inject; see :func:`pytest_llmfaults.inject` for what each argument means and what is raised."""
        covers = Filter(when=when, wire=wire, host=host, model=model, dialect=dialect)
        return injected_into(self._run, steps, covers=covers, times=times, per_request=per_request, answer=answer)

    @staticmethod
    def quota(*, requests: int, per_seconds: float, tokens: int | None = None) -> Quota:
        """Make a step that is a quota; see :func:`pytest_llmfaults.quota` for what each argument means."""
        return quota(requests=requests, per_seconds=per_seconds, tokens=tokens)

    def strict(
        self,
        *wanted: str | Rule,
        when: Callable[[Request], object] | None = None,
        wire: str | None = None,
        host: str | None = None,
        model: str | None = None,
        **parameters: object,
    ) -> Strict:
        """Refuse requests that break rules; see :func:`pytest_llmfaults.strict` for what each argument means."""
        return strict_in(self._run, wanted, Filter(when=when, wire=wire, host=host, model=model), parameters)

    @property
    def violations(self) -> list[Violation]:
        """What broke a rule of ``strict``, in order, one for each attempt that was refused for it."""
        run = self._run
        return [one for one in run.strictness.violations if one.attempt > run.first_shown]

    @property
    def fault(self) -> Fault:
        """The fault of this case, as the marker named it.

        Raises:
            InvalidUse: the test has no marker.
        """
        fault = self._run.case
        if fault is None:
            msg = "llmfaults.fault is the fault of the marker's case, and this test has no marker llmfaults."
            raise InvalidUse(msg)
        return fault

    @property
    def clock(self) -> Clock:
        """Virtual time: ``clock.advance(seconds=...)``."""
        return self._run.clock

    @property
    def elapsed_seconds(self) -> float:
        """Seconds of virtual time since the test, or the example, began: how long a user would have waited."""
        run = self._run
        return round(run.clock.elapsed_seconds - run.seconds_before, 6)

    @property
    def refusals(self) -> list[str]:
        """Requests that were refused, telemetry included, one sentence each."""
        return [refusal.reason for refusal in self._run.ledger.refusals]

    def __repr__(self) -> str:
        """Say what there is, also outside a test."""
        return super().__repr__() if _current.find() is not None else "<LLMFaults, no test is running>"
