"""What a healthy stream costs through the openai SDK beside a bare mock that yields per event, in one process.

Both sides send the very same bytes, one event at a time, and the SDK parses each of them. Rounds alternate, so that
both meet the same weather. Of each round the quickest call counts; printed are the medians of rounds in milliseconds of
CPU, the median of their ratios, and the ratio of the quickest calls of all. A stream that was asked for before is kept;
so one more line is for requests that differ each time.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import httpx2
import openai

from pytest_llmfaults import Answer, Pause, inject

EVENTS = 1000
LIMIT = 1.5
ANSWER = Answer(" ".join(f"word{number}" for number in range(EVENTS - 2)))
"""A chunk with the role comes before the words, and one with the reason behind them."""

_NUMBERS = itertools.count()

Call = Callable[[], int]


def reading(client: openai.OpenAI, *, anew: bool = False) -> Call:
    """Return a call that asks for a stream, reads it to its end, and says how many chunks there were.

    Args:
        client: who asks.
        anew: whether each call asks for something else.
    """

    def call() -> int:
        question = f"hello {next(_NUMBERS) if anew else ''}"
        stream = client.chat.completions.create(
            model="gpt-5", messages=[{"role": "user", "content": question}], stream=True
        )
        return sum(1 for _ in stream)

    return call


def healthy_events() -> list[bytes]:
    """Return the very bytes that an injected call gets, one item an event."""
    with inject(ANSWER) as seen, openai.OpenAI(api_key="k") as client:
        reading(client)()
    return [chunk for chunk in seen.replies[0].chunks if not isinstance(chunk, Pause)]


class Events(httpx2.SyncByteStream):
    """A body that yields per event."""

    def __init__(self, events: list[bytes]) -> None:
        """Take what to yield."""
        self.events = events

    def __iter__(self) -> Iterator[bytes]:
        """Yield."""
        yield from self.events


@contextmanager
def mocked(events: list[bytes]) -> Iterator[Call]:
    """Yield a call over a bare MockTransport."""
    headers = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda _request: httpx2.Response(200, stream=Events(events), headers=headers))
    with httpx2.Client(transport=transport) as http, openai.OpenAI(api_key="k", http_client=http) as client:
        yield reading(client)


@contextmanager
def injected(*, anew: bool) -> Iterator[Call]:
    """Yield a call that meets an injection."""
    with inject(ANSWER), openai.OpenAI(api_key="k") as client:
        yield reading(client, anew=anew)


def measure(call: Call, calls: int) -> float:
    """Return milliseconds of CPU a call, the least of a round."""
    found = []
    gc.collect()
    for _ in range(calls):
        start = time.process_time()
        assert call() == EVENTS
        found.append(time.process_time() - start)
    return min(found) * 1e3


def compare(events: list[bytes], rounds: int, calls: int) -> list[dict[str, object]]:
    """Alternate rounds of all sides and return medians and ratios."""
    sides: dict[str, Callable[[], AbstractContextManager[Call]]] = {
        "bare": lambda: mocked(events),
        "asked again": lambda: injected(anew=False),
        "asked anew": lambda: injected(anew=True),
    }
    took: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, side in sides.items():
            with side() as call:
                call()
                milliseconds = measure(call, calls)
                if number:  # the first round warms up
                    took[name].append(milliseconds)
    bare = took.pop("bare")
    return [
        {
            "case": name,
            "mock_ms": round(statistics.median(bare), 1),
            "injected_ms": round(statistics.median(ours), 1),
            "ratio": round(statistics.median(mine / other for mine, other in zip(ours, bare, strict=True)), 2),
            "ratio_of_quickest": round(min(ours) / min(bare), 2),
            "limit": LIMIT,
        }
        for name, ours in took.items()
    ]


def main() -> int:
    """Print a line a case, JSON with ``--json``; fail when a ratio is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = compare(healthy_events(), given.rounds, given.calls)
    if given.json:
        print(json.dumps(results, indent=2))
    else:
        for one in results:
            print(
                f"{EVENTS} events, {one['case']:12} {one['mock_ms']:>6} ms bare {one['injected_ms']:>6} ms injected "
                f"ratio {one['ratio']}, of the quickest {one['ratio_of_quickest']} (limit {LIMIT})"
            )
    return int(any(float(str(one["ratio"])) > LIMIT for one in results))


if __name__ == "__main__":
    sys.exit(main())
