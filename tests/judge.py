"""The judge: the same client code against memory and against real sockets, on loopback.

The gateway plays :meth:`Reply.script` byte for byte. Memory is right when nobody can tell the two apart.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import Fault, healthy
from pytest_llmfaults._injection import Filter, Injection, Step, checked_steps
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run, Settings, active
from pytest_llmfaults._wires import WIRES
from tests.gateway import Gateway, listening

PATH: Final = "/v1/chat/completions"
TIMEOUT_SECONDS: Final = 0.2
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


def reply_of(step: Step, request: Request, answer: Answer) -> Reply:
    """Make the reply that a step stands for, without a run."""
    (played,) = checked_steps([step], of="openai.chat")
    if isinstance(played, Reply):
        return played
    wire = WIRES["openai.chat"]
    if isinstance(played, Fault):
        base = healthy(wire, request, played.answer or answer, needs=played.needs, fault=played.name)
        return played.reply(base)
    return healthy(wire, request, answer).reply


def body_for(step: Step) -> dict[str, Any]:
    """Make the body of a request that holds what a fault needs: tools to call, or a schema to fill."""
    body: dict[str, Any] = {"model": "gpt-judge", "messages": [{"role": "user", "content": "hello"}]}
    needs = step.needs if isinstance(step, Fault) else None
    if needs == "tool_calls":
        schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        function = {"name": "weather", "description": "Tell the weather.", "parameters": schema}
        body["tools"] = [{"type": "function", "function": function}]
    elif needs is not None:
        schema = {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "string"}}}}
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "list", "schema": schema}}
    return body


def answer_for(step: Step) -> Answer:
    """Make an answer that holds what a fault corrupts."""
    needs = step.needs if isinstance(step, Fault) else None
    return Answer(data={"items": ["one", "two"]}) if needs in {"data", "items"} else Answer()


def compare(client: Client, *steps: Step, calls: int = 1) -> tuple[Told, Told]:
    """Run a client in memory, then against real sockets, and return what each way came to."""
    answer, body = answer_for(steps[0]), body_for(steps[0])

    def reply_to(request: Request, index: int) -> Reply:
        return reply_of(steps[min(index, len(steps) - 1)], request, answer)

    probe = reply_to(Request("POST", f"http://127.0.0.1{PATH}", body=json.dumps(body).encode(), wire="openai.chat"), 0)
    if probe.connection != "accepted":
        with _unreachable(probe.connection) as port:
            url = f"http://127.0.0.1:{port}{PATH}"
            memory = in_memory(client, steps, url, body, answer, calls)
            assert not _connects[port], "a request escaped from memory"
            outcomes = client(url, body, calls)
            return memory, Told(_connects[port], tuple(outcomes))
    with Gateway(reply_to) as gateway:
        url = f"http://127.0.0.1:{gateway.port}{PATH}"
        memory = in_memory(client, steps, url, body, answer, calls)
        assert not gateway.connections, "a request escaped from memory"
        outcomes = client(url, body, calls)
        gateway.drain()
        return memory, Told(len(gateway.requests), tuple(outcomes))


def judge(client: Client, *steps: Step, calls: int = 1) -> tuple[Told, Told]:
    """Compare, and hear again when the machine was so slow that a true timeout may have passed by itself.

    What is different for another reason is different within the time of any timeout, and is told at once.
    """
    for hearing in range(1, _HEARINGS + 1):
        began = time.perf_counter()
        memory, sockets = compare(client, *steps, calls=calls)
        if memory == sockets or hearing == _HEARINGS or time.perf_counter() - began < TIMEOUT_SECONDS:
            break
    return memory, sockets


def in_memory(
    client: Client, steps: Sequence[Step], url: str, body: dict[str, Any], answer: Answer, calls: int
) -> Told:
    """Run a client under an injection of ``steps``."""
    run = Run(Settings(answer=lambda: answer), name="judge")
    injection = Injection(
        checked_steps(steps, of=None),
        covers=Filter(wire="openai.chat"),
        times=None,
        per_request=False,
        answer=None,
        where="judge",
    )
    run.add(injection)
    with active(run):
        outcomes = client(url, body, calls)
    assert not run.ledger.refusals, run.ledger.refusals
    return Told(len(run.ledger.attempts), tuple(outcomes))


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
