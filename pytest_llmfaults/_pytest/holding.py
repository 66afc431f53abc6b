"""How a contract is held: whose it is, what is signed, what differs, and what is told to the session."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

from pytest_llmfaults._contract import compare as comparing
from pytest_llmfaults._contract import show, store
from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.named import is_variant, row_named
from pytest_llmfaults._contract.plan import Answers, At, check_answers, check_at
from pytest_llmfaults._contract.selection import on_some
from pytest_llmfaults._contract.study import Baseline, Study
from pytest_llmfaults._contract.wish import Wish, unmet
from pytest_llmfaults._edition import Editions
from pytest_llmfaults._faults import CATALOGUE, EDITION, Fault, faults, newest
from pytest_llmfaults._pytest import findings, sign, using
from pytest_llmfaults._pytest.place import Asked, Place, place_of
from pytest_llmfaults._wires import dialect as named_dialect
from pytest_llmfaults.errors import ContractBroken, InvalidUse

__all__ = ["Holding", "since", "variants_of"]


def since() -> dict[str, int]:
    """Return each row of the catalogue with the edition that brought it."""
    return {row.name: row.since for row in CATALOGUE.values()}


_BASELINES: Final = pytest.StashKey[dict[Path, Baseline]]()


_T = TypeVar("_T")


def variants_of(signed: Contract | None) -> tuple[Fault, ...]:
    """Return what plays the variants of a contract."""
    names = signed.behaviours if signed is not None else ()
    return tuple(row_named(name) for name in names if is_variant(name))


class Holding:
    """What all that a contract does has in common."""

    def __init__(self, item: pytest.Item) -> None:
        """Belong to one test."""
        self._item = item
        self._state = item.stash[using.KEY]
        self._wishes: list[Wish] = []
        self._study: Study | None = None
        self._used = False
        self._waiting: dict[object, tuple[str, str, Coroutine[Any, Any, Any]]] = {}
        self._places: set[tuple[str, Path]] = set()
        self._checked: dict[Path, tuple[Contract | None, Study]] = {}

    def _subject(
        self,
        call: Any,
        answer: Answers = None,
        at: At = "every",
        setup: Callable[[], object] | None = None,
        after: Callable[[], str] | None = None,
        describe: Callable[[Any], str] | None = None,
        dialect: str | None = None,
    ) -> Subject:
        if not callable(call):
            msg = f"{call!r} is not a callable without arguments, such as decide or lambda: ask('x')."
            raise InvalidUse(msg)
        check_at(at)
        check_answers(answer)
        settings = self._state.run.settings
        if dialect is not None:
            settings = dataclasses.replace(settings, dialects=(("*", named_dialect(dialect).name), *settings.dialects))
        return Subject(
            call=call,
            settings=settings,
            answers=answer,
            at=at,
            setup=setup,
            after=after,
            describe=describe,
            strictness=self._state.run.strictness,
        )

    def _place(self, variant: str | None, *, what: str, more: str) -> Place:
        """Find the file of this test; two of a kind that share one would overwrite each other's signature."""
        place = place_of(self._item, variant)
        if (what, place.path) in self._places:
            msg = (
                f"A second {what} of this test would be held to the same file, {place.path.name}. Give it a name with "
                f"variant='...', or a test of its own; {more}."
            )
            raise InvalidUse(msg)
        self._places.add((what, place.path))
        self._used = True
        return place

    def _signed(self, place: Place, selection: str | Iterable[str]) -> Asked:
        signed = store.load(place.path, since=since(), edition=EDITION)
        case = self._state.run.case
        if case is not None:
            return Asked(place, signed, (case,), (case.name,), (case.name,))
        patterns = (selection,) if isinstance(selection, str) else tuple(selection)
        now = newest()
        every = faults(*patterns, edition=now)
        wide = signed is None or "new" in sign.wanted(self._item.config)
        held = now if wide or signed is None else Editions(signed.catalogue, {**now.families, **signed.editions})
        rows = (*faults(*patterns, edition=held), *variants_of(signed))
        names = tuple(row.name for row in (*every, *variants_of(signed)))
        return Asked(place, signed, rows, names, patterns)

    def _on(self, asked: Asked, baseline: Baseline) -> Asked:
        """Leave out what only other wires have than those that the subject asks on, unless it was named in full."""
        case, wanted = self._state.run.case, self._state.wanted
        by_glob = case is not None and wanted is not None and case.name not in wanted.named
        if case is not None and by_glob and not on_some(case.name, baseline.wires):
            pytest.skip(f"{case.name} does not apply to {', '.join(baseline.wires)}.")
        return asked.on(baseline.wires)

    def _known(self, place: Place) -> Baseline | None:
        """Return what another case of this test has observed without a fault."""
        baselines: dict[Path, Baseline] = self._item.session.stash.setdefault(_BASELINES, {})
        return baselines.get(place.path)

    def _learned(self, place: Place, study: Study, *, dated: bool) -> None:
        """Keep what was observed; what was asked at another time of day is no measure for what is asked now."""
        self._study = study
        if not dated:
            self._item.session.stash[_BASELINES][place.path] = study.baseline

    def _compared(self, asked: Asked, study: Study) -> tuple[Contract, comparing.Changes]:
        """Tell the session what was observed, and return it with the changes that nobody accepts."""
        place, signed = asked.place, asked.signed
        observed = study.contract(EDITION if signed is None else max(EDITION, signed.catalogue))
        observed = dataclasses.replace(observed, editions=asked.editions(newest().families))
        changes = comparing.compare(signed, observed, since=since(), selection=asked.names)
        accepted = sign.wanted(self._item.config)
        told = findings.of(study, self._item.config.rootpath)
        entry = sign.entry(place.path, place.nodeid, observed, told, changes, accepted)
        entry["removed"] = None if signed is None else store.removed_text(signed)
        sign.note(self._item, entry)
        self._checked[place.path] = comparing.accept(signed, observed, changes, accepted), study
        left = tuple(change for change in changes.items if change.category not in accepted)
        return observed, comparing.Changes(left, changes.held)

    def _held(
        self, asked: Asked, observed: Contract, left: comparing.Changes, study: Study, notes: Sequence[str]
    ) -> Study:
        __tracebackhide__ = True
        self._raise_what_is_broken(asked, observed, left, notes)
        self._meet(self._wishes, study)
        return study

    def _raise_what_is_broken(
        self, asked: Asked, observed: Contract, left: comparing.Changes, notes: Sequence[str]
    ) -> None:
        __tracebackhide__ = True
        place, signed = asked.place, asked.signed
        if left.broken:
            if signed is not None:
                self._report_each(left)
            text = show.failure(left, nodeid=place.nodeid, since=since(), signed=signed, observed=observed, notes=notes)
            raise ContractBroken(text)

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

    def _later(
        self, what: str, call: object, start: Callable[[object], Coroutine[Any, Any, _T]]
    ) -> Coroutine[Any, Any, _T]:
        """Return what has to be awaited, and know until then that it was not."""
        token = object()
        later = start(token)
        self._waiting[token] = (what, getattr(call, "__name__", repr(call)), later)
        return later

    def judge(self) -> None:
        """Refuse a test that asked for a contract and held nothing to it.

        Raises:
            InvalidUse: ``check`` was not called, or ``acheck`` not awaited.
        """
        for what, word, later in self._waiting.values():
            later.close()  # or Python warns, too
            msg = f"{what}({word}) was not awaited: write await llmfaults_contract.{what}(...)."
            raise InvalidUse(msg)
        if not self._used:
            msg = "The test takes llmfaults_contract and never called check(...) or awaited acheck(...)."
            raise InvalidUse(msg)
