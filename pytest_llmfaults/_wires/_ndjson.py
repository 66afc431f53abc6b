r"""Newline-delimited JSON: one event is one line. No word of any provider.

https://github.com/ndjson/ndjson-spec
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from pytest_llmfaults._wires._encoding import Encoding, Event
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["NDJSON"]

_WORDS: Final = {"": "a comment", "event": "the name of an event", "id": "the id of an event"}


def _written(event: Event) -> bytes:
    """Return the line of an event; half a surrogate pair becomes its escape.

    Raises:
        DoesNotApply: it has another line than one of data.
    """
    more = next((field for field, _ in event.lines if field != "data"), None)
    if more is not None or len(event.lines) != 1:
        what = "data on several lines" if more is None else _WORDS.get(more, f"a line of {more}")
        msg = f"it sends {what}, and a stream of newline-delimited JSON has lines of JSON only."
        raise DoesNotApply(msg)
    return f"{event.text}\n".encode(errors="backslashreplace")


def _payloads(body: bytes) -> list[str]:
    """Return the lines that are complete in ``body``, those without anything left out."""
    return list(_read(body))


def _read(body: bytes) -> Iterator[str]:
    *lines, rest = body.decode("utf-8", "replace").split("\n")
    for line in lines:
        if line.strip():
            yield line.removesuffix("\r")
    if _is_json(rest):  # clients read the last line without its line end, too
        yield rest


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


NDJSON: Final = Encoding("newline-delimited JSON", "application/x-ndjson", _written, _payloads)
