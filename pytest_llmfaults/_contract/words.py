"""What is different between two behaviours, in words: "no longer retried", "waits halved: 1 2 4 -> 0.5 1 2 s"."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pytest_llmfaults._contract.observation import DOES_NOT_APPLY, FOREVER, Behaviour, Span
from pytest_llmfaults._contract.sentence import Parts, number, parse, span, spans

__all__ = ["AS_OK", "Difference", "clip", "difference", "is_success"]

_SHOWN: Final = 60
AS_OK: Final = "same as ok"
"""The outcome of a call that ends like the healthy one."""

_LIKE_OK: Final = "what the healthy call returns"


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """How two behaviours differ.

    Attributes:
        words: the difference.
        weight: how bad that is: 0 is the worst.
    """

    words: str
    weight: int


@dataclasses.dataclass(frozen=True, slots=True)
class _Piece:
    clause: str
    words: str
    weight: int


def difference(signed: Behaviour, observed: Behaviour) -> Difference:
    """Say how ``observed`` differs from ``signed``: first while the fault persists, then what else differs once."""
    pieces = list(_pieces(parse(signed.persists), parse(observed.persists)))
    said = {piece.clause for piece in pieces}
    once = [piece for piece in _pieces(parse(signed.once), parse(observed.once)) if piece.clause not in said]
    words = [piece.words for piece in pieces]
    if once:
        words.append("once: " + ", ".join(piece.words for piece in once))
    weight = min((piece.weight for piece in (*pieces, *once)), default=9)
    return Difference("; ".join(words) or "the sentence is worded differently", weight)


def is_success(outcome: str) -> bool:
    """Tell whether the subject returned something."""
    return outcome == AS_OK or outcome.startswith("returns")


def clip(text: str, longest: int = _SHOWN) -> str:
    """Cut a text that is too long for a line."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _pieces(old: Parts, new: Parts) -> Iterator[_Piece]:
    if old == new:
        return
    if DOES_NOT_APPLY in {old.outcome, new.outcome}:
        ends = new.outcome == DOES_NOT_APPLY
        yield _Piece("outcome", f"does not apply any more: {old.text}" if ends else f"applies now: {new.text}", 3)
        return
    yield from _attempts(old, new)
    gaps = list(_waits(old.waits, new.waits))
    yield from gaps
    endless = old.outcome.startswith(FOREVER) or new.outcome.startswith(FOREVER)
    if not gaps and not endless and old.attempts == new.attempts and span(old.total) != span(new.total):
        yield _Piece("waited", f"takes {span(new.total)} s instead of {span(old.total)} s", 6)
    if old.changed != new.changed:
        words = "the request changes between attempts" if new.changed else "the request no longer changes"
        yield _Piece("request", words, 4)
    if old.after_output != new.after_output:
        words = f"{'asks' if new.after_output else 'no longer asks'} again after output had begun"
        yield _Piece("output", words, 2)
    if old.outcome != new.outcome:
        yield _outcome(old.outcome, new.outcome)
    if old.after != new.after:
        yield _Piece("after", f"side effect: {_pair(new.after or 'none', old.after or 'none')}", 4)


def _attempts(old: Parts, new: Parts) -> Iterator[_Piece]:
    if old.attempts == new.attempts:
        return
    change = f"{old.attempts} → {new.attempts} attempt{'' if new.attempts == 1 else 's'}"
    if new.attempts == 0:
        yield _Piece("attempts", f"no longer asked: {change}", 3)
    elif old.attempts == 0:
        yield _Piece("attempts", f"asked all the same: {change}", 3)
    elif new.attempts == 1:
        yield _Piece("attempts", f"no longer retried: {change}", 3)
    elif old.attempts == 1:
        yield _Piece("attempts", f"now retried: {change}", 4)
    else:
        yield _Piece("attempts", f"retried {'less' if new.attempts < old.attempts else 'more'}: {change}", 5)


def _waits(old: Sequence[Span], new: Sequence[Span]) -> Iterator[_Piece]:
    common = min(len(old), len(new))
    before, now = old[:common], new[:common]
    if before == now:
        return
    word = next(word for word, holds in _SHAPES if holds(before, now))
    if word == "capped":
        word = f"capped at {number(max(wait.high for wait in now))} s"
    yield _Piece("waits", f"waits {word}: {spans(old)} → {spans(new)} s", 6)


_Shape = Callable[[Sequence[Span], Sequence[Span]], bool]


def _scaled(by: float) -> _Shape:
    def holds(old: Sequence[Span], new: Sequence[Span]) -> bool:
        ends = [
            (a, b) for one, two in zip(old, new, strict=True) for a, b in ((one.low, two.low), (one.high, two.high))
        ]
        return all(math.isclose(a * by, b, rel_tol=0.01) for a, b in ends)

    return holds


def _random(waits: Sequence[Span]) -> bool:
    return any(wait.low != wait.high for wait in waits)


def _zero(waits: Sequence[Span]) -> bool:
    return all(wait.high == 0 for wait in waits)


def _steps(waits: Sequence[Span]) -> list[float]:
    return [later.high - wait.high for wait, later in itertools.pairwise(waits)]


def _constant(waits: Sequence[Span]) -> bool:
    return len(waits) > 1 and not any(_steps(waits))


def _linear(waits: Sequence[Span]) -> bool:
    steps = _steps(waits)
    return len(steps) > 1 and any(steps) and all(math.isclose(step, steps[0], rel_tol=0.01) for step in steps)


def _capped(old: Sequence[Span], new: Sequence[Span]) -> bool:
    cap = max(wait.high for wait in new)
    return all(two == Span(min(one.low, cap), min(one.high, cap)) for one, two in zip(old, new, strict=True))


_SHAPES: Final[tuple[tuple[str, _Shape], ...]] = (
    ("gone", lambda _, new: _zero(new)),
    ("where there were none", lambda old, _: _zero(old)),
    ("halved", _scaled(0.5)),
    ("doubled", _scaled(2)),
    ("without jitter", lambda old, new: _random(old) and not _random(new)),
    ("with jitter", lambda old, new: _random(new) and not _random(old)),
    (
        "with jitter down to 0",
        lambda old, new: all(wait.low == 0 for wait in new) and not any(wait.low == 0 for wait in old),
    ),
    ("constant", lambda old, new: _constant(new) and not _constant(old)),
    ("growing by the same step", lambda old, new: _linear(new) and not _linear(old)),
    ("capped", _capped),
    ("longer", lambda old, new: all(b.low >= a.low and b.high >= a.high for a, b in zip(old, new, strict=True))),
    ("shorter", lambda old, new: all(b.low <= a.low and b.high <= a.high for a, b in zip(old, new, strict=True))),
    ("other", lambda _old, _new: True),
)


def _outcome(old: str, new: str) -> _Piece:
    if new.startswith(FOREVER):
        return _Piece("outcome", f"{clip(new)} instead of {_doing(old)}", 0)
    if is_success(new):
        weight = 2 if is_success(old) else 1
        said = f"returns {_LIKE_OK}" if new == AS_OK else new
        if new != AS_OK and old.startswith("returns"):
            return _Piece("outcome", f"returns {_pair(new[8:], old[8:])}", weight)
        return _Piece("outcome", f"{clip(said)} instead of {_doing(old)}", weight)
    if new.startswith("raises ") and old.startswith("raises "):
        return _Piece("outcome", _raises(old, new), 2)
    return _Piece("outcome", f"{clip(new)} instead of {_doing(old)}", 2)


def _raises(old: str, new: str) -> str:
    (was, _, was_from), (now, _, now_from) = old[7:].partition(" from "), new[7:].partition(" from ")
    if was != now:
        return f"{clip(new)} instead of {clip(old[7:])}"
    if not now_from:
        return f"raises {now} without its cause {was_from}"
    return f"raises {clip(new[7:])} instead of {f'from {was_from}' if was_from else 'without a cause'}"


def _doing(outcome: str) -> str:
    if outcome == AS_OK:
        return f"returning {_LIKE_OK}"
    verb, _, rest = outcome.partition(" ")
    gerund = {"returns": "returning", "raises": "raising", "waits": "waiting", "spins": "spinning"}.get(verb)
    return clip(f"{gerund} {rest}" if gerund else outcome)


def _pair(new: str, old: str) -> str:
    """Say ``new instead of old``, cut so that both still show where they differ."""
    same = 0
    for one, two in zip(new, old, strict=False):
        if one != two:
            break
        same += 1
    start = same - 20 if same > _SHOWN - 20 else 0
    dots = "..." if start > 0 else ""
    return f"{dots}{clip(new[start:])} instead of {dots}{clip(old[start:])}"
