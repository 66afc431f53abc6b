"""``strict``: hold the code under test to the rules of a strict provider."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType

from pytest_llmfaults import _current
from pytest_llmfaults._inject import caller, in_hypothesis_example
from pytest_llmfaults._injection import Filter
from pytest_llmfaults._request import Request
from pytest_llmfaults._rules import Rule, rules
from pytest_llmfaults._run import Run
from pytest_llmfaults._standing import Standing, Violation
from pytest_llmfaults._views import View
from pytest_llmfaults.errors import InvalidUse

__all__ = ["Strict", "strict", "strict_in"]


class Strict(View):
    """Rules in force, and a view of the attempts that they refused."""

    __slots__ = ("_run", "_standing")

    def __init__(self, standing: Standing, run: Run) -> None:
        """Hold ``standing`` in ``run``."""
        super().__init__(lambda: standing.attempts)
        self._standing = standing
        self._run = run

    @property
    def violations(self) -> list[Violation]:
        """What broke these rules, one for each attempt that they refused."""
        return list(self._standing.violations)

    def start(self) -> None:
        """Be in force from now on, to the end of the run; or wait for ``with`` where a statement would be wrong."""
        waits = in_hypothesis_example()
        (self._run.pending if waits else self._run.strictness.standings).append(self._standing)

    def __enter__(self) -> Strict:  # noqa: PYI034 - typing.Self needs Python 3.11
        """Be in force until the block ends."""
        if self._standing.closed:
            msg = f"{self._standing} was entered before: write a new strict() for each with."
            raise InvalidUse(msg)
        if self._standing in self._run.pending:
            self._run.pending.remove(self._standing)
            self._run.strictness.standings.append(self._standing)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Be no longer in force."""
        self._standing.closed = True

    def __str__(self) -> str:
        """Write it as a person would have, then what broke it."""
        return "\n".join([str(self._standing), *map(str, self._standing.violations)])


def strict(
    *wanted: str | Rule,
    when: Callable[[Request], object] | None = None,
    wire: str | None = None,
    host: str | None = None,
    model: str | None = None,
    **parameters: object,
) -> Strict:
    """Refuse requests that break these rules, as a strict provider does: status 400, and its words.

    In a test that uses this plugin it is in force from the call to the end of the test, or of its ``with``; outside
    of one, inside ``with inject(...)``. A request that an injection covers is looked at before the injection's step:
    one that breaks a rule is an attempt with a reply of its own, and uses up no step. Rules need not be broken.

    Args:
        *wanted: names, globs (``turn.tool_*``), or ``turn`` for all that a conversation can always keep; a ``Rule``.
        when: only requests for which ``when(request)`` is true.
        wire: only this wire.
        host: only this host; ``*.example.com`` covers its subdomains.
        model: only requests that name this model.
        **parameters: values for a rule's parameters, ``characters=5000``; every rule named has to have them.

    Returns:
        The rules as a view of what they refused: ``violations``, ``attempts``, ``requests``.

    Raises:
        UnknownFault: a name is no rule.
        InvalidUse: a filter or a parameter that makes no sense, or there is nothing here that could be strict.
    """
    run = _current.find()
    if run is None:
        msg = (
            "strict() holds inside a test that uses llmfaults, or inside with inject(...): no requests are answered "
            "here. Write: with inject('ok'), strict('turn.*') as held:"
        )
        raise InvalidUse(msg)
    return strict_in(run, wanted, Filter(when=when, wire=wire, host=host, model=model), parameters)


def strict_in(run: Run, wanted: Sequence[str | Rule], covers: Filter, parameters: dict[str, object]) -> Strict:
    """Do what ``strict`` says in ``run``."""
    for one in wanted:
        if not isinstance(one, (str, Rule)):
            msg = f"{one!r} is not a rule's name, a glob or a Rule. Faults, answers and replies go into inject()."
            raise InvalidUse(msg)
    given = {one.name: one for one in wanted if isinstance(one, Rule)}
    names = [one.name if isinstance(one, Rule) else one for one in wanted]
    chosen = [given.get(row.name, row) for row in rules(*names)] if names else []
    chosen = [row.with_values(parameters) for row in chosen] if parameters else chosen
    held = Strict(Standing(chosen, covers=covers, where=caller()), run)
    held.start()
    return held
