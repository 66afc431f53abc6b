"""One call of a client under one fault, reduced to what can be compared."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import math
import random
from collections.abc import Callable
from typing import Any, Final

from asks import ANSWERS, Kind, kind_for
from readers import Parts, raised
from subjects import Subject

from pytest_llmfaults import Answer, Fault, Refused, Request, WaitsForever, inject
from pytest_llmfaults._current import find

__all__ = ["Seen", "compared", "kind_of", "observe"]

_DONE: Final = Answer("Done.")
_LONGEST: Final = 40
_WHOLE_SECONDS_FROM: Final = 5
_DUST_SECONDS: Final = 0.001
_BEFORE: Final = 8
_ABSENT: Final = object()


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """What a client did.

    Attributes:
        attempts: requests that left it.
        waits: seconds of virtual time between them.
        took: seconds of virtual time in all.
        parts: what it handed to its caller, or ``{"raises": class}``.
    """

    attempts: int
    waits: tuple[float, ...]
    took: float
    parts: Parts


def kind_of(subject: Subject, fault: Fault | None) -> Kind:
    """Choose the kind of request to make."""
    kind = kind_for(fault) if fault is not None else subject.kinds[0]
    return kind if kind in subject.kinds else subject.kinds[0]


def observe(subject: Subject, fault: Fault | None, kind: Kind) -> Seen | None:
    """Call a client while a fault persists; None is the healthy reply.

    Returns:
        What it did, or None when the fault does not apply to its request.
    """
    step = fault or "ok"
    state = random.getstate()
    random.seed(0)
    try:
        with inject(_first_turn(step) if subject.turns else step, answer=ANSWERS[kind]) as seen:
            parts = _outcome(subject, kind)
            if "forever" in seen.outcomes:  # gather(return_exceptions=True) makes a value of what says so
                parts = {"waits": "for ever"}
            run = find()
            took = run.clock.seconds if run is not None else 0.0
    except Refused as refusal:
        if "does not apply" not in str(refusal):
            raise
        return None
    finally:
        random.setstate(state)
    return Seen(seen.attempts, tuple(map(_steady, seen.waits)), _steady(took), parts)


def _steady(seconds: float) -> float:
    """Round seconds so that they do not depend on the moment: a wait for an HTTP date ends on a whole second."""
    return round(seconds, 1) if seconds < _WHOLE_SECONDS_FROM else math.ceil(seconds - _DUST_SECONDS)


def _first_turn(step: Fault | str) -> Callable[[Request], Any]:
    """Play a step until the client comes back with the result of a tool; then the model is done."""
    return lambda request: _DONE if any(one.get("role") == "tool" for one in request.field("messages")) else step


def _outcome(subject: Subject, kind: Kind) -> Parts:
    try:
        return subject.call(kind)
    except WaitsForever:
        return {"waits": "for ever"}
    except Exception as error:  # noqa: BLE001 - whatever escapes is what is observed
        return raised(error)


def compared(parts: Parts, healthy: Parts) -> str:
    """Say in a few words what a caller gets: ``ok`` when it is the same as on the healthy reply."""
    changes = [
        _change(name, value, healthy.get(name, _ABSENT))
        for name, value in parts.items()
        if name not in healthy or not _same(value, healthy[name])
    ]
    return ", ".join(changes) or "ok"


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and repr(one) == repr(other)


def _change(name: str, value: Any, healthy: Any) -> str:
    """Say what is different, at the first place where it is; the digest of the whole keeps it apart from others."""
    whole = _line(value)
    while True:
        found = _first_difference(value, healthy)
        if found is None:
            break
        key, value, healthy = found
        name = f"{name}.{key}"
    shown = _short(_line(value), _line(healthy) if isinstance(healthy, str) else "")
    digest = hashlib.blake2b(whole.encode(), digest_size=3).hexdigest()
    return f"{name} {shown}" if shown == whole else f"{name} {shown} #{digest}"


def _first_difference(value: Any, healthy: Any) -> tuple[Any, Any, Any] | None:
    """Return key, value and healthy value of the first member that differs; None where the whole does."""
    if isinstance(value, dict) and isinstance(healthy, dict) and list(value) == list(healthy):
        pairs = [(key, value[key], healthy[key]) for key in value]
    elif isinstance(value, list) and isinstance(healthy, list) and len(value) == len(healthy):
        pairs = [(key, *pair) for key, pair in enumerate(zip(value, healthy, strict=True))]
    else:
        return None
    return next((pair for pair in pairs if not _same(*pair[1:])), None)


def _short(text: str, healthy: str) -> str:
    """Cut a long text, to what starts shortly before the first difference."""
    common = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(text, healthy, strict=False))
    start = sum(1 for _ in common) - _BEFORE
    shown = text if start < _LONGEST // 2 else f"...{text[start:]}"
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


def _line(value: Any) -> str:
    """Return a value in one line of ASCII; a text whose ends cannot be seen is quoted."""
    if isinstance(value, str) and value.strip() == value != "":
        return value.encode("unicode_escape").decode()
    return ascii(value)
