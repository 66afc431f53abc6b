"""The most tokens that a request allows, wherever the request says it."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._slot import Path, value_at

__all__ = ["budget"]

_PLACES: Final[tuple[Path, ...]] = (
    ("max_completion_tokens",),
    ("max_tokens",),
    ("max_output_tokens",),
    ("options", "num_predict"),
)
_UNSAID: Final = 4096


def budget(request: Request) -> int:
    """Return the number of tokens; where the request says none, a usual one."""
    given = (value_at(request.json, place) for place in _PLACES)
    return next((value for value in given if isinstance(value, int)), _UNSAID)
