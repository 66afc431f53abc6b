"""Hypothesis at work for a contract: variants one after the other, each to be looked at; and the smallest that tells.

``fuzzed`` looks for one, keeps it in the example database and shrinks it; ``drawn`` only draws.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Generator
from typing import Final

import hypothesis
from hypothesis import Phase
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from pytest_llmfaults._strategies.inside_out import Ask, inside_out
from pytest_llmfaults._strategies.variant import Variant

__all__ = ["Effort", "Looking", "drawn", "fuzzed"]

Looking = Generator[Variant, bool, Variant | None]
"""Yields a variant, takes whether it is what is looked for, and returns the smallest that is."""

_PHASES: Final = (Phase.reuse, Phase.generate, Phase.target, Phase.shrink)
"""Those that make sense here: an explanation traces code, and the code under test runs in another thread."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How hard to look.

    Attributes:
        examples: how many variants are drawn; None is what the profile of Hypothesis says.
        same: whether each run draws the same, and nothing is kept.
        key: what the example database keeps a finding under.
    """

    examples: int | None = None
    same: bool = False
    key: bytes = b""


def fuzzed(strategy: SearchStrategy[Variant], effort: Effort) -> Looking:
    """Look for a variant, as the profile in force says, and shrink it."""
    profile = hypothesis.settings()
    settings = hypothesis.settings(
        profile,
        max_examples=effort.examples or profile.max_examples,
        deadline=None,
        phases=[phase for phase in _PHASES if phase in profile.phases],
        derandomize=profile.derandomize or effort.same,
        database=None if effort.same else profile.database,
    )
    return _found(strategy, settings, None, effort.key)


def drawn(strategy: SearchStrategy[Variant], examples: int, seed: int) -> Looking:
    """Draw variants by a seed, and nothing else."""
    settings = hypothesis.settings(
        max_examples=examples, deadline=None, phases=[Phase.generate], database=None, derandomize=False
    )
    return _found(strategy, settings, random.Random(seed), b"")  # noqa: S311 - that it is the same is the point


def _found(
    strategy: SearchStrategy[Variant], settings: hypothesis.settings, chance: random.Random | None, key: bytes
) -> Looking:
    """Look in a thread of its own; the settings were read in this one, whose profile they are."""

    def look(ask: Ask[Variant]) -> Variant | None:
        try:
            return hypothesis.find(strategy, ask, settings=settings, random=chance, database_key=key)
        except NoSuchExample:
            return None

    return inside_out(look)
