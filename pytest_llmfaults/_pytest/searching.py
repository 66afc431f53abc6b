"""How a search is done for a test: where it stands, what it may cost, and what comes of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Awaitable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pytest

from pytest_llmfaults._contract import campaign, show_search, store
from pytest_llmfaults._contract.campaign import DRAWN, SECONDS, Ground, Limits
from pytest_llmfaults._contract.discover import Discovered
from pytest_llmfaults._contract.explore import Fuzzed, Sighting
from pytest_llmfaults._contract.sentence import sentence
from pytest_llmfaults._contract.study import Baseline, Steps, Study, drive, drive_async, observing_baseline, studying
from pytest_llmfaults._contract.timed import checking_time
from pytest_llmfaults._faults import EDITION
from pytest_llmfaults._pytest import findings, sign
from pytest_llmfaults._pytest.holding import Holding, since, variants_of
from pytest_llmfaults._pytest.place import Asked, Place
from pytest_llmfaults._pytest.progress import Progress
from pytest_llmfaults.errors import ContractBroken, InvalidUse, LLMFaultsError

if TYPE_CHECKING:
    from pytest_llmfaults._contract.call import Subject

__all__ = ["Searching", "driven"]

_T = TypeVar("_T")
_MORE: Final = "max_examples= draws more in one"


def driven(steps: Steps[_T]) -> _T:
    """Make the calls of a search; an error about the test is shown at the test."""
    __tracebackhide__ = True
    try:
        return drive(steps)
    except LLMFaultsError as error:
        raise error.with_traceback(None) from error.__cause__
    finally:
        steps.close()


class Searching(Holding):
    """What ``fuzz`` and ``discover`` do, as calls to make."""

    def _fuzz(
        self,
        call: Any,
        *,
        families: str | Iterable[str] | None = None,
        variant: str | None = None,
        max_examples: int | None = None,
        **more: Any,
    ) -> Steps[Fuzzed]:
        limits = Limits(families=campaign.patterns(families), examples=max_examples)
        subject = self._subject(call, **more)
        place = self._place_of_search("fuzz", variant)
        ground = yield from self._standing(place, subject, limits)
        signing = "new" in sign.wanted(self._item.config)
        if ground.signed is None and not signing:
            raise ContractBroken(show_search.nothing_signed(place.nodeid))
        same = sign.ci_variable(os.environ) is not None
        found, due = yield from campaign.fuzzed(ground, same=same, key=place.nodeid.encode(), every=signing)
        cases = tuple(one.case for one in found.findings)
        yield from checking_time(subject, Study(ground.baseline, cases), healthy=False)
        if found.findings and self._is_broken(place, ground, found.findings):
            raise ContractBroken(show_search.finding(found, due, signed=ground.signed, nodeid=place.nodeid))
        return found

    def _discover(
        self,
        call: Any,
        *,
        families: str | Iterable[str] | None = None,
        variant: str | None = None,
        seconds: float = SECONDS,
        seed: int = 0,
        max_examples: int = DRAWN,
        **more: Any,
    ) -> Steps[Discovered]:
        patterns = campaign.patterns(families)
        limits = Limits(families=patterns, examples=max_examples, seed=seed, seconds=seconds)
        subject = self._subject(call, **more)
        place = self._place_of_search("discover", variant)
        ground = yield from self._standing(place, subject, limits)
        with contextlib.closing(Progress(self._item.config)) as progress:
            found, due = yield from campaign.discovery(ground, tell=progress)
        own = findings.own_modules(found.study, self._item.config.rootpath)
        new = [group.smallest for group in found.groups if not group.known]
        cases = tuple(one.case for one in new)
        yield from checking_time(subject, Study(ground.baseline, cases), healthy=False)
        if new and self._is_broken(place, ground, new):
            raise ContractBroken(show_search.unsigned(found, due, own, nodeid=place.nodeid))
        print("\n".join(show_search.discovery(found, due, own, known=", signed")))  # noqa: T201 - pytest shows it where it is asked to
        few = show_search.too_few(found, seconds)
        if few is not None:
            self._item.warn(pytest.PytestWarning(few))
        return found

    def _awaited(self, what: str, call: object, steps: Steps[_T]) -> Awaitable[_T]:
        return self._later(what, call, lambda token: self._driven_async(token, steps))

    async def _driven_async(self, token: object, steps: Steps[_T]) -> _T:
        __tracebackhide__ = True
        del self._waiting[token]
        try:
            return await drive_async(steps)
        except LLMFaultsError as error:
            raise error.with_traceback(None) from error.__cause__
        finally:
            steps.close()

    def _place_of_search(self, what: str, variant: str | None) -> Place:
        if self._state.run.case is not None:
            msg = f"{what}() draws its own variants, and this test has a marker with a fault: take the marker away."
            raise InvalidUse(msg)
        return self._place(variant, what=what, more=_MORE)

    def _standing(self, place: Place, subject: Subject, limits: Limits) -> Steps[Ground]:
        """Find out what is signed, and hold the variants in it, where ``check`` has not done so before."""
        baseline = yield from observing_baseline(subject)
        if place.path in self._checked:
            signed, study = self._checked[place.path]
            _check_same(study.baseline, baseline)
            return Ground(subject, baseline, signed, study, limits)
        yield from checking_time(subject, Study(baseline, ()))
        signed = store.load(place.path, since=since(), edition=EDITION)
        if signed is None:
            return Ground(subject, baseline, None, None, limits)
        rows = variants_of(signed)
        study = yield from studying(subject, rows, baseline)
        asked = Asked(place, signed, rows, tuple(row.name for row in rows))
        observed, left = self._compared(asked, study)
        self._raise_what_is_broken(asked, observed, left, ())
        return Ground(subject, baseline, self._checked[place.path][0], study, limits)

    def _is_broken(self, place: Place, ground: Ground, found: Sequence[Sighting]) -> bool:
        """Tell the session what was found, and return whether that is left unsigned."""
        rows = tuple(one.case.fault for one in found)
        asked = Asked(place, ground.signed, rows, tuple(row.name for row in rows))
        _, left = self._compared(asked, Study(ground.baseline, tuple(one.case for one in found)))
        return left.broken


def _check_same(before: Baseline, now: Baseline) -> None:
    """Refuse to search in something else than what was checked.

    Raises:
        InvalidUse: the healthy calls differ.
    """
    said, says = sentence(before.ok.observation), sentence(now.ok.observation)
    if said != says:
        msg = (
            f"The healthy call said {said!r} in check() and says {says!r} now: give the same call, answer= and "
            "describe= as to check(), or a file of its own by variant='...'."
        )
        raise InvalidUse(msg)
