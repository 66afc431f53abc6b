"""Host names and patterns of them: ``api.example.com``, or ``*.example.com`` for its subdomains."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["HOST", "host_matches"]

HOST: Final = re.compile(r"(\*\.)?[^\s/*?#@:]+|[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*", re.IGNORECASE)
"""A name, one with ``*.`` before it, or an address of IPv6, which has two colons or more."""


def host_matches(pattern: str, host: str) -> bool:
    """Tell whether a host is one of a pattern; case does not matter in the pattern."""
    pattern = pattern.lower()
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern
