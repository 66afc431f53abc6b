"""Which attempt gets which reply."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import Fault, fault
from pytest_llmfaults._filter import Filter
from pytest_llmfaults._quota import Quota
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import Wire, dialect, in_dialect, wire
from pytest_llmfaults.errors import InvalidUse, OtherWire

if TYPE_CHECKING:
    from pytest_llmfaults._ledger import Attempt

__all__ = ["OK", "Filter", "Injection", "Played", "Step", "checked_steps", "label", "returned_step"]

Step: TypeAlias = "str | Fault | Answer | Reply | Quota | Callable[[Request], Step]"
"""A fault's name or ``ok``; a fault; an answer; a reply; a quota; or a function of the request that returns a step."""

Played: TypeAlias = "Fault | Answer | Reply | Quota | Callable[[Request], Step] | None"
"""A checked step: names are looked up, and None is ``ok``."""

OK: str = "ok"


def checked_steps(steps: Sequence[Step], *, of: str | None, spoken: str | None = None) -> tuple[Played, ...]:
    """Look the names up, and refuse steps that cannot be played.

    Args:
        steps: what a person wrote.
        of: the wire that the injection names, or None.
        spoken: the dialect that it names, or None.

    Raises:
        UnknownFault: a name is no fault; the text offers the nearest.
        OtherWire: a fault makes no sense on the wire.
        InvalidUse: there is no step, or one is of another kind.
    """
    if not steps:
        msg = "inject() needs a step: a fault's name, 'ok', an Answer, a Reply or a function of the request."
        raise InvalidUse(msg)
    played = tuple(checked_step(step) for step in steps)
    for step in played[:-1]:
        if isinstance(step, Quota):
            msg = f"{step.label} stands for one attempt here and could refuse none: let it be the last step."
            raise InvalidUse(msg)
    if of is not None:
        on = wire(of) if spoken is None else in_dialect(wire(of), dialect(spoken))
        for misfit in filter(None, (_misfit(step, on) for step in played)):
            raise OtherWire(misfit)
    return played


def _misfit(step: Played, on: Wire) -> str | None:
    """Say why a step makes no sense on a wire, or return None."""
    if isinstance(step, Fault):
        return None if step.applies_to(on) else step.misfit(on)
    return step.misfit(on) if isinstance(step, Quota) else None


def checked_step(step: Step) -> Played:
    """Look one step up."""
    if isinstance(step, str):
        return None if step == OK else fault(step)
    if isinstance(step, (Fault, Answer, Reply, Quota)) or callable(step):
        return step
    msg = (
        f"step={step!r} is not something that can be injected: give a fault's name, 'ok', a Fault, an Answer, "
        "a Reply, a quota, or a function of the request that returns one of these."
    )
    raise InvalidUse(msg)


def returned_step(step: Callable[[Request], Step], request: Request, where: str) -> Played:
    """Return the step that a function of the request gives; ``where`` is where it was injected.

    Raises:
        InvalidUse: it is none, or a quota.
    """
    returned = checked_step(step(request))
    if isinstance(returned, Quota):
        msg = (
            f"The step {label(step)} of inject() at {where} returned a quota, which would be a full one for each "
            "request. Give quota(...) itself as a step, and say with when=, host= or model= which requests it is about."
        )
        raise InvalidUse(msg)
    return returned


def label(step: Played) -> str:
    """Name a step in a report."""
    if step is None:
        return OK
    if isinstance(step, (Fault, Quota)):
        return step.label
    if isinstance(step, Answer):
        return "answer"
    if isinstance(step, Reply):
        return f"reply {step.status}"
    return getattr(step, "__name__", "function")


class Injection:
    """Steps, the requests they cover, and how many of them were used.

    What ``inject`` returns is built on this. It is asked at each request and is safe to ask from many threads.
    """

    verb: Final = "inject"

    def __init__(
        self,
        steps: tuple[Played, ...],
        *,
        covers: Filter,
        times: int | None,
        per_request: bool,
        answer: Answer | None,
        where: str,
    ) -> None:
        """Take checked steps; see ``inject`` for the meaning of the rest."""
        _check_times(times, steps)
        self.steps = steps
        self.covers = covers
        self.times = times
        self.per_request = per_request
        self.answer = answer
        self.where = where
        self.attempts: list[Attempt] = []
        self.fired: set[int] = set()
        self.closed = False
        self.judged = False
        self._used: dict[bytes, int] = {}
        self._lock = threading.Lock()

    def take(self, request: Request) -> tuple[int, Played] | None:
        """Use up and return the step for this request with its index, or None when all are used up."""
        with self._lock:
            if not self.has_step_for(request):
                return None
            key = self._key(request)
            used = self._used.get(key, 0)
            self._used[key] = used + 1
        index = min(used, len(self.steps) - 1)
        return index, self.steps[index]

    def has_step_for(self, request: Request) -> bool:
        """Tell whether there is still a step for this request."""
        return not self.closed and (self.times is None or self._used.get(self._key(request), 0) < self.times)

    def _key(self, request: Request) -> bytes:
        return _identity(request) if self.per_request else b""

    def hit(self, index: int, attempt: Attempt) -> None:
        """Note that the step at ``index`` was played."""
        with self._lock:
            self.fired.add(index)
            self.attempts.append(attempt)

    def unfired(self) -> list[Fault | Reply | Quota]:
        """Return the faults, replies and quotas that no request met; answers and functions need not be met.

        A quota fires by being met: that it need not refuse is the point of a client that keeps below it.
        """
        steps = [step for index, step in enumerate(self.steps) if index not in self.fired]
        return [step for step in steps if isinstance(step, (Fault, Reply, Quota))]

    def hides(self, other: Injection) -> bool:
        """Tell whether no request can get past it to an injection that was defined later."""
        return self.times is None and not self.closed and self.covers.takes_all_of(other.covers)

    def __str__(self) -> str:
        """Write it as a person would have."""
        steps = ", ".join(repr(label(step)) for step in self.steps)
        times = f", times={self.times}" if self.times is not None else ""
        return f"inject({steps}{self.covers}{times})"


def _check_times(times: int | None, steps: Sequence[Played]) -> None:
    if times is None:
        return
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        msg = f"times={times!r} is not a number of attempts: it is an integer from 1, or None for all."
        raise InvalidUse(msg)
    if times < len(steps):
        lost = ", ".join(repr(label(step)) for step in steps[times:])
        msg = f"times={times} ends before {lost} can be reached: {len(steps)} steps need times={len(steps)} or more."
        raise InvalidUse(msg)


def _identity(request: Request) -> bytes:
    text = b"\0".join((request.method.encode(), request.url.encode(), request.body))
    return hashlib.blake2b(text, digest_size=16).digest()


def check_reachable(new: Injection, before: Iterable[Injection]) -> None:
    """Refuse an injection that an earlier one hides completely.

    Raises:
        InvalidUse: the text names the earlier one and what to change.
    """
    for old in before:
        if old.hides(new):
            whose = "every request" if old.covers.is_open else "all that it covers"
            msg = (
                f"{new} can never be reached: {old} at {old.where} covers {whose} and its last step repeats "
                "for ever. Give the earlier one when=, wire=, host=, model= or times=, or write one "
                "inject() with all steps."
            )
            raise InvalidUse(msg)
