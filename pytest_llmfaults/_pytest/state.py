"""The run of each test: begun before its fixtures, judged at the end of its body, ended after its fixtures."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_llmfaults._placeholders import placeholders
from pytest_llmfaults._pytest import cases, marks, options, using
from pytest_llmfaults.errors import InvalidUse, NeverFired, Refused

if TYPE_CHECKING:
    from pytest_llmfaults._answer import Answer
    from pytest_llmfaults._pytest.contract import LLMFaultsContract
    from pytest_llmfaults._run import Run

__all__ = ["State", "arm", "begin", "end", "fuzzing", "judge", "skip_inapplicable"]


@dataclasses.dataclass(slots=True)
class State:
    """What a test of ours carries.

    Attributes:
        run: its run.
        wanted: its marker, understood.
        stack: what has to be undone at its end.
        contract: what its contract fixture gave, or None.
        judged: how many fatal refusals were reported already.
        over: whether the body has ended; what is reported before is a subtest.
    """

    run: Run
    wanted: marks.Wanted | None
    stack: contextlib.ExitStack
    judged: int = 0
    over: bool = False
    contract: LLMFaultsContract | None = None

    def new_refusals(self) -> list[str]:
        """Return the fatal refusals that were not reported yet, and count them as reported."""
        fatal = [refusal.reason for refusal in self.run.ledger.refusals if refusal.fatal]
        new, self.judged = fatal[self.judged :], len(fatal)
        return new


def begin(item: pytest.Item) -> None:
    """Begin the run of a test: from now on nothing of it leaves the machine."""
    from pytest_llmfaults import _current, _run

    settings = dataclasses.replace(options.settings(item.config), answer=lambda: _answer(item))
    with contextlib.ExitStack() as stack:
        stack.enter_context(placeholders())
        run = stack.enter_context(_current.active(_run.Run(settings, name=item.nodeid)))
        mark = marks.nearest(item)
        wanted = marks.read(mark) if mark is not None else None
        run.case = cases.fault_of(item, wanted) if wanted is not None else None
        item.stash[using.KEY] = State(run, wanted, stack.pop_all())


def _answer(item: pytest.Item) -> Answer:
    from pytest_llmfaults._answer import Answer

    values: Mapping[str, object] = getattr(item, "funcargs", {})
    answer = values[using.ANSWER] if using.ANSWER in values else _late(item)
    if not isinstance(answer, Answer):
        msg = f"The fixture llmfaults_answer returned {answer!r}; it returns an Answer, such as Answer(data={{...}})."
        raise InvalidUse(msg)
    return answer


def _late(item: pytest.Item) -> object:
    """Set the answer up now, for a request that a fixture makes."""
    return item._request.getfixturevalue(using.ANSWER)  # type: ignore[attr-defined]  # noqa: SLF001 - no public way


def arm(item: pytest.Item, state: State) -> None:
    """Put the marker's fault in force, so that set-up cannot eat its first attempt."""
    if state.contract is None and state.wanted is not None and state.run.case is not None:
        file, line, _name = item.location
        state.run.skips = functools.partial(state.wanted.skips, state.run.case)
        state.wanted.inject(state.run, state.run.case, f"{Path(file).name}:{(line or 0) + 1}")


def judge(state: State, *, body: bool) -> None:
    """Fail a test whose requests were refused or, after its body, whose faults never fired.

    Raises:
        Refused: a request was refused, whatever the code under test did with it.
        NeverFired: a fault met no request.
    """
    from pytest_llmfaults._run import pending_text
    from pytest_llmfaults._verdict import verdict

    new = state.new_refusals()
    if new:
        skip_inapplicable(state)
        raise Refused("\n".join(new))
    if not body:
        return
    if state.contract is not None:
        state.contract.judge()
    if state.run.pending:
        raise InvalidUse(pending_text(state.run.pending[0]))
    text = verdict(state.run, [one for one in state.run.injections if not one.judged])
    if text is not None:
        raise NeverFired(text)


def skip_inapplicable(state: State) -> None:
    """Skip a case that nobody named and whose fault makes no sense for the request that was made."""
    reason, run = state.run.inapplicable, state.run
    if reason is None or not run.turned_away:
        return
    if all(refusal.reason == reason for refusal in state.run.ledger.refusals if refusal.fatal):
        state.new_refusals()
        pytest.skip(reason)


def end(item: pytest.Item) -> None:
    """End the run of a test: everything is as it was before."""
    state = using.of(item)
    if state is not None:
        state.stack.close()


@contextlib.contextmanager
def fuzzing(item: pytest.Item) -> Iterator[None]:
    """Begin the run of a test that is fuzzed: its examples have no end, and it may be left and come back."""
    begin(item)
    item.stash[using.KEY].run.fuzzed = True
    try:
        yield
    finally:
        end(item)
        del item.stash[using.KEY]
        item._initrequest()  # type: ignore[attr-defined]  # noqa: SLF001 - pytest sets a fixture up once a request
