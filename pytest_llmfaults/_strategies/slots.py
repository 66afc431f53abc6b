"""Where the slots of a wire are in one healthy envelope."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from types import MappingProxyType

from pytest_llmfaults._faults import Healthy
from pytest_llmfaults._wires import Path, Wire

__all__ = ["slot_paths"]


def slot_paths(base: Healthy) -> Mapping[str, Path]:
    """Return the path of each slot that has one of its own in a healthy envelope, in the wire's order."""
    return _paths(base.wire, (base.whole or base.reply).body)


@functools.lru_cache(maxsize=64)
def _paths(wire: Wire, body: bytes) -> Mapping[str, Path]:
    try:
        envelope = json.loads(body)
    except ValueError:
        envelope = None
    found = {name: slot.find(envelope) for name, slot in wire.slots.items()}
    return MappingProxyType({name: path for name, path in found.items() if path is not None})
