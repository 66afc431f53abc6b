"""The clients of the judge, each against a route made by hand."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import responses
import respx

from pytest_llmfaults import Answer
from pytest_llmfaults._faults import Fault
from pytest_llmfaults._transports._mocks.routes import as_callback, as_side_effect
from tests.judge import Outcome

from .clients import CLIENTS

Steps = tuple["Fault | str", ...]
Mocked: Any = Callable[[Steps, Answer], contextlib.AbstractContextManager[Callable[[], int]]]
_ANY: Final = re.compile(".*")


@contextlib.contextmanager
def callback(steps: Steps, answer: Answer) -> Iterator[Callable[[], int]]:
    """Answer requests with a callback."""
    with responses.RequestsMock() as mock:
        for method in ("POST", "GET"):
            mock.add_callback(method, _ANY, callback=as_callback(*steps, answer=answer))
        mock.assert_all_requests_are_fired = False
        yield lambda: len(mock.calls)


def side_effect(using: str) -> Mocked:
    """Answer a library of respx with a side effect."""

    @contextlib.contextmanager
    def mocked(steps: Steps, answer: Answer) -> Iterator[Callable[[], int]]:
        with respx.mock(using=using, assert_all_called=False) as router:
            router.route().mock(side_effect=as_side_effect(*steps, answer=answer))
            yield lambda: len(router.calls)

    return mocked


HANDMADE: Final[dict[str, tuple[str, Mocked]]] = {
    "requests": ("requests", callback),
    "requests with Retry": ("requests_retry", callback),
    "httpx": ("httpx", side_effect("httpx")),
    "httpx, httpcore": ("httpx", side_effect("httpcore")),
    "httpx asyncio": ("httpx_asyncio", side_effect("httpcore")),
    "httpx2": ("httpx2", side_effect("httpcore2")),
    "httpx2 asyncio": ("httpx2_asyncio", side_effect("httpcore2")),
    "openai": ("openai", side_effect("httpcore2")),
    "groq": ("groq", side_effect("httpcore")),
}


def by_hand(name: str, steps: Steps, url: str, body: dict[str, Any], answer: Answer, calls: int) -> Any:
    """Run a client against a route made by hand; return how many requests it made, and how each call came out."""
    client, mock = HANDMADE[name]
    with mock(steps, answer) as seen:
        outcomes: list[Outcome] = CLIENTS[client](url, body, calls)
        return seen(), tuple(outcomes)
