"""A chat window: it shows words as they come, and asks again only while nothing was shown."""

import functools
from collections.abc import Iterator
from typing import Any

import openai

MODEL = "gpt-5"
TRIES = 2


@functools.cache
def _client() -> openai.OpenAI:
    return openai.OpenAI(max_retries=0)


class Interrupted(Exception):
    """The answer broke off; what was shown of it stays as it is."""


def _read(chunk: Any) -> tuple[str, bool]:
    """Return the words of a chunk, and whether it names a reason to end.

    The SDK hands on whatever JSON comes in an event, null too: what is no chunk is told here.

    Raises:
        ValueError: it is none.
    """
    try:
        words = "".join(choice.delta.content or "" for choice in chunk.choices)
        return words, any(choice.finish_reason for choice in chunk.choices)
    except (AttributeError, TypeError) as error:
        msg = f"not a chunk of a chat: {chunk!r:.80}"
        raise ValueError(msg) from error


def chat(question: str) -> Iterator[str]:
    """Yield the words of the answer.

    Raises:
        Interrupted: the stream broke, or ended without a reason.
    """
    messages: Any = [{"role": "user", "content": question}]
    shown = False
    for left in reversed(range(TRIES)):
        finished = False
        try:
            with _client().chat.completions.create(model=MODEL, messages=messages, stream=True) as stream:
                for chunk in stream:
                    words, ends = _read(chunk)
                    finished = finished or ends
                    if words:
                        shown = True
                        yield words
        except (openai.APIError, ValueError) as error:
            if shown or not left:
                raise Interrupted from error
        else:
            if finished:
                return
            if shown or not left:
                raise Interrupted
