"""A way to use a client, as data, and the one function that makes a call of it: plain, streamed or by a helper."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any, Final

from asks import Kind
from readers import Parts, Reader, raised

__all__ = ["RAW", "Way", "called", "close"]

RAW: Final[tuple[Kind, ...]] = ("text", "data", "tools")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How ordinary code uses a client on one wire.

    Attributes:
        name: its column.
        package: the distribution whose version says what was observed.
        wire: the wire that it speaks.
        make: makes the client, once.
        ask: asks a client; returns the reply, or the stream, or something to await for it.
        read: what its caller reads: of the reply, or of the list of a stream's events.
        kinds: the kinds of request that it makes.
        streamed: whether what it returns is a stream.
        whole: the method of a helper's stream that returns the reply put together; ``read`` is then about that.
        like: the column of the synchronous client that it ought to be like; None for all that are synchronous.
        own: the module of its own exceptions; None is the distribution's name.
        about: one line for the page.
    """

    name: str
    package: str
    wire: str
    make: Callable[[], Any]
    ask: Callable[[Any, Kind], Any]
    read: Reader
    kinds: tuple[Kind, ...] = RAW
    streamed: bool = False
    whole: str | None = None
    like: str | None = None
    own: str | None = None
    about: str = ""


def called(way: Way) -> Callable[[Kind], Parts]:
    """Return what calls the client once and returns what a caller reads."""
    client = functools.cache(way.make)
    if way.like is None:
        return lambda kind: _sync(way, client(), kind)

    async def call(kind: Kind) -> Parts:
        return await _async(way, client(), kind)

    return lambda kind: _loop().run_until_complete(call(kind))


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return one loop for all calls, as connections and sessions belong to it."""
    return asyncio.new_event_loop()


def close() -> None:
    """End what clients left running in their loop, and the loop; the next call makes another."""
    if not _loop.cache_info().currsize:
        return
    loop = _loop()
    _loop.cache_clear()
    loop.run_until_complete(_ended(asyncio.all_tasks(loop)))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


async def _ended(tasks: Collection[asyncio.Task[object]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _sync(way: Way, client: Any, kind: Kind) -> Parts:
    if not way.streamed:
        return way.read(way.ask(client, kind))
    events: list[Any] = []
    try:
        # Closed in any case: httpcore's pool can deadlock when a stream that was left is collected while it is locked.
        with _entered(way.ask(client, kind)) as stream:
            for event in stream:
                events.append(event)  # noqa: PERF402 - what came before an error is kept
            made = getattr(stream, way.whole)() if way.whole is not None else None
    except Exception as error:  # noqa: BLE001 - whatever escapes is what is observed
        return _broken(way, events, error)
    return way.read(events if way.whole is None else made)


async def _async(way: Way, client: Any, kind: Kind) -> Parts:
    if not way.streamed:
        return way.read(await way.ask(client, kind))
    events: list[Any] = []
    try:
        async with _aentered(await _awaited(way.ask(client, kind))) as stream:
            async for event in stream:
                events.append(event)
            made = await getattr(stream, way.whole)() if way.whole is not None else None
    except Exception as error:  # noqa: BLE001
        return _broken(way, events, error)
    return way.read(events if way.whole is None else made)


def _broken(way: Way, events: list[Any], error: Exception) -> Parts:
    """Return what a caller has when a stream broke: the error, and what was shown until then."""
    if not events:
        return raised(error)
    return {**raised(error), **({"events": len(events)} if way.whole is not None else way.read(events))}


def _entered(stream: Any) -> Any:
    """Return what closes a stream: itself, or something around it."""
    if hasattr(stream, "__enter__"):
        return stream
    return contextlib.closing(stream) if hasattr(stream, "close") else contextlib.nullcontext(stream)


def _aentered(stream: Any) -> Any:
    if hasattr(stream, "__aenter__"):
        return stream
    return contextlib.aclosing(stream) if hasattr(stream, "aclose") else contextlib.nullcontext(stream)


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
