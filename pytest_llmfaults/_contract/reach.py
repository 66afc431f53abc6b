"""Which rows a file is about: the wires, and the editions of families that other packages bring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomlkit

from pytest_llmfaults._contract.contract import USUAL_WIRES, Contract
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import ContractError

__all__ = ["editions", "lines", "wires"]


def lines(contract: Contract) -> list[str]:
    """Return the lines of the file that say it; none where all is as usual."""
    found = []
    if contract.editions:
        pairs = ", ".join(f"{family} = {edition}" for family, edition in sorted(contract.editions.items()))
        found.append(f"editions = {{ {pairs} }}  # of families that other packages bring, likewise")
    if contract.wires != USUAL_WIRES:
        names = ", ".join(tomlkit.string(name).as_string() for name in contract.wires)
        found.append(f"wires = [{names}]  # faults of other wires are not held")
    return found


def wires(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Read the wires.

    Raises:
        ContractError: they are no list, or one is not known.
    """
    found = data.get("wires", list(USUAL_WIRES))
    if not isinstance(found, list) or not found or not all(isinstance(one, str) and one in WIRES for one in found):
        msg = (
            f"wires = {found!r} is not a list of wires. Known wires: {', '.join(sorted(WIRES))}. "
            "A wire of another package is known where that package, or the conftest.py with its hook, is loaded."
        )
        raise ContractError(msg)
    return tuple(found)


def editions(data: Mapping[str, Any]) -> dict[str, int]:
    """Read the editions of families that other packages bring; one that is gone, or older now, is no error.

    Raises:
        ContractError: they are no table of numbers.
    """
    found = data.get("editions", {})
    if not isinstance(found, dict) or not all(type(one) is int and one >= 1 for one in found.values()):
        msg = f"editions = {found!r} does not read {{ family = number }}, such as {{ acme = 1 }}."
        raise ContractError(msg)
    return found
