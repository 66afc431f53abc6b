"""The ends of what is random: the generator is made to draw its lowest, then its highest.

No sampling: a halved, dropped or linear backoff moves the ends for certain.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

__all__ = ["Draws", "draws"]

Draws: TypeAlias = Literal["low", "high"]

_WORDS: Final = 624
_CRAFTED: Final = 600
_WORD_MASK: Final = 0xFFFFFFFF


def _untempered(output: int) -> int:
    """Return the word of the generator's state that comes out as ``output`` (its tempering, undone)."""
    word = output
    word ^= word >> 18
    word ^= (word << 15) & 0xEFC60000
    undone = word
    for _ in range(5):
        undone = word ^ ((undone << 7) & 0x9D2C5680)
    word = undone
    for _ in range(3):
        undone = word ^ (undone >> 11)
    return undone & _WORD_MASK


def _state(output: int) -> tuple[int, tuple[int, ...], None]:
    crafted = (_untempered(output),) * _CRAFTED
    version, ordinary, _ = random.Random(20_260_101).getstate()  # noqa: S311 - the tail lets rejection loops end
    return version, (*crafted, *ordinary[_CRAFTED:_WORDS], 0), None


_STATES: Final = {"low": _state(0), "high": _state(_WORD_MASK)}


_SCHEDULERS: Final = (("trio._core._run", "_r"),)
"""Generators that decide which of several tasks runs first: they are made to decide the same each time."""


def _schedulers() -> list[random.Random]:
    found = (getattr(sys.modules.get(module), name, None) for module, name in _SCHEDULERS)
    return [one for one in found if isinstance(one, random.Random)]


@contextlib.contextmanager
def draws(end: Draws) -> Iterator[None]:
    """Let every draw of the module ``random`` be the lowest or the highest in this block, and put its state back.

    Reaches everything that uses the shared generator, also by ``from random import random``. A generator of its own
    (``random.Random()``, numpy's) is out of reach; two runs with the same end then differ.

    Args:
        end: ``low`` (0.0) or ``high`` (just under 1.0).
    """
    before = random.getstate()
    schedulers = [(one, one.getstate()) for one in _schedulers()]
    random.setstate(_STATES[end])
    for one, _ in schedulers:
        one.seed(0)
    try:
        yield
    finally:
        random.setstate(before)
        for one, state in schedulers:
            one.setstate(state)
