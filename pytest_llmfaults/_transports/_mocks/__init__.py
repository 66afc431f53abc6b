"""Mocks and cassettes that stand above the connection: an injection goes past them, to the memory transport.

A mock library is never imported here: a suite that does not use it pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pytest_llmfaults._transports._mocks import _responses, _respx, _vcr
from pytest_llmfaults._transports._table import Table

__all__ = ["MOCKS"]

MOCKS: Final[dict[str, Callable[[], Table]]] = {
    "responses": _responses.table,
    "respx": _respx.table,
    "vcr": _vcr.table,
}
"""Makes the table of each library, once that is imported."""
