"""The judge: the same client code against memory and against real sockets, on loopback.

The gateway plays :meth:`Reply.script` byte for byte. Memory is right when nobody can tell the two apart.
"""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias
from unittest import mock

from pytest_llmfaults._current import active
from pytest_llmfaults._injection import Filter, Injection, Step, checked_steps
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._run import Run, Settings
from tests.gateway import Gateway, listening
from tests.judge_cases import CASES, Case, case_for

TIMEOUT_SECONDS: Final = 0.15
"""Every timeout of every client that is judged."""

SETTLE_SECONDS: Final = 0.03
"""Between two calls of one client, so that a real FIN or RST has arrived when the second begins."""

_HEARINGS: Final = 3

Outcome: TypeAlias = "tuple[str, Any]"
Client: TypeAlias = "Callable[[str, dict[str, Any], int], list[Outcome]]"
"""Makes some calls of one client object to a URL with a JSON body, and says how each came out."""


@dataclasses.dataclass(frozen=True)
class Told:
    """What one way of playing came to.

    Attributes:
        attempts: requests that arrived; where nothing can arrive, connections that were tried.
        outcomes: ``("raised", class)`` or ``("value", value)`` of each call.
    """

    attempts: int
    outcomes: tuple[Outcome, ...]


def class_name(error: BaseException) -> str:
    """Name an exception's class in full."""
    return f"{type(error).__module__}.{type(error).__qualname__}"


_connects: Final[Counter[int]] = Counter()
_hooked: Final[list[bool]] = []


def _count_connects(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(args[1], tuple):
        _connects[args[1][1]] += 1


def _watch_connects() -> None:
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_count_connects)


def compare(client: Client, *steps: Step, calls: int = 1, cases: Sequence[Case] = CASES) -> tuple[Told, Told]:
    """Run a client in memory, then against real sockets that play the same replies, and return what each came to."""
    case = case_for(steps[0], cases) or cases[0]
    played: list[Reply] = []
    with _server(case, steps[0], played) as server:
        memory = in_memory(client, steps, server.url, case, calls, played)
        assert not server.seen(), "a request escaped from memory"
        outcomes = client(server.url, case.body, calls)
        return memory, Told(server.seen(), tuple(outcomes))


def judge(client: Client, *steps: Step, calls: int = 1, cases: Sequence[Case] = CASES) -> tuple[Told, Told]:
    """Compare, and hear again when the machine was so slow that a true timeout may have passed by itself.

    What is different for another reason is different within the time of any timeout, and is told at once.
    """
    for hearing in range(1, _HEARINGS + 1):
        began = time.perf_counter()
        memory, sockets = compare(client, *steps, calls=calls, cases=cases)
        if memory == sockets or hearing == _HEARINGS or time.perf_counter() - began < TIMEOUT_SECONDS:
            break
    return memory, sockets


def in_memory(client: Client, steps: Sequence[Step], url: str, case: Case, calls: int, played: list[Reply]) -> Told:
    """Run a client under an injection of ``steps``, and put the replies that it met into ``played``."""
    run = Run(Settings(answer=lambda: case.answer), name="judge")
    injection = Injection(
        checked_steps(steps, of=None),
        covers=Filter(wire=case.wire, dialect=case.dialect),
        times=None,
        per_request=False,
        answer=None,
        where="judge",
    )
    run.add(injection)
    with active(run):
        outcomes = client(url, case.body, calls)
    assert not run.ledger.refusals, run.ledger.refusals
    played += [attempt.reply for attempt in run.ledger.attempts]
    return Told(len(run.ledger.attempts), tuple(outcomes))


@dataclasses.dataclass(frozen=True)
class _Server:
    """Where a client is sent, and how many attempts arrived there."""

    url: str
    seen: Callable[[], int]


@contextlib.contextmanager
def _server(case: Case, step: Step, played: list[Reply]) -> Iterator[_Server]:
    connection = case.connection(step)
    if connection == "accepted":
        with Gateway(lambda _, index: played[min(index, len(played) - 1)]) as gateway:

            def arrived() -> int:
                gateway.drain()
                return len(gateway.requests) or gateway.connections

            yield _Server(f"http://127.0.0.1:{gateway.port}{case.path}", arrived)
    elif connection == "unresolved":
        with _nameless() as lookups:
            yield _Server(f"http://nowhere.invalid{case.path}", lambda: len(lookups))
    else:
        with _unreachable(connection) as port:
            yield _Server(f"http://127.0.0.1:{port}{case.path}", lambda: _connects[port])


@contextlib.contextmanager
def _nameless() -> Iterator[list[Any]]:
    """Let every lookup of a name fail as the system's own does, without asking anybody. Yields the lookups."""
    lookups: list[Any] = []

    def getaddrinfo(*args: Any, **named: Any) -> Any:
        flags = args[5] if len(args) > 5 else named.get("flags", 0)
        if not flags & socket.AI_NUMERICHOST:  # trio asks first whether it is an address; that is no lookup
            lookups.append(args)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with mock.patch("socket.getaddrinfo", getaddrinfo):
        yield lookups


@contextlib.contextmanager
def _unreachable(how: str) -> Iterator[int]:
    """Yield a port of loopback where connections are refused, or never open."""
    _watch_connects()
    listener = listening(0)
    port: int = listener.getsockname()[1]
    fillers: list[socket.socket] = []
    try:
        if how == "refused":
            listener.close()
        else:
            fillers += [_filler(port) for _ in range(4)]
            time.sleep(SETTLE_SECONDS)
        _connects[port] = 0
        yield port
    finally:
        for one in (listener, *fillers):
            one.close()


def _filler(port: int) -> socket.socket:
    """Take a place in the queue of a listener that nobody serves; when it is full, further connects get no answer."""
    filler = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    filler.setblocking(False)
    filler.connect_ex(("127.0.0.1", port))
    return filler
