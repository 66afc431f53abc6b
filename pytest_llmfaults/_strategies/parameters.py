"""Values for the parameters of faults: the default first, both ends, and round numbers between them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_llmfaults._faults import Fault, Parameter
from pytest_llmfaults._strategies.draw import scaled
from pytest_llmfaults._strategies.weights import reports

__all__ = ["degrees", "ladder"]

_MOST: Final[Mapping[str, int]] = {"megabytes": 1, "depth": 20_000, "characters": 100_000, "lines": 100, "count": 4096}
"""The greatest value drawn where a greater one makes an example slow."""
_STEPS: Final = (1, 2, 3, 5, 7)
_FEW: Final = 32
_PLAIN: Final = 3
"""How often a fault comes with its defaults, where each other value comes once."""
_WEIGHTS: Final = (1, 2, 3)


def ladder(parameter: Parameter) -> tuple[Any, ...]:
    """Return values of a parameter's domain, the default first."""
    if parameter.choices:
        found: list[Any] = list(parameter.choices)
    elif isinstance(parameter.default, int):
        found = _integers(int(parameter.minimum), int(parameter.maximum))
    else:
        found = _floats(parameter.minimum, parameter.maximum)
    most = _MOST.get(parameter.name, math.inf)
    kept = [value for value in (parameter.default, *sorted(set(found))) if isinstance(value, str) or value <= most]
    return tuple(dict.fromkeys(kept))


def _integers(low: int, high: int) -> list[Any]:
    return list(range(low, high + 1)) if high - low < _FEW else [*_round(low, high), low, high]


def _floats(low: float, high: float) -> list[Any]:
    parts = range(math.ceil(low * 20), math.floor(high * 20) + 1) if high <= 1 else ()
    return [*(part / 20 for part in parts), *map(float, _round(low, high)), float(low), float(high)]


def _round(low: float, high: float) -> list[int]:
    found = [step * 10**power for power in range(9) for step in _STEPS]
    return [number for number in found if low <= number <= high]


def degrees(rows: list[Fault], wire: str) -> SearchStrategy[Fault]:
    """Draw one of these faults, as often as it is reported, with values for its parameters."""
    weighed: list[tuple[Fault, ...]] = []
    for row in rows:
        here, elsewhere = reports(row.name, wire)
        weighed += [tuple(_values(row))] * (_WEIGHTS[2] if here else _WEIGHTS[1] if elsewhere else _WEIGHTS[0])

    def made(data: bytes) -> Fault:
        return scaled(data[2], 8, scaled(data[0] << 8 | data[1], 16, weighed))

    return st.binary(min_size=3, max_size=3).map(made)


def _values(row: Fault) -> list[Fault]:
    """Return the fault with each choice of values, the plain one first."""
    found = [row]
    for parameter in row.parameters:
        values = ladder(parameter)
        if values[0] == parameter.default:
            found += [one.with_values({parameter.name: value}) for one in found for value in values[1:]]
        else:
            found = [one.with_values({parameter.name: value}) for one in found for value in values]
    return found if len(found) == 1 else [found[0]] * _PLAIN + found[1:]
