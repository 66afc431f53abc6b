"""What the tests of all wires ask a model for: data with a schema, and a call of a tool."""

from __future__ import annotations

from typing import Any, Final, Literal

import pydantic

__all__ = ["DATA", "Action", "Lookup", "Plan"]

DATA: Final[Any] = {"actions": [{"action": "BUY", "ticker": "ACME", "quantity": 2}]}
"""What a ``Plan`` holds."""


class Action(pydantic.BaseModel):
    action: Literal["BUY", "SELL", "HOLD"]
    ticker: str
    quantity: int


class Plan(pydantic.BaseModel):
    actions: list[Action]


class Lookup(pydantic.BaseModel):
    query: str
    limit: int | None = None
