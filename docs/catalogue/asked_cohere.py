"""How cohere.chat is asked by the official SDK."""

from __future__ import annotations

from typing import Any, Final

from asks import MESSAGES

__all__ = ["COHERE", "asked_of_cohere"]

COHERE: Final = "command-a-03-2025"


def asked_of_cohere(messages: Any = MESSAGES, *, streamed: bool = False, **body: Any) -> object:
    """Ask with the official SDK; ``body`` is what the request says besides."""
    import cohere

    with cohere.ClientV2(api_key="placeholder-key", base_url="https://api.cohere.com") as client:
        if not streamed:
            return client.chat(model=COHERE, messages=messages, **body)
        return list(client.chat_stream(model=COHERE, messages=messages, **body))
