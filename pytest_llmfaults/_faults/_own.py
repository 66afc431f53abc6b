"""The modules whose rows only some wires have a place for, in the order of the catalogue."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._faults import (
    blocks,
    converse,
    embedding,
    frames,
    items,
    lines,
    parts,
    plan,
    stop,
    stream_blocks,
    stream_items,
)

__all__ = ["MODULES"]

MODULES: Final = (blocks, stop, stream_blocks, items, stream_items, lines, parts, frames, converse, plan, embedding)
