"""Which attempt of one observed call meets the fault."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, TypeAlias

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import Fault, healthy
from pytest_llmfaults._injection import Step
from pytest_llmfaults._request import Request
from pytest_llmfaults._turns import role_of
from pytest_llmfaults._wires import spoken
from pytest_llmfaults.errors import DoesNotApply, InvalidUse

__all__ = ["Answers", "At", "Met", "Plan", "answer_of", "check_answers", "check_at", "misfit_of"]

At: TypeAlias = "Literal['every', 'first'] | int | Callable[[Request], object]"
"""Where a fault strikes: at every request, in the first turn, in turn n (from 1), or where a function says so.

A turn ends when a healthy reply was given, or when the client took a reply into the conversation as the model's.
"""

Answers: TypeAlias = "Answer | Sequence[Answer] | Callable[[Request], Answer] | None"
"""What the healthy model says: always the same, one after the other (the last repeats), or by request."""


def check_at(at: Any) -> None:
    """Refuse what is no place.

    Raises:
        InvalidUse: the text says what is one.
    """
    number = isinstance(at, int) and not isinstance(at, bool) and at >= 1
    if not (at in {"every", "first"} if isinstance(at, str) else number or callable(at)):
        msg = f"at={at!r} is not 'every', 'first', a turn's number from 1, or a function of the request."
        raise InvalidUse(msg)


def check_answers(answers: Any) -> None:
    """Refuse what a healthy model cannot say.

    Raises:
        InvalidUse: the text says what it may.
    """
    several = isinstance(answers, Sequence) and not isinstance(answers, str) and bool(answers)
    good = all(isinstance(one, Answer) for one in answers) if several else isinstance(answers, Answer)
    if answers is not None and not good and not callable(answers):
        msg = f"answer={answers!r} is not an Answer, a list of one or more, or a function of the request."
        raise InvalidUse(msg)


def answer_of(answers: Answers, turn: int, request: Request) -> Answer | None:
    """Return what the healthy model says in this turn; None is the suite's own answer."""
    if answers is None or isinstance(answers, Answer):
        return answers
    if callable(answers):
        return answers(request)
    return answers[min(turn, len(answers)) - 1]


def misfit_of(fault: Fault, request: Request, answer: Answer) -> str | None:
    """Say why a fault makes no sense for a request, or return None where it does.

    The calls under one fault ask the same again and again, so a few of the last questions are kept.
    """

    def judge() -> str | None:
        try:
            fault.reply(healthy(spoken(request), request, answer, needs=fault.needs, fault=fault.name))
        except DoesNotApply as error:
            return str(error)
        return None

    key = (id(fault), id(answer), request.wire, request.dialect, request.url, request.body)
    # What is kept keeps the fault and the answer alive, so no other object has their ids meanwhile.
    return _judged(_Question(key, judge))


@dataclasses.dataclass(frozen=True, slots=True)
class _Question:
    """What makes two questions the same, and how one is answered."""

    key: Hashable
    judge: Callable[[], str | None] = dataclasses.field(compare=False)


@functools.lru_cache(maxsize=8)
def _judged(question: _Question) -> str | None:
    return question.judge()


class Met:
    """Strikes and changes nothing; keeps the first request that it met, and what the healthy model says to it."""

    def __init__(self) -> None:
        """Have met nothing."""
        self.request: Request | None = None
        self.answer: Answer | None = None

    def take(self, request: Request, answer: Answer | None) -> None:
        """Meet a request."""
        if self.request is None:
            self.request, self.answer = request, answer


class Plan:
    """A step for ``inject`` that decides at each request; it is made anew for each observed call.

    A fault strikes those of the chosen requests that it makes sense for; the others get the healthy reply.
    """

    def __init__(
        self, fault: Step | Met | None, *, at: At, answers: Answers, usual: Callable[[], Answer], once: bool
    ) -> None:
        """Strike with ``fault`` (None: never), for as long as it persists or once.

        Args:
            fault: what strikes.
            at: where.
            answers: what the healthy model says.
            usual: what it says where ``answers`` is None.
            once: whether it strikes once.
        """
        self._fault = fault
        self._at = at
        self._answers = answers
        self._usual = usual
        self._once = once
        self._turn = 1
        self._struck = 0
        self._misfit: str | None = None
        self._spoken: int | None = None

    @property
    def inapplicable(self) -> str | None:
        """Why the fault makes no sense for the first request that was chosen, if it made sense for none."""
        return None if self._struck else self._misfit

    def __call__(self, request: Request) -> Step:
        """Return the step for this request."""
        spoken = sum(1 for one in request.messages if role_of(one) == "assistant")
        if self._spoken is None:
            self._spoken = spoken
        self._turn = max(self._turn, 1 + spoken - self._spoken)
        answer = answer_of(self._answers, self._turn, request)
        if self._fault is not None and self._strikes(request, answer):
            self._struck += 1
            if isinstance(self._fault, Met):
                self._fault.take(request, answer)
                return self._healthy(answer)
            if isinstance(self._fault, Fault) and answer is not None:
                return self._fault.corrupting(answer)
            return self._fault(request) if callable(self._fault) else self._fault
        return self._healthy(answer)

    def _healthy(self, answer: Answer | None) -> Step:
        self._turn += 1
        return "ok" if answer is None else answer

    def _strikes(self, request: Request, answer: Answer | None) -> bool:
        if (self._once and self._struck) or not self._chosen(request):
            return False
        misfit = misfit_of(self._fault, request, answer or self._usual()) if isinstance(self._fault, Fault) else None
        if self._misfit is None:
            self._misfit = misfit
        return misfit is None

    def _chosen(self, request: Request) -> bool:
        if callable(self._at):
            return bool(self._at(request))
        if self._at == "every":
            return True
        return self._turn == (1 if self._at == "first" else self._at)
