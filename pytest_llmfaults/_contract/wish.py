"""Wishes: what a person declares in code about some faults, whatever is signed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from pytest_llmfaults._contract.call import Called
from pytest_llmfaults._contract.study import Study
from pytest_llmfaults.errors import InvalidUse

__all__ = ["Wish", "check_wish", "unmet"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What must happen under some faults while they persist; what is not said is not held.

    Attributes:
        patterns: the faults as a person named them.
        names: the faults.
        attempts: how many requests leave the SDK.
        raises: the class that is raised.
        returns: the value that is returned; ``...`` says nothing.
        retried: whether there is more than one attempt.
        waits: seconds between attempts, at the low end of randomness.
    """

    patterns: tuple[str, ...]
    names: frozenset[str]
    attempts: int | None = None
    raises: type[BaseException] | tuple[type[BaseException], ...] | None = None
    returns: Any = ...
    retried: bool | None = None
    waits: tuple[float, ...] | None = None


def check_wish(wish: Wish) -> None:
    """Refuse a wish that says nothing or contradicts itself.

    Raises:
        InvalidUse: the text says which.
    """
    said = [wish.attempts, wish.raises, wish.retried, wish.waits]
    if all(value is None for value in said) and wish.returns is ...:
        msg = f"expect({', '.join(wish.patterns)}) wishes nothing: give attempts=, raises=, returns=, retried=, waits=."
        raise InvalidUse(msg)
    if wish.raises is not None and wish.returns is not ...:
        msg = f"expect({', '.join(wish.patterns)}): a call raises or returns; give raises= or returns=, not both."
        raise InvalidUse(msg)
    if wish.attempts is not None and (not isinstance(wish.attempts, int) or wish.attempts < 0):
        msg = f"attempts={wish.attempts!r} is not a number of requests: it is an integer from 0."
        raise InvalidUse(msg)


def unmet(wish: Wish, study: Study) -> Iterator[str]:
    """Yield a line for each fault under which the wish was not met, or one where no fault of it was observed."""
    seen = 0
    for case in study.cases:
        if case.fault.name in wish.names and case.persists is not None:
            seen += 1
            for text in _differences(wish, case.persists.called):
                yield f"  {case.fault.name}: {text}"
    if not seen:
        yield f"  {', '.join(wish.patterns)}: none of them was observed; widen faults= of check()."


def _differences(wish: Wish, called: Called) -> Iterator[str]:
    attempts = called.view.attempts
    if wish.attempts is not None and attempts != wish.attempts:
        yield f"attempts={attempts}, wished {wish.attempts}"
    if wish.retried is not None and (attempts > 1) != wish.retried:
        yield f"{'retried' if attempts > 1 else 'not retried'} ({attempts} attempts), wished retried={wish.retried}"
    if wish.raises is not None and not isinstance(called.error, wish.raises):
        yield f"{called.outcome}, wished raises {_named(wish.raises)}"
    if wish.returns is not ... and (called.error is not None or called.value != wish.returns):
        yield f"{called.outcome}, wished returns {wish.returns!r}"
    if wish.waits is not None and not _alike(called.view.waits, wish.waits):
        yield f"waits={called.view.waits} s, wished {list(wish.waits)}"


def _alike(left: list[float], right: tuple[float, ...]) -> bool:
    return len(left) == len(right) and all(abs(a - b) <= 1e-6 for a, b in zip(left, right, strict=True))


def _named(kinds: type[BaseException] | tuple[type[BaseException], ...]) -> str:
    return " or ".join(kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
