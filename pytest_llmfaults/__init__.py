"""Inject LLM-gateway faults into code under test, and pin what that code does."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pytest_llmfaults._answer import Answer, ToolCall, Usage
    from pytest_llmfaults._consumed import Consumed
    from pytest_llmfaults._faults import Fault, Parameter, fault, faults
    from pytest_llmfaults._inject import Injected, inject
    from pytest_llmfaults._injection import Step
    from pytest_llmfaults._pytest.contract import LLMFaultsContract
    from pytest_llmfaults._pytest.handle import LLMFaults
    from pytest_llmfaults._quota import Quota, quota
    from pytest_llmfaults._reply import Pause, Reply
    from pytest_llmfaults._request import Request
    from pytest_llmfaults._rules import Rule, rules
    from pytest_llmfaults._standing import Violation
    from pytest_llmfaults._strict import Strict, strict
    from pytest_llmfaults._transports._mocks.routes import as_callback, as_side_effect
    from pytest_llmfaults._turns import ToolResult
    from pytest_llmfaults._views import Leg, View
    from pytest_llmfaults._wires import Dialect, Wire
    from pytest_llmfaults.errors import (
        ContractBroken,
        ContractError,
        DoesNotApply,
        InvalidUse,
        LLMFaultsError,
        NeverFired,
        Refused,
        SpinsForever,
        TooManyAttempts,
        UnknownFault,
        Unsupported,
        WaitsForever,
    )

__all__ = [
    "Answer",
    "Consumed",
    "ContractBroken",
    "ContractError",
    "Dialect",
    "DoesNotApply",
    "Fault",
    "Injected",
    "InvalidUse",
    "LLMFaults",
    "LLMFaultsContract",
    "LLMFaultsError",
    "Leg",
    "NeverFired",
    "Parameter",
    "Pause",
    "Quota",
    "Refused",
    "Reply",
    "Request",
    "Rule",
    "SpinsForever",
    "Step",
    "Strict",
    "TooManyAttempts",
    "ToolCall",
    "ToolResult",
    "UnknownFault",
    "Unsupported",
    "Usage",
    "View",
    "Violation",
    "WaitsForever",
    "Wire",
    "as_callback",
    "as_side_effect",
    "fault",
    "faults",
    "inject",
    "quota",
    "rules",
    "strict",
]

_ROOMS: Final = {
    "_answer": ("Answer", "ToolCall", "Usage"),
    "_consumed": ("Consumed",),
    "_faults": ("Fault", "Parameter", "fault", "faults"),
    "_inject": ("Injected", "inject"),
    "_injection": ("Step",),
    "_pytest.contract": ("LLMFaultsContract",),
    "_pytest.handle": ("LLMFaults",),
    "_quota": ("Quota", "quota"),
    "_reply": ("Pause", "Reply"),
    "_request": ("Request",),
    "_rules": ("Rule", "rules"),
    "_standing": ("Violation",),
    "_strict": ("Strict", "strict"),
    "_transports._mocks.routes": ("as_callback", "as_side_effect"),
    "_turns": ("ToolResult",),
    "_views": ("Leg", "View"),
    "_wires": ("Dialect", "Wire"),
    "errors": (
        "ContractBroken",
        "ContractError",
        "DoesNotApply",
        "InvalidUse",
        "LLMFaultsError",
        "NeverFired",
        "Refused",
        "SpinsForever",
        "TooManyAttempts",
        "UnknownFault",
        "Unsupported",
        "WaitsForever",
    ),
}
_HOME: Final = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that installing the plugin costs next to nothing."""
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("pytest-llmfaults")
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted({*globals(), *__all__})
