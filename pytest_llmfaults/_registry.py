"""What a session knows by name: what this package brings, and what other packages and the suite lend it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

__all__ = ["Kind", "Loan", "Loans", "Registry", "lending"]

T = TypeVar("T")

Kind: TypeAlias = Literal["faults", "wires", "dialects", "transports"]


class Loan(NamedTuple):
    """Something lent.

    Attributes:
        value: a fault, a wire, a dialect or a transport.
        origin: who brings it, as a person knows it.
    """

    value: Any
    origin: str


Loans: TypeAlias = "Mapping[Kind, Mapping[str, Loan]]"

_loans: Final[list[Loans]] = [{}]


@contextlib.contextmanager
def lending(loans: Loans) -> Iterator[None]:
    """Lend these, and only these, until the block ends: a session inside another one has its own."""
    _loans.append(loans)
    try:
        yield
    finally:
        _loans.pop()


class Registry(Mapping[str, T], Generic[T]):
    """Names with what they mean: what this package brings first, then what is lent to the session."""

    def __init__(self, kind: Kind, own: Mapping[str, T]) -> None:
        """Know what this package brings."""
        self.own: Mapping[str, T] = MappingProxyType(dict(own))
        self._kind: Kind = kind
        self._made: tuple[Loans | None, Mapping[str, T]] = (None, self.own)

    @property
    def lent(self) -> Mapping[str, Loan]:
        """What is lent now, by name."""
        return _loans[-1].get(self._kind, {})

    def origin(self, name: str) -> str | None:
        """Say who lends what is called so; None is this package, or nobody."""
        loan = self.lent.get(name)
        return None if loan is None else loan.origin

    @property
    def _all(self) -> Mapping[str, T]:
        made, known = self._made
        if made is not _loans[-1]:
            known = {**self.own, **{name: loan.value for name, loan in self.lent.items()}}
            self._made = (_loans[-1], known)
        return known

    def __getitem__(self, name: str) -> T:
        """Return what a name means."""
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._all)

    def __len__(self) -> int:
        """Count the names."""
        return len(self._all)
