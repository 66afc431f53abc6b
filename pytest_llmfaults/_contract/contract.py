"""What a contract is: each fault with what the code under test does under it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeVar

from pytest_llmfaults._contract.observation import Behaviour

__all__ = ["USUAL_WIRES", "Block", "Contract"]

Value = TypeVar("Value")

USUAL_WIRES: Final = ("openai.chat",)
"""The wires of a file that names none."""


def _nothing() -> Mapping[str, Value]:
    return MappingProxyType({})


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """One behaviour, and the faults and variants that share it.

    Attributes:
        behaviour: the two sentences.
        faults: names and globs, in the order of the file.
        variants: healthy replies with a change, as the lines that spell them.
    """

    behaviour: Behaviour
    faults: tuple[str, ...]
    variants: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What was signed, or what was observed just now.

    Attributes:
        catalogue: the edition of the catalogue: globs mean rows of it, newer rows are not held.
        ok: the sentence of the healthy call.
        interrupt: the sentence of an interrupt inside the transport, or None when that was not observed.
        behaviours: the name of each fault and the line of each variant, with what happens under it.
        removed: names and globs in the file that the installed catalogue no longer has. They are kept until ``stale``
            is signed.
        wires: the wires that the healthy call asks on: globs mean rows that one of them has.
        versions: packages with the versions that all of this holds for. For the reader, never compared.
        editions: the edition of each family of another package that is in it, with the same meaning as ``catalogue``.
    """

    catalogue: int
    ok: str
    interrupt: str | None = None
    behaviours: Mapping[str, Behaviour]
    removed: Mapping[str, Behaviour] = dataclasses.field(default_factory=_nothing)
    wires: tuple[str, ...] = USUAL_WIRES
    versions: Mapping[str, str] = dataclasses.field(default_factory=_nothing)
    editions: Mapping[str, int] = dataclasses.field(default_factory=_nothing)
