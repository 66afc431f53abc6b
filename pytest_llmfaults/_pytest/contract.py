"""The fixture ``llmfaults_contract``: observe a callable, and hold it to what was signed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

from pytest_llmfaults._contract.plan import Answers, At
from pytest_llmfaults._contract.reasons import reasons, reasons_async, to_explain
from pytest_llmfaults._contract.study import (
    Study,
    drive,
    drive_async,
    observing_baseline,
    studying,
)
from pytest_llmfaults._contract.timed import checking_time
from pytest_llmfaults._contract.wish import Wish, check_wish
from pytest_llmfaults._faults import faults
from pytest_llmfaults._pytest.exploring import Exploring, check_keywords
from pytest_llmfaults.errors import LLMFaultsError

__all__ = ["LLMFaultsContract"]

_MORE: Final = "faults= takes several names and globs"


class LLMFaultsContract(Exploring):
    """Observes a callable under faults and compares what it does with the file beside the test.

    The file is ``llmfaults/<module>.<test>.toml``. A plain run never writes it; ``pytest --llmfaults-sign`` does.
    """

    def check(
        self,
        call: Callable[[], Any],
        *,
        answer: Answers = None,
        faults: str | Iterable[str] = "core",
        at: At = "every",
        setup: Callable[[], object] | None = None,
        after: Callable[[], str] | None = None,
        describe: Callable[[Any], str] | None = None,
        dialect: str | None = None,
        variant: str | None = None,
    ) -> Study:
        """Observe a synchronous callable and hold it to its contract.

        Args:
            call: the code under test, without arguments (a lambda binds them).
            answer: what the healthy model says: an Answer, one after the other, or a function of the request; None is
                the fixture ``llmfaults_answer``.
            faults: names, globs, families, or the presets ``core`` and ``all``. Under a marker it is the marker's case.
            at: which requests of one call are struck: ``every``, ``first`` (turn), a turn's number, or a function of
                the request.
            setup: called before each observed call: make anew what the subject keeps.
            after: says what became of side effects, as a short text; it is part of the contract.
            describe: turns what ``call`` returned into a short text; None is ``repr``.
            dialect: how the hosts speak their wire, ``vllm``, where their names do not say it.
            variant: a word that tells environments apart which really differ; each has a file of its own.

        Returns:
            All that was observed.

        Raises:
            ContractBroken: something is not as it was signed, or nothing was signed yet.
            ContractError: the file cannot be read, or the subject cannot be observed; the text says what to do.
        """
        __tracebackhide__ = True
        subject = self._subject(call, answer, at, setup, after, describe, dialect)
        asked = self._signed(self._place(variant, what="check", more=_MORE), faults)
        try:
            known = self._known(asked.place)
            baseline = known or drive(observing_baseline(subject))
            asked = self._on(asked, baseline)
            study = drive(studying(subject, asked.rows, baseline))
            dated = drive(checking_time(subject, study, healthy=known is None))
        except LLMFaultsError as error:
            raise error.with_traceback(None) from error.__cause__  # it is about the test, and shown there
        self._learned(asked.place, study, dated=dated)
        observed, left = self._compared(asked, study)
        return self._held(asked, observed, left, study, reasons(subject, to_explain(left, study)))

    def acheck(self, call: Callable[[], Awaitable[Any]], **more: Any) -> Awaitable[Study]:
        """Observe an asynchronous callable, in the loop that runs; takes what ``check`` takes, and is awaited."""
        check_keywords("acheck", self.check, more)
        return self._later("acheck", call, lambda token: self._acheck(call, token, **more))

    async def _acheck(
        self,
        call: Callable[[], Awaitable[Any]],
        token: object,
        *,
        answer: Answers = None,
        faults: str | Iterable[str] = "core",
        at: At = "every",
        setup: Callable[[], object] | None = None,
        after: Callable[[], str] | None = None,
        describe: Callable[[Any], str] | None = None,
        dialect: str | None = None,
        variant: str | None = None,
    ) -> Study:
        __tracebackhide__ = True
        del self._waiting[token]
        subject = self._subject(call, answer, at, setup, after, describe, dialect)
        asked = self._signed(self._place(variant, what="check", more=_MORE), faults)
        try:
            known = self._known(asked.place)
            baseline = await drive_async(observing_baseline(subject)) if known is None else known
            asked = self._on(asked, baseline)
            study = await drive_async(studying(subject, asked.rows, baseline))
            dated = await drive_async(checking_time(subject, study, healthy=known is None))
        except LLMFaultsError as error:
            raise error.with_traceback(None) from error.__cause__
        self._learned(asked.place, study, dated=dated)
        observed, left = self._compared(asked, study)
        notes = await reasons_async(subject, to_explain(left, study))
        return self._held(asked, observed, left, study, notes)

    def expect(
        self,
        selection: str | Sequence[str],
        *,
        attempts: int | None = None,
        raises: type[BaseException] | tuple[type[BaseException], ...] | None = None,
        returns: Any = ...,
        retried: bool | None = None,
        waits: Sequence[float] | None = None,
    ) -> None:
        """Declare a wish: what must happen under these faults while they persist, whatever is signed.

        Called before ``check`` it is held there; called after, at once.

        Args:
            selection: names, globs or families.
            attempts: how many requests leave the SDK.
            raises: the class that is raised.
            returns: the value that is returned.
            retried: whether there is more than one attempt.
            waits: seconds between attempts, at the low end of randomness.

        Raises:
            InvalidUse: it wishes nothing, or for what cannot be.
            ContractBroken: after ``check``: the wish was not met.
        """
        __tracebackhide__ = True
        patterns = (selection,) if isinstance(selection, str) else tuple(selection)
        rows = faults(*patterns)
        wish = Wish(
            patterns=patterns,
            names=frozenset(row.name for row in rows),
            attempts=attempts,
            raises=raises,
            returns=returns,
            retried=retried,
            waits=tuple(waits) if waits is not None else None,
        )
        check_wish(wish)
        self._wishes.append(wish)
        if self._study is not None:
            self._meet([wish], self._study)
