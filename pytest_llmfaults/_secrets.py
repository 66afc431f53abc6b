"""Keys stay out of everything that a person or a file gets to see."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

__all__ = ["MASK", "masked_headers", "masked_url"]

MASK: Final = "***"
_SECRET_NAME: Final = re.compile(r"auth|key|token|secret|cookie|credential|signature|password|session", re.IGNORECASE)


def masked_headers(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the headers with the value of every one that may hold a secret replaced."""
    return tuple((name, MASK if _SECRET_NAME.search(name) else value) for name, value in headers)


def masked_url(url: str) -> str:
    """Return the URL without user info and with secret query values replaced."""
    if "?" not in url and "@" not in url:
        return url
    parts = urlsplit(url)
    query = urlencode(
        [
            (name, MASK if _SECRET_NAME.search(name) else value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
        ],
        safe="*",
    )
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=query))
