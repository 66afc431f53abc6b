"""The wire ``openai.embeddings``: POST .../embeddings.

The reply has one vector for each input, as a list of numbers or as base64 of little-endian 32-bit floats, whichever the
request asks for; the official SDK asks for base64 and decodes it. A request never asks for a stream.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import math
import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._request import Asks, Request
from pytest_llmfaults._wires._slot import Slot, at
from pytest_llmfaults._wires._wire import Wire
from pytest_llmfaults._wires.openai_chat import OPENAI_CHAT
from pytest_llmfaults._wires.openai_limits import LIMITS

__all__ = ["OPENAI_EMBEDDINGS", "decoded", "encoded", "vector"]

_MODEL: Final = "text-embedding-3-small"
_DIMENSIONS: Final[Mapping[str | None, int]] = {"text-embedding-3-large": 3072}
_DIMENSION: Final = 1536
"""Of the other models."""

_WORD: Final = re.compile(r"\w+")

_SLOTS: Final[Mapping[str, Slot]] = {
    "object": at("object"),
    "data": at("data"),
    "item": at("data", 0),
    "index": at("data", 0, "index"),
    "embedding": at("data", 0, "embedding"),
    "model": at("model"),
    "usage": at("usage"),
    "usage_prompt": at("usage", "prompt_tokens"),
    "usage_total": at("usage", "total_tokens"),
    "error": at("error"),
}


def vector(text: str, dimension: int) -> tuple[float, ...]:
    """Return the vector of a text: of length one, the same for the same text.

    It is the sum of a vector for each word, which is made of the word's SHAKE-256, so texts that share words are near
    and others are not. Its numbers are 32-bit floats, and its beginning has the direction of the shorter one's.

    Args:
        text: the text; one without any word is taken whole.
        dimension: how many numbers.
    """
    words = _WORD.findall(text.lower()) or [text]
    total = [sum(numbers) for numbers in zip(*(_word(word, dimension) for word in words), strict=True)]
    length = math.hypot(*total)
    return _rounded([number / length for number in total])


@functools.lru_cache(maxsize=256)
def _word(word: str, dimension: int) -> tuple[int, ...]:
    """Return odd numbers, of which no sum of one word is zero."""
    digest = hashlib.shake_256(word.encode(errors="backslashreplace")).digest(2 * dimension)
    return tuple(number | 1 for number in struct.unpack(f"<{dimension}h", digest))


def _rounded(numbers: Sequence[float]) -> tuple[float, ...]:
    return struct.unpack(f"<{len(numbers)}f", struct.pack(f"<{len(numbers)}f", *numbers))


def encoded(numbers: Sequence[float]) -> str:
    """Return numbers as base64 of little-endian 32-bit floats."""
    return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()


def decoded(embedding: Any) -> list[float]:
    """Return the numbers of a healthy vector in either format."""
    if not isinstance(embedding, str):
        return list(embedding)
    data = base64.b64decode(embedding)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def _inputs(request: Request) -> list[str]:
    """Return the inputs as texts: one, several, or what is given as tokens."""
    given = request.field("input")
    if isinstance(given, list) and not all(isinstance(one, int) for one in given):
        return [one if isinstance(one, str) else _tokens(one) for one in given]
    return [given if isinstance(given, str) else _tokens(given)]


def _tokens(given: Any) -> str:
    return " ".join(map(str, given)) if isinstance(given, list) else str(given)


def _vectors(request: Request, answer: Answer) -> list[Sequence[float]]:
    asked = request.field("dimensions")
    given = answer.embeddings
    usual = len(next(iter(given.values()))) if given else _DIMENSIONS.get(request.model, _DIMENSION)
    dimension = asked if isinstance(asked, int) and asked > 0 else usual
    return [given[text] if text in given else vector(text, dimension) for text in _inputs(request)]


def _envelope(request: Request, answer: Answer) -> dict[str, Any]:
    write = encoded if request.field("encoding_format") == "base64" else list
    prompt = answer.usage.prompt
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": write(numbers)}
            for index, numbers in enumerate(_vectors(request, answer))
        ],
        "model": request.model or _MODEL,
        "usage": {"prompt_tokens": prompt, "total_tokens": prompt},
    }


OPENAI_EMBEDDINGS: Final = Wire(
    name="openai.embeddings",
    routes=("/embeddings",),
    recognises=lambda request: "input" in (request.json or {}),
    slots=_SLOTS,
    envelope=_envelope,
    data_slot=lambda _request: "content",
    wants_data=lambda _request, _data: None,
    offered=lambda _request: {},
    error=OPENAI_CHAT.error,
    headers=OPENAI_CHAT.headers,
    environment={},
    optional={},
    example={"model": _MODEL, "input": ["What now?", "And then?"], "dimensions": 8},
    source="https://platform.openai.com/docs/api-reference/embeddings/object",
    limits=LIMITS,
    asks=Asks(stream=lambda _request: False, how="nothing that this wire has", messages=lambda _request: None),
)
