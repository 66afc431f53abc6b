"""The asyncio loops that take part. Nothing of asyncio is imported before one does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from pytest_llmfaults._clock._loop import LoopTime
    from pytest_llmfaults._clock._timeline import Timeline
    from pytest_llmfaults._clock._uvloop_early import EarlyTimers


class AsyncioLoops:
    """Which loop has which adapter."""

    def __init__(self) -> None:
        """None takes part yet."""
        self._adapters: dict[int, LoopTime] = {}
        self._early: EarlyTimers | None = None

    def start(self) -> None:
        """Have loops that cannot be looked into remember their timers."""
        if "uvloop" in sys.modules:
            from pytest_llmfaults._clock._uvloop_early import EarlyTimers

            self._early = EarlyTimers()
            self._early.install()

    def stop(self) -> None:
        """Give every loop back."""
        if self._early is not None:
            self._early.uninstall()
            self._early = None
        for adapter in self._adapters.values():
            adapter.release()
        self._adapters.clear()

    def find(self, loop: asyncio.AbstractEventLoop) -> LoopTime | None:
        """The adapter of a loop that takes part."""
        return self._adapters.get(id(loop))

    def join(self, loop: asyncio.AbstractEventLoop, timeline: Timeline) -> None:
        """Let the loop that runs in the calling thread take part."""
        if id(loop) in self._adapters:
            return
        for known, adapter in list(self._adapters.items()):
            if adapter.loop.is_closed():  # `asyncio.run` in each of a thousand examples: keep none of them
                adapter.uninstall()
                del self._adapters[known]
        self._adapters[id(loop)] = self._adapt(loop, timeline)

    def _adapt(self, loop: asyncio.AbstractEventLoop, timeline: Timeline) -> LoopTime:
        from pytest_llmfaults._clock._asyncio import SelectorLoop

        if SelectorLoop.suits(loop):
            return SelectorLoop(loop, timeline)
        from pytest_llmfaults._clock._uvloop import PollingLoop

        return PollingLoop(loop, timeline, [] if self._early is None else self._early.of(loop))
