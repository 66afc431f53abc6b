"""The requests that Ollama's SDK makes, for the faults that reports on its wires are named by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from asks import ANSWERS, ASKS, MESSAGES, QUESTION, kind_for

from pytest_llmfaults import Answer, Fault

__all__ = ["WIRES", "calls_for"]

_ASKED: Final[Mapping[str, Mapping[str, Any]]] = {
    "ollama.chat": {"messages": MESSAGES},
    "ollama.generate": {"prompt": QUESTION},
}
WIRES: Final = frozenset(_ASKED)


def calls_for(row: Fault, wire: str, *, streamed: bool) -> Iterable[tuple[Callable[[], object], Answer]]:
    """Make the call that may carry a fault, and the answer that its healthy reply holds."""
    import ollama

    kind = kind_for(row)
    method = getattr(ollama.Client(host="http://127.0.0.1:11434"), wire.partition(".")[2])

    def ask() -> object:
        made = method(model="qwen3", stream=streamed, **_ASKED[wire], **ASKS[wire][kind])
        return list(made) if streamed else made

    yield ask, ANSWERS[kind]
