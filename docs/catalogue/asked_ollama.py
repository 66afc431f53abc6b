"""How Ollama's two wires are asked by the official SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from asks import MESSAGES, QUESTION

__all__ = ["asked_of_ollama"]

_ASKED: Final[Mapping[str, Mapping[str, Any]]] = {
    "ollama.chat": {"messages": MESSAGES},
    "ollama.generate": {"prompt": QUESTION},
}


def asked_of_ollama(wire: str, *, streamed: bool = False, **body: Any) -> object:
    """Ask with the official SDK; ``body`` is what the request says besides."""
    import ollama

    with ollama.Client(host="http://127.0.0.1:11434") as client:
        method = getattr(client, wire.partition(".")[2])
        made = method(model="qwen3", stream=streamed, **_ASKED[wire], **body)
        return list(made) if streamed else made
