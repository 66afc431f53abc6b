"""What is due: the request that is struck first, what a healthy model says to it, and so what can be done to that."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._contract.call import Subject
from pytest_llmfaults._contract.observe import observing
from pytest_llmfaults._contract.plan import Met, answer_of
from pytest_llmfaults._contract.study import Baseline, Steps, check_state
from pytest_llmfaults._faults import Fault, healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._strategies.bases import bases
from pytest_llmfaults._strategies.changes import row, spelled
from pytest_llmfaults._strategies.variant import Variant
from pytest_llmfaults._wires import spoken
from pytest_llmfaults.errors import InvalidUse

__all__ = ["Due", "meeting"]

_WITHOUT_ANSWER: Final = ("status", "transport")
"""Families of faults whose reply holds nothing of what the model says."""

_SHAPING: Final = ("tools", "tool_choice", "functions", "function_call", "response_format")
"""Fields of a request that decide which healthy replies there are."""


@dataclasses.dataclass(frozen=True, slots=True)
class Due:
    """The reply that is due, and where it comes from.

    Attributes:
        wire: name of the wire.
        request: the JSON body of the request.
        answer: what the healthy model says; None where it says what fits the request.
        given: whether the test said it by itself, and not the suite.
        kinds: each healthy reply there may be, with the word for it: None is the one that is due.
        before: what is injected before it, as it is written in a test.
    """

    wire: str
    request: Mapping[str, Any]
    answer: Answer | None
    given: bool
    kinds: Mapping[str, str | None]
    before: tuple[str, ...]

    def row(self, variant: Variant) -> Fault:
        """Return what plays a variant; its name is the line that a contract holds."""
        return row(variant.changes, self.kinds[variant.of])

    def short(self, variant: Variant) -> str:
        """Return what a reader calls a variant: the name of a fault, or its changes."""
        named = self._named(variant)
        return named.label if named is not None else self.row(variant).name

    def line(self, variant: Variant) -> str:
        """Return the line that injects a variant in a test with the same suite."""
        named, of = self._named(variant), self.kinds[variant.of]
        if named is not None:
            step = repr(named if named.given else named.name)
        else:
            asked = {name: self.request[name] for name in _SHAPING if name in self.request}
            more = "" if of is None else f", request={asked!r}"
            step = f"variant({self.wire!r}, {spelled(variant.changes, of)}{more})"
        said = self.given and of is None and not (named is not None and named.family in _WITHOUT_ANSWER)
        answer = f", answer={self.answer!r}" if said else ""
        return f"llmfaults.inject({', '.join([*self.before, step])}{answer})"

    def _named(self, variant: Variant) -> Fault | None:
        return variant.fault if self.kinds[variant.of] is None else None


def meeting(subject: Subject, baseline: Baseline) -> Steps[Due]:
    """Make the healthy call once more and look at what is asked in it.

    Raises:
        ContractError: it does something else than before.
        InvalidUse: nothing is ever struck, or what is asked is no JSON object.
    """
    met = Met()
    check_state(baseline, (yield from observing(subject, met, once=True, ok=None)))
    if met.request is None or met.request.wire is None:
        msg = f"at={subject.at!r} strikes no request of the healthy call, so there is no reply to vary."
        raise InvalidUse(msg)
    if not isinstance(met.request.json, dict):
        msg = f"{met.request.short} is asked with a body that is no JSON object, so there is no reply to vary."
        raise InvalidUse(msg)
    return _due(met.request, met.answer, subject)


def _due(request: Request, given: Answer | None, subject: Subject) -> Due:
    suite = subject.settings.answer()
    said = suite if given is None else given
    answer = None if said == Answer(usage=said.usage) else said
    wire = spoken(request)
    due = healthy(wire, request, said).reply.body
    found = bases(wire, request.json, answer)
    kinds = {kind: None if base.reply.body == due else kind for kind, base in found.items()}
    if answer is not None:
        kinds = dict.fromkeys(kinds)
    return Due(
        wire.name, request.json, answer, given is not None and answer is not None, kinds, _before(subject, request)
    )


def _before(subject: Subject, request: Request) -> tuple[str, ...]:
    """Return the steps of the turns before the one that is struck, where that is a turn's number."""
    if not isinstance(subject.at, int):
        return ()
    answers = (answer_of(subject.answers, turn, request) for turn in range(1, subject.at))
    return tuple(repr("ok" if answer is None else answer) for answer in answers)
