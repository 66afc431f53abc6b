"""A hand-written reader of a stream: bytes in packets of any size in, words out."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

LINE = re.compile(r"(.*?)(\r\n|\n|\r(?=.))", re.DOTALL)  # a CR at the end may be half a line end


class Unreadable(Exception):
    """The stream broke off, or says what nobody understands."""


def lines(packets: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines that are complete, wherever packets end."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    rest = ""
    for packet in packets:
        rest += decoder.decode(packet)
        end = 0
        for found in LINE.finditer(rest):
            yield found[1]
            end = found.end()
        rest = rest[end:]
    if rest.endswith("\r"):
        yield rest[:-1]


def events(packets: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each event that is complete."""
    data: list[str] = []
    for line in lines(packets):
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []


def words(packets: Iterable[bytes]) -> Iterator[str]:
    """Yield the pieces of the answer.

    Raises:
        Unreadable: the stream broke off, is no stream, or reports an error.
    """
    finished = False
    try:
        for data in events(packets):
            if data == "[DONE]":
                break
            for choice in _choices(json.loads(data)) if data else ():
                finished = finished or bool(choice.get("finish_reason"))
                delta = choice.get("delta")
                text = delta.get("content") if isinstance(delta, dict) else None
                if isinstance(text, str) and text:
                    yield text
    except (ValueError, RecursionError) as error:
        raise Unreadable from error
    if not finished:
        raise Unreadable


def _choices(chunk: Any) -> list[dict[str, Any]]:
    if not isinstance(chunk, dict):
        return []
    if chunk.get("error"):
        raise Unreadable
    choices = chunk.get("choices")
    return [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
