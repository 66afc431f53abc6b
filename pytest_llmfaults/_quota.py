"""A quota: healthy replies while it lasts, the provider's refusal when it is used up, and a refill on virtual time.

It is a token bucket, as Anthropic says that its limits are, and as the headers of OpenAI's replies show that its are:
at 5,000 requests a minute the first reply names 12 ms until the limit is full again, one request's share of a minute.

https://platform.claude.com/docs/en/api/rate-limits
https://community.openai.com/t/how-to-get-rate-limit-reset-time-for-response-api/1268905
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from pytest_llmfaults._faults import Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import Allowance, Counted, Shortage, Wire, retry_after
from pytest_llmfaults.errors import DoesNotApply, InvalidUse, OtherWire

__all__ = ["Quota", "Quotas", "Served", "quota"]

_NANO: Final = 1_000_000_000


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Quota:
    """What may be asked in a time; made by :func:`quota`. The same object in several injections is one quota.

    Attributes:
        requests: how many requests.
        per_seconds: in how many seconds of virtual time they come back, evenly.
        tokens: how many tokens of prompt and answer together in the same time; None is no limit.
    """

    requests: int
    per_seconds: float
    tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        _check_count("requests", self.requests)
        if self.tokens is not None:
            _check_count("tokens", self.tokens)
        seconds: Any = self.per_seconds
        if type(seconds) not in {int, float} or not math.isfinite(seconds) or seconds <= 0:
            msg = f"per_seconds={seconds!r} is not allowed: it is a number of seconds above 0, such as 60."
            raise InvalidUse(msg)

    @property
    def label(self) -> str:
        """The quota as a person would write it in a test."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return f"quota({', '.join(f'{name}={value!r}' for name, value in fields.items() if value is not None)})"

    def __repr__(self) -> str:
        """Print as the call that makes it."""
        return self.label

    def misfit(self, wire: Wire) -> str | None:
        """Say why it makes no sense on a wire, or return None."""
        return None if wire.limits else f"{self.label} does not apply to the wire {wire.name}, which has no limits."


def quota(*, requests: int, per_seconds: float, tokens: int | None = None) -> Quota:
    """Make a step that answers well while a quota lasts, and as the provider does at its limit otherwise.

    It refills evenly (a token bucket) on virtual time. Each reply, good or refused, has the rate-limit headers of its
    wire; a refusal has the provider's status and error body, and says when to try again where the provider does: mostly
    in Retry-After, in whole seconds, rounded up. A refused request uses up nothing.

    Args:
        requests: how many requests, from 1.
        per_seconds: in how many seconds so many come back.
        tokens: how many tokens in the same time, from 1: ``usage`` of the healthy answer, prompt and completion
            together. None is no limit.

    Raises:
        InvalidUse: a number that makes no sense.

    Example:
        >>> llmfaults.inject(llmfaults.quota(requests=3, per_seconds=60))
    """
    return Quota(requests=requests, per_seconds=per_seconds, tokens=tokens)


def _check_count(name: str, value: Any) -> None:
    if type(value) is not int or value < 1:
        msg = f"{name}={value!r} is not allowed: it is an integer from 1."
        raise InvalidUse(msg)


class Served(NamedTuple):
    """What a request under a quota gets.

    Attributes:
        reply: the healthy reply or the refusal, with the headers of the limits.
        words: what it was, for a person.
    """

    reply: Reply
    words: str


class _Bucket:
    """One limit. What is in it is counted in parts so small that all sums are whole numbers."""

    def __init__(self, counts: Counted, limit: int, per_ns: int) -> None:
        """Begin full."""
        self.counts: Counted = counts
        self.limit = limit
        self._per_ns = per_ns
        self._full = limit * per_ns
        self._level = self._full
        self._at_ns = 0

    def refill(self, now_ns: int) -> None:
        """Be where it is at ``now_ns``. A thread may be behind another: then it stays where it is."""
        passed = max(0, now_ns - self._at_ns)
        self._at_ns += passed
        self._level = min(self._full, self._level + passed * self.limit)

    def lacks_ns(self, cost: int, now_ns: int) -> int:
        """Return how long ``cost`` has to wait, from ``now_ns``; 0 when it is there."""
        return self._until_ns(cost * self._per_ns, now_ns)

    def take(self, cost: int) -> None:
        """Take out ``cost``, which has to be there."""
        self._level -= cost * self._per_ns

    def allowance(self, now_ns: int) -> Allowance:
        """Say how it stands."""
        return Allowance(
            counts=self.counts,
            limit=self.limit,
            remaining=self._level // self._per_ns,
            reset_seconds=self._until_ns(self._full, now_ns) / _NANO,
        )

    def _until_ns(self, level: int, now_ns: int) -> int:
        lacking = level - self._level
        return self._at_ns - now_ns - (-lacking // self.limit) if lacking > 0 else 0


class _Limited:
    """The limits of one quota in one run."""

    def __init__(self, one: Quota) -> None:
        """Begin full."""
        per_ns = max(1, round(one.per_seconds * _NANO))
        self._quota = one
        self._lock = threading.Lock()
        self._buckets = [_Bucket("requests", one.requests, per_ns)]
        if one.tokens is not None:
            self._buckets.append(_Bucket("tokens", one.tokens, per_ns))

    def serve(self, base: Healthy, now_ns: int) -> Served:
        """Let a request pass, or refuse it.

        Raises:
            OtherWire: the wire has no limits.
            DoesNotApply: it could never pass.
        """
        limits = base.wire.limits
        if limits is None:
            raise OtherWire(self._quota.misfit(base.wire) or "")
        costs = [1, *([self._tokens(base)] if self._quota.tokens is not None else [])]
        with self._lock:
            for bucket in self._buckets:
                bucket.refill(now_ns)
            waits = [bucket.lacks_ns(cost, now_ns) for bucket, cost in zip(self._buckets, costs, strict=True)]
            passes = not any(waits)
            if passes:
                for bucket, cost in zip(self._buckets, costs, strict=True):
                    bucket.take(cost)
            allowances = [bucket.allowance(now_ns) for bucket in self._buckets]
        headers = limits.headers(allowances, base.now)
        if passes:
            left = ", ".join(f"{one.remaining} of {one.limit} {one.counts}" for one in allowances)
            return Served(_headed(base.as_asked().reply, headers), f"quota, {left} left")
        short = self._shortage(base, self._buckets[waits.index(max(waits))], max(waits) / _NANO)
        seconds = retry_after(short.wait_seconds)
        asks = (("retry-after", seconds),) if limits.retry_after else ()
        refusal = Reply.json(limits.refusal(short), status=429)
        refused = _headed(refusal, (*base.wire.headers, *headers, *asks))
        return Served(refused, f"quota, refused for {seconds} s")

    def _shortage(self, base: Healthy, scarce: _Bucket, wait_seconds: float) -> Shortage:
        limit = f"limit {scarce.limit} per {self._quota.per_seconds:g}s"
        return Shortage(
            counts=scarce.counts,
            limit=scarce.limit,
            wait_seconds=wait_seconds,
            model=base.request.model,
            message=f"Rate limit reached on {scarce.counts}: {limit}. "
            f"Please try again in {retry_after(wait_seconds)}s.",
        )

    def _tokens(self, base: Healthy) -> int:
        if base.recorded:
            msg = f"{self._quota.label} counts the usage of an Answer, and {base.recorded} is a recorded reply."
            raise DoesNotApply(msg)
        cost = base.answer.usage.prompt + base.answer.usage.completion
        if cost > (self._quota.tokens or 0):
            msg = f"{self._quota.label} lets no request pass: this answer takes {cost} tokens. Raise tokens=."
            raise DoesNotApply(msg)
        return cost


def _headed(reply: Reply, headers: Sequence[tuple[str, str]]) -> Reply:
    """Return a reply with these headers in place of its own of the same names."""
    names = {name.lower() for name, _ in headers}
    kept = tuple(pair for pair in reply.headers if pair[0].lower() not in names)
    return dataclasses.replace(reply, headers=(*kept, *headers))


class Quotas:
    """How the quotas of one run stand."""

    def __init__(self) -> None:
        """Start with none used."""
        self._lock = threading.Lock()
        self._limited: dict[Quota, _Limited] = {}

    def serve(self, one: Quota, base: Healthy, now_ns: int) -> Served:
        """Answer a request under a quota; see :meth:`_Limited.serve` for what is raised.

        Args:
            one: the quota.
            base: the healthy reply.
            now_ns: virtual time of whoever asks, in nanoseconds.
        """
        with self._lock:
            limited = self._limited.setdefault(one, _Limited(one))
        return limited.serve(base, now_ns)

    def forget(self, over: Iterable[Quota]) -> None:
        """Let these be full when they are asked again: no injection in force has them."""
        with self._lock:
            for one in over:
                self._limited.pop(one, None)
