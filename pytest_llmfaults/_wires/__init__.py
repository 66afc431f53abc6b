"""The wires: one module each, data and pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pytest_llmfaults._registry import Registry
from pytest_llmfaults._wires._limits import Allowance, Counted, Limits, Shortage, retry_after
from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Path, Slot, with_value
from pytest_llmfaults._wires._wire import Need, Piece, Stream, Wire
from pytest_llmfaults._wires.anthropic_messages import ANTHROPIC_MESSAGES
from pytest_llmfaults._wires.gemini import GEMINI
from pytest_llmfaults._wires.ollama_chat import OLLAMA_CHAT
from pytest_llmfaults._wires.ollama_generate import OLLAMA_GENERATE
from pytest_llmfaults._wires.openai_chat import OPENAI_CHAT
from pytest_llmfaults._wires.openai_responses import OPENAI_RESPONSES
from pytest_llmfaults.errors import InvalidUse, nearest

__all__ = [
    "ABSENT",
    "FOREIGN_ROUTES",
    "UNSAID",
    "WIRES",
    "Allowance",
    "Counted",
    "Limits",
    "Need",
    "Path",
    "Piece",
    "Shortage",
    "Slot",
    "Stream",
    "Wire",
    "retry_after",
    "wire",
    "wire_at",
    "with_value",
]

WIRES: Final[Registry[Wire]] = Registry(
    "wires",
    {
        one.name: one
        for one in (
            OPENAI_CHAT,
            ANTHROPIC_MESSAGES,
            OPENAI_RESPONSES,
            GEMINI,
            OLLAMA_CHAT,
            OLLAMA_GENERATE,
        )
    },
)

FOREIGN_ROUTES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "/v1/messages/count_tokens": "anthropic.count_tokens",
        "/v1/messages/batches": "anthropic.batches",
        "/responses/compact": "openai.responses.compact",
        "/responses/input_tokens": "openai.responses.input_tokens",
        "/embeddings": "openai.embeddings",
        "/completions": "openai.completions",
        ":countTokens": "gemini.count_tokens",
        ":embedContent": "gemini.embed_content",
        "/converse": "bedrock.converse",
        "/converse-stream": "bedrock.converse",
        "/api/embed": "ollama.embed",
        "/api/embeddings": "ollama.embed",
        "/v2/chat": "cohere.chat",
    }
)
"""Path endings of wires that this edition cannot speak yet: a request there is refused by the wire's name."""


def wire(name: str) -> Wire:
    """Return the wire called ``name``.

    Raises:
        InvalidUse: there is no such wire.
    """
    try:
        return WIRES[name]
    except KeyError:
        msg = f"wire={name!r} is not a wire.{nearest(name, WIRES)} Known wires: {', '.join(sorted(WIRES))}."
        raise InvalidUse(msg) from None


def wire_at(path: str) -> str | None:
    """Return the name of the wire that has this path; of two endings the longer one counts. None is no wire."""
    found = [
        (len(ending), name) for name, one in WIRES.items() for ending in one.routes if path.rstrip("/").endswith(ending)
    ]
    return max(found, key=lambda one: one[0])[1] if found else None
