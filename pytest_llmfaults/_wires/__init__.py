"""The wires: one module each, data and pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeVar

from pytest_llmfaults._registry import Registry
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._dialect import Dialect, in_dialect
from pytest_llmfaults._wires._hosts import host_matches
from pytest_llmfaults._wires._limits import Allowance, Counted, Limits, Shortage, retry_after
from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Path, Slot, with_value
from pytest_llmfaults._wires._wire import Need, Piece, Stream, Wire
from pytest_llmfaults._wires.anthropic_messages import ANTHROPIC_MESSAGES
from pytest_llmfaults._wires.bedrock_converse import BEDROCK_CONVERSE
from pytest_llmfaults._wires.cohere_chat import COHERE_CHAT
from pytest_llmfaults._wires.gemini import GEMINI
from pytest_llmfaults._wires.mistral_chat import MISTRAL_CHAT
from pytest_llmfaults._wires.ollama_chat import OLLAMA_CHAT
from pytest_llmfaults._wires.ollama_generate import OLLAMA_GENERATE
from pytest_llmfaults._wires.openai_chat import OPENAI_CHAT
from pytest_llmfaults._wires.openai_chat_dialects import DIALECTS as _OF_OPENAI_CHAT
from pytest_llmfaults._wires.openai_embeddings import OPENAI_EMBEDDINGS
from pytest_llmfaults._wires.openai_responses import OPENAI_RESPONSES
from pytest_llmfaults.errors import InvalidUse, nearest

__all__ = [
    "ABSENT",
    "DIALECTS",
    "FOREIGN_ROUTES",
    "UNSAID",
    "WIRES",
    "Allowance",
    "Counted",
    "Dialect",
    "Limits",
    "Need",
    "Path",
    "Piece",
    "Shortage",
    "Slot",
    "Stream",
    "Wire",
    "dialect",
    "dialect_at",
    "in_dialect",
    "retry_after",
    "spoken",
    "wire",
    "wire_at",
    "with_value",
]

T = TypeVar("T")

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
            BEDROCK_CONVERSE,
            COHERE_CHAT,
            OPENAI_EMBEDDINGS,
            MISTRAL_CHAT,
        )
    },
)

DIALECTS: Final[Registry[Dialect]] = Registry("dialects", {one.name: one for one in _OF_OPENAI_CHAT})
"""How hosts speak wires; none of them is a wire."""

FOREIGN_ROUTES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "/v1/messages/count_tokens": "anthropic.count_tokens",
        "/v1/messages/batches": "anthropic.batches",
        "/responses/compact": "openai.responses.compact",
        "/responses/input_tokens": "openai.responses.input_tokens",
        "/completions": "openai.completions",
        ":countTokens": "gemini.count_tokens",
        ":embedContent": "gemini.embed_content",
        "/invoke-with-response-stream": "bedrock.invoke_model",
        "/api/embed": "ollama.embed",
        "/api/embeddings": "ollama.embed",
    }
)
"""Path endings of wires that this edition cannot speak yet: a request there is refused by the wire's name."""


def wire(name: str) -> Wire:
    """Return the wire called ``name``.

    Raises:
        InvalidUse: there is no such wire.
    """
    return _known("wire", name, WIRES)


def wire_at(path: str, host: str = "") -> str | None:
    """Return the name of the wire that has this path on this host, or None.

    A wire that names the host counts before one that is on any; then of two endings the longer one. A path that is
    known to be of another provider is none of ours, though it ends as one of ours does; others' wires are asked first.
    """
    path = path.rstrip("/")
    found = [
        (_names(one.hosts, host), len(ending), name)
        for name, one in WIRES.items()
        if not one.hosts or _names(one.hosts, host)
        for ending in one.routes
        if path.endswith(ending)
    ]
    if not found:
        return None
    _, length, name = max(found, key=lambda one: one[:2])
    foreign = max((len(ending) for ending in FOREIGN_ROUTES if path.endswith(ending)), default=0)
    return None if foreign > length and name not in WIRES.lent else name


def _names(hosts: tuple[str, ...], host: str) -> bool:
    return any(host_matches(pattern, host) for pattern in hosts)


def dialect(name: str) -> Dialect:
    """Return the dialect called ``name``.

    Raises:
        InvalidUse: there is no such dialect.
    """
    return _known("dialect", name, DIALECTS)


def _known(kind: str, name: str, among: Mapping[str, T]) -> T:
    if name not in among:
        known = ", ".join(sorted(among))
        msg = f"{kind}={name!r} is not a {kind}.{nearest(name, among)} Known {kind}s: {known}."
        raise InvalidUse(msg)
    return among[name]


def dialect_at(wire: str, host: str, said: Iterable[tuple[str, str]] = ()) -> str:
    """Return the name of the dialect in which this host speaks a wire; empty is none.

    Args:
        wire: the wire's name.
        host: the host.
        said: hosts, ``*`` for any, with the names of their dialects: they count before what is known.
    """
    known = ((pattern, name) for name, one in DIALECTS.items() for pattern in one.hosts)
    return next(
        (
            name
            for pattern, name in (*said, *known)
            if DIALECTS[name].wire == wire and (pattern == "*" or host_matches(pattern, host))
        ),
        "",
    )


def spoken(request: Request) -> Wire:
    """Return the wire of a request, in the dialect that it is in.

    Raises:
        KeyError: it is on no wire.
    """
    of = WIRES[request.wire or ""]
    return in_dialect(of, DIALECTS[request.dialect]) if request.dialect else of
