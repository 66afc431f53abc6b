"""Rules that are in force, the requests they are asked about, and what broke them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_llmfaults._injection import Filter
from pytest_llmfaults._rules import Breach, Rule
from pytest_llmfaults.errors import InvalidUse

if TYPE_CHECKING:
    from pytest_llmfaults._ledger import Attempt
    from pytest_llmfaults._request import Request

__all__ = ["Broken", "Standing", "Strictness", "Violation"]


@dataclasses.dataclass(frozen=True, slots=True)
class Violation:
    """A request that broke a rule, and was refused for it.

    Attributes:
        rule: name of the rule, ``turn.user_after_tool``.
        attempt: number of the attempt, from 1.
        what: what broke it: ``messages[3] has the role user, directly after a tool``.
        index: the message that broke it, from 0; None when it is the request as a whole.
        request: the request.
    """

    rule: str
    attempt: int
    what: str
    index: int | None
    request: Request

    def __str__(self) -> str:
        """Tell it in one line."""
        return f"#{self.attempt} broke {self.rule}: {self.what}"


class Standing:
    """Some rules, from one ``strict(...)`` on.

    They are asked at each request that an injection covers, in their order; the first that is broken answers.
    """

    verb: Final = "strict"

    def __init__(self, rules: Sequence[Rule], *, covers: Filter, where: str) -> None:
        """Be asked about the requests that ``covers`` lets through.

        Raises:
            InvalidUse: there is no rule.
        """
        if not rules:
            msg = "strict() needs a rule: a name such as 'turn.user_after_tool', a glob, or 'turn.*'."
            raise InvalidUse(msg)
        self.rules = tuple(rules)
        self.covers = covers
        self.where = where
        self.closed = False
        self.attempts: list[Attempt] = []
        self.violations: list[Violation] = []

    def __str__(self) -> str:
        """Write it as a person would have."""
        return f"strict({', '.join(repr(rule.label) for rule in self.rules)}{self.covers})"


class Broken(NamedTuple):
    """A rule that a request breaks."""

    standing: Standing
    rule: Rule
    breach: Breach


class Strictness:
    """All rules of a run, and what broke them. A contract lends it to the runs of the calls that it observes."""

    def __init__(self) -> None:
        """Start with no rule."""
        self.standings: list[Standing] = []
        self.violations: list[Violation] = []

    def broken(self, request: Request, misses: Callable[[Standing, Request], str | None]) -> Broken | None:
        """Return the first rule that ``request`` breaks, or None. Rules are asked in the order of definition.

        Args:
            request: a request on a wire.
            misses: says why a standing is not asked about a request, or None when it is.
        """
        for standing in tuple(self.standings):
            if standing.closed or misses(standing, request) is not None:
                continue
            for rule in standing.rules:
                breach = rule.asked(request)
                if breach is not None:
                    return Broken(standing, rule, breach)
        return None

    def note(self, broken: Broken, attempt: Attempt) -> Attempt:
        """Write down that ``attempt`` was refused, and return it."""
        breach = broken.breach
        violation = Violation(broken.rule.name, attempt.number, breach.what, breach.index, attempt.request)
        broken.standing.attempts.append(attempt)
        broken.standing.violations.append(violation)
        self.violations.append(violation)
        return attempt

    def answered(self, attempt: Attempt) -> bool:
        """Tell whether a rule answered ``attempt``."""
        return any(attempt is one for standing in self.standings for one in standing.attempts)
