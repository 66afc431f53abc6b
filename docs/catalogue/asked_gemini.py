"""How gemini is asked by the official SDK, which has a timeout only where it is given one."""

from __future__ import annotations

from typing import Any, Final

from asks import GEMINI

__all__ = ["asked_of_gemini"]

_TIMEOUT_MILLISECONDS: Final = 30_000


def asked_of_gemini(contents: Any, *, streamed: bool = False, **body: Any) -> object:
    """Ask with the official SDK; ``body`` is what the request says besides."""
    from google import genai

    config: Any = {**body.pop("generationConfig", {}), **body}
    with genai.Client(api_key="placeholder-key", http_options={"timeout": _TIMEOUT_MILLISECONDS}) as client:
        if not streamed:
            return client.models.generate_content(model=GEMINI, contents=contents, config=config)
        return list(client.models.generate_content_stream(model=GEMINI, contents=contents, config=config))
