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
                    for choice in chunk.choices:
                        finished = finished or bool(choice.finish_reason)
                        if choice.delta.content:
                            shown = True
                            yield choice.delta.content
        except (openai.APIError, ValueError) as error:
            if shown or not left:
                raise Interrupted from error
        else:
            if finished:
                return
            if shown or not left:
                raise Interrupted
