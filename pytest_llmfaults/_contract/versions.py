"""Which packages a contract was signed with: for the reader, never compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Final

from pytest_llmfaults._request import Request

__all__ = ["versions_of"]

_BY_LIBRARY: Final[Mapping[str, tuple[str, ...]]] = {
    "requests": ("requests", "urllib3"),
    "urllib3": ("urllib3",),
    "httpx": ("httpx",),
    "httpx2": ("httpx2",),
    "aiohttp": ("aiohttp",),
}
_BY_AGENT: Final[Mapping[str, str]] = {
    "openai/python": "openai",
    "asyncopenai/python": "openai",
    "groq/python": "groq",
    "asyncgroq/python": "groq",
    "anthropic/python": "anthropic",
    "asyncanthropic/python": "anthropic",
    "ollama-python": "ollama",
    "boto3/": "boto3",
    "botocore/": "botocore",
    "cohere/": "cohere",
    "litellm": "litellm",
    "pydantic-ai": "pydantic-ai-slim",
}
"""What an SDK calls itself in the header User-Agent, in lower case, and its distribution."""


def versions_of(requests: Iterable[Request]) -> dict[str, str]:
    """Return the version of each package that sent these requests, by the name of its distribution."""
    names: set[str] = set()
    for request in requests:
        names.update(_BY_LIBRARY.get(request.library, ()))
        agent = (request.header("user-agent") or "").lower()
        names.update(name for prefix, name in _BY_AGENT.items() if agent.startswith(prefix))
    return {name: version for name in sorted(names) if (version := _version(name)) is not None}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
