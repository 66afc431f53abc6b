"""Which attempt gets which reply."""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import Fault, fault
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES, wire
from pytest_llmfaults.errors import InvalidUse, OtherWire

if TYPE_CHECKING:
    from pytest_llmfaults._ledger import Attempt

__all__ = ["OK", "Filter", "Injection", "Played", "Step", "checked_steps", "label"]

Step: TypeAlias = "str | Fault | Answer | Reply | Callable[[Request], Step]"
"""A fault's name or ``ok``; a fault; an answer; a reply; or a function of the request that returns one of these."""

Played: TypeAlias = "Fault | Answer | Reply | Callable[[Request], Step] | None"
"""A checked step: names are looked up, and None is ``ok``."""

OK: str = "ok"


@dataclasses.dataclass(frozen=True, slots=True)
class Filter:
    """Which requests an injection covers; None asks nothing.

    Attributes:
        when: a function of the request.
        wire: a wire's name.
        host: a host name; ``*.example.com`` covers its subdomains.
        model: the model that the request names.
    """

    when: Callable[[Request], object] | None = None
    wire: str | None = None
    host: str | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        """Refuse a filter that could never match."""
        if self.wire is not None:
            wire(self.wire)
        if self.when is not None and not callable(self.when):
            msg = f"when={self.when!r} is not a function of a request, such as lambda request: request.tools."
            raise InvalidUse(msg)
        if self.host is not None and (not self.host or "/" in self.host):
            msg = f"host={self.host!r} is not a host name, such as 'api.openai.com'; leave scheme and path out."
            raise InvalidUse(msg)

    @property
    def is_open(self) -> bool:
        """Whether it asks nothing."""
        return all(value is None for value in (self.when, self.wire, self.host, self.model))

    def misses(self, request: Request) -> str | None:
        """Say why ``request`` is not covered, or return None when it is."""
        if self.wire is None and request.wire is None:
            return "its path is not the route of a known wire (name it with wire= or the ini llmfaults_routes)"
        if self.wire is not None and self.wire != request.wire:
            unknown_path = request.wire is None and WIRES[self.wire].recognises(request)
            if not unknown_path:
                return f"it is on the wire {request.wire}, not wire={self.wire!r}"
        if self.host is not None and not _host_matches(self.host, request.host):
            return f"its host is {request.host!r}, not host={self.host!r}"
        if self.model is not None and self.model != request.model:
            return f"its model is {request.model!r}, not model={self.model!r}"
        if self.when is not None and not self.when(request):
            return "when= said no"
        return None

    def __str__(self) -> str:
        """Write the filter as the keywords of ``inject``."""
        pairs = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return "".join(
            f", {name}={'...' if name == 'when' else repr(value)}" for name, value in pairs if value is not None
        )


def _host_matches(pattern: str, host: str) -> bool:
    pattern = pattern.lower()
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def checked_steps(steps: Sequence[Step], *, of: str | None) -> tuple[Played, ...]:
    """Look the names up, and refuse steps that cannot be played.

    Args:
        steps: what a person wrote.
        of: the wire that the injection names, or None.

    Raises:
        UnknownFault: a name is no fault; the text offers the nearest.
        OtherWire: a fault makes no sense on the wire.
        InvalidUse: there is no step, or one is of another kind.
    """
    if not steps:
        msg = "inject() needs a step: a fault's name, 'ok', an Answer, a Reply or a function of the request."
        raise InvalidUse(msg)
    played = tuple(checked_step(step) for step in steps)
    if of is not None:
        for step in played:
            if isinstance(step, Fault) and not step.applies_to(wire(of)):
                raise OtherWire(step.misfit(wire(of)))
    return played


def checked_step(step: Step) -> Played:
    """Look one step up."""
    if isinstance(step, str):
        return None if step == OK else fault(step)
    if isinstance(step, (Fault, Answer, Reply)) or callable(step):
        return step
    msg = (
        f"step={step!r} is not something that can be injected: give a fault's name, 'ok', a Fault, an Answer, "
        "a Reply, or a function of the request that returns one of these."
    )
    raise InvalidUse(msg)


def label(step: Played) -> str:
    """Name a step in a report."""
    if step is None:
        return OK
    if isinstance(step, Fault):
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

    def unfired(self) -> list[Fault | Reply]:
        """Return the faults and replies among the steps that no request met; answers and functions need not be met."""
        steps = [step for index, step in enumerate(self.steps) if index not in self.fired]
        return [step for step in steps if isinstance(step, (Fault, Reply))]

    @property
    def shadows(self) -> bool:
        """Whether no request can get past it: it covers all and never ends."""
        return self.covers.is_open and self.times is None

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
        if old.shadows and not old.closed:
            msg = (
                f"{new} can never be reached: {old} at {old.where} covers every request and its last step repeats "
                "for ever. Give the earlier one when=, wire=, host=, model= or times=, or write one "
                "inject() with all steps."
            )
            raise InvalidUse(msg)
