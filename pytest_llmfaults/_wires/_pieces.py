"""How a text comes in pieces, on every wire."""

from __future__ import annotations

import itertools
import re
from typing import Final

__all__ = ["pieces"]

_WORDS: Final = re.compile(r"\s*\S+|\s+")
_LEAST_PIECES: Final = 3


def pieces(text: str) -> list[str]:
    """Cut a text into the pieces of a stream; together they are the text."""
    words = _WORDS.findall(text)
    if len(words) >= _LEAST_PIECES:
        return words
    count = min(_LEAST_PIECES, len(text))
    bounds = [len(text) * index // count for index in range(count + 1)] if count else []
    return [text[start:end] for start, end in itertools.pairwise(bounds)]
