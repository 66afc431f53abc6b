"""The fixture ``llmfaults_contract``: observe a callable, and hold it to what was signed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_llmfaults._contract import compare as comparing
from pytest_llmfaults._contract import show, store
from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.plan import Answers, At, check_at
from pytest_llmfaults._contract.reasons import reasons, reasons_async, to_explain
from pytest_llmfaults._contract.selection import on_some
from pytest_llmfaults._contract.study import (
    Baseline,
    Study,
    drive,
    drive_async,
    observing_baseline,
    studying,
)
from pytest_llmfaults._contract.wish import Wish, check_wish, unmet
from pytest_llmfaults._faults import CATALOGUE, EDITION, faults
from pytest_llmfaults._pytest import findings, sign, using
from pytest_llmfaults._pytest.place import Asked, Place, place_of
from pytest_llmfaults.errors import ContractBroken, InvalidUse, LLMFaultsError

__all__ = ["LLMFaultsContract", "since"]


def since() -> dict[str, int]:
    """Return each row of the catalogue with the edition that brought it."""
    return {row.name: row.since for row in CATALOGUE.values()}


_BASELINES: Final = pytest.StashKey[dict[Path, Baseline]]()


class LLMFaultsContract:
    """Observes a callable under faults and compares what it does with the file beside the test.

    The file is ``llmfaults/<module>.<test>.toml``. A plain run never writes it; ``pytest --llmfaults-sign`` does.
    """

    def __init__(self, item: pytest.Item) -> None:
        """Belong to one test."""
        self._item = item
        self._state = item.stash[using.KEY]
        self._wishes: list[Wish] = []
        self._study: Study | None = None
        self._waiting: dict[object, tuple[str, Coroutine[Any, Any, Study]]] = {}
        self._places: set[Path] = set()

    # What a test calls

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
            variant: a word that tells environments apart which really differ; each has a file of its own.

        Returns:
            All that was observed.

        Raises:
            ContractBroken: something is not as it was signed, or nothing was signed yet.
            ContractError: the file cannot be read, or the subject cannot be observed; the text says what to do.
        """
        __tracebackhide__ = True
        subject = self._subject(call, answer, at, setup, after, describe)
        asked = self._signed(self._place(variant), faults)
        try:
            baseline = self._known(asked.place) or drive(observing_baseline(subject))
            asked = self._on(asked, baseline)
            study = drive(studying(subject, asked.rows, baseline))
        except LLMFaultsError as error:
            raise error.with_traceback(None) from error.__cause__  # it is about the test, and shown there
        observed, left = self._compared(asked, study)
        return self._held(asked, observed, left, study, reasons(subject, to_explain(left, study)))

    def acheck(self, call: Callable[[], Awaitable[Any]], **more: Any) -> Awaitable[Study]:
        """Observe an asynchronous callable, in the loop that runs; takes what ``check`` takes, and is awaited."""
        token = object()
        check = self._acheck(call, token, **more)
        self._waiting[token] = (getattr(call, "__name__", repr(call)), check)
        return check

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
        variant: str | None = None,
    ) -> Study:
        __tracebackhide__ = True
        del self._waiting[token]
        subject = self._subject(call, answer, at, setup, after, describe)
        asked = self._signed(self._place(variant), faults)
        try:
            known = self._known(asked.place)
            baseline = await drive_async(observing_baseline(subject)) if known is None else known
            asked = self._on(asked, baseline)
            study = await drive_async(studying(subject, asked.rows, baseline))
        except LLMFaultsError as error:
            raise error.with_traceback(None) from error.__cause__
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

    # How it is done

    def _subject(
        self,
        call: Any,
        answer: Answers,
        at: At,
        setup: Callable[[], object] | None,
        after: Callable[[], str] | None,
        describe: Callable[[Any], str] | None,
    ) -> Subject:
        if not callable(call):
            msg = f"check({call!r}): a callable without arguments is needed: check(decide) or check(lambda: ask('x'))."
            raise InvalidUse(msg)
        check_at(at)
        return Subject(
            call=call,
            settings=self._state.run.settings,
            answers=answer,
            at=at,
            setup=setup,
            after=after,
            describe=describe,
            strictness=self._state.run.strictness,
        )

    def _place(self, variant: str | None) -> Place:
        """Find the file of this check; two checks that share one would overwrite each other's signature."""
        place = place_of(self._item, variant)
        if place.path in self._places:
            msg = (
                f"A second check of this test would be held to the same file, {place.path.name}. Give it a name with "
                "variant='...', or a test of its own; faults= takes several names and globs."
            )
            raise InvalidUse(msg)
        self._places.add(place.path)
        return place

    def _signed(self, place: Place, selection: str | Iterable[str]) -> Asked:
        signed = store.load(place.path, since=since(), edition=EDITION)
        case = self._state.run.case
        if case is not None:
            return Asked(place, signed, (case,), (case.name,), (case.name,))
        patterns = (selection,) if isinstance(selection, str) else tuple(selection)
        every = faults(*patterns, edition=EDITION)
        wide = signed is None or "new" in sign.wanted(self._item.config)
        edition = EDITION if wide or signed is None else signed.catalogue
        rows = faults(*patterns, edition=edition)
        return Asked(place, signed, rows, tuple(row.name for row in every), patterns)

    def _on(self, asked: Asked, baseline: Baseline) -> Asked:
        """Leave out what only other wires have than those that the subject asks on, unless it was named in full."""
        case, wanted = self._state.run.case, self._state.wanted
        if case is not None and not on_some(case.name, baseline.wires) and wanted is not None and wanted.by_glob:
            pytest.skip(f"{case.name} does not apply to {', '.join(baseline.wires)}.")
        return asked.on(baseline.wires)

    def _known(self, place: Place) -> Baseline | None:
        """Return what another case of this test has observed without a fault."""
        baselines: dict[Path, Baseline] = self._item.session.stash.setdefault(_BASELINES, {})
        return baselines.get(place.path)

    def _learned(self, place: Place, baseline: Baseline) -> None:
        self._item.session.stash[_BASELINES][place.path] = baseline

    def _compared(self, asked: Asked, study: Study) -> tuple[Contract, comparing.Changes]:
        """Tell the session what was observed, and return it with the changes that nobody accepts."""
        place, signed = asked.place, asked.signed
        self._study = study
        self._learned(place, study.baseline)
        observed = study.contract(EDITION if signed is None else max(EDITION, signed.catalogue))
        changes = comparing.compare(signed, observed, since=since(), selection=asked.names)
        accepted = sign.wanted(self._item.config)
        told = findings.of(study, self._item.config.rootpath)
        entry = sign.entry(place.path, place.nodeid, observed, told, changes, accepted)
        entry["removed"] = None if signed is None else store.removed_text(signed)
        sign.note(self._item, entry)
        left = tuple(change for change in changes.items if change.category not in accepted)
        return observed, comparing.Changes(left, changes.held)

    def _held(
        self, asked: Asked, observed: Contract, left: comparing.Changes, study: Study, notes: Sequence[str]
    ) -> Study:
        __tracebackhide__ = True
        place, signed = asked.place, asked.signed
        if left.broken:
            if signed is not None:
                self._report_each(left)
            text = show.failure(left, nodeid=place.nodeid, since=since(), signed=signed, observed=observed, notes=notes)
            raise ContractBroken(text)
        self._meet(self._wishes, study)
        return study

    def _report_each(self, changes: comparing.Changes) -> None:
        """Report each difference by itself, where pytest has subtests and the test is not one case already."""
        manager = self._item.session._fixturemanager  # noqa: SLF001 - no public way to ask whether a fixture exists
        if self._state.run.case is not None or not manager.getfixturedefs("subtests", self._item):
            return
        subtests = self._item._request.getfixturevalue("subtests")  # type: ignore[attr-defined]  # noqa: SLF001 - same
        for label, text in show.each(changes, rows=set(since())):
            with subtests.test(msg=label):
                pytest.fail(text, pytrace=False)

    def _meet(self, wishes: Iterable[Wish], study: Study) -> None:
        __tracebackhide__ = True
        case = self._state.run.case
        held = [wish for wish in wishes if case is None or case.name in wish.names]
        lines = [line for wish in held for line in unmet(wish, study)]
        if lines:
            raise ContractBroken("\n".join(["A wish was not met:", *lines]))

    def judge(self) -> None:
        """Refuse a test that asked for a contract and held nothing to it.

        Raises:
            InvalidUse: ``check`` was not called, or ``acheck`` not awaited.
        """
        for word, check in self._waiting.values():
            check.close()  # or Python warns, too
            msg = f"acheck({word}) was not awaited: write await llmfaults_contract.acheck(...)."
            raise InvalidUse(msg)
        if self._study is None:
            msg = "The test takes llmfaults_contract and never called check(...) or awaited acheck(...)."
            raise InvalidUse(msg)
