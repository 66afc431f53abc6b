"""End what is awaited, and nothing around it: in asyncio by cancelling the task, in trio by a scope."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

__all__ = ["Cancellation", "Cancelled"]

_T = TypeVar("_T")


class Cancelled(BaseException):
    """The call was cancelled; trio keeps its own exception to itself."""


class Cancellation:
    """Runs one call in the running loop, and can cancel it. What it cancelled does not outlast the call."""

    def __init__(self) -> None:
        """Belong to the running task."""
        self._open = True
        self._asked = 0
        self._scope: Any = None
        self._soon: Callable[[Callable[[], object]], object]
        trio = sys.modules.get("trio")
        if trio is not None and trio.lowlevel.in_trio_run():
            self._scope = trio.CancelScope()
            self._soon = trio.lowlevel.current_trio_token().run_sync_soon
        else:
            self._task = asyncio.current_task()
            self._soon = asyncio.get_running_loop().call_soon_threadsafe

    async def run(self, function: Callable[[], Awaitable[_T]]) -> _T:
        """Await ``function()``.

        Raises:
            BaseException: what it raises; ``Cancelled`` or ``CancelledError`` where it was cancelled.
        """
        try:
            if self._scope is None:
                return await function()
            with self._scope:
                return await function()
            raise Cancelled
        finally:
            self._open = False
            await self._settle()

    def now(self) -> None:
        """Cancel the call; called in the loop's thread."""
        if not self._open:
            return
        if self._scope is not None:
            self._scope.cancel()
        elif self._task is not None:
            self._asked += self._task.cancel()

    def soon(self) -> None:
        """Cancel the call; called in any thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            self._soon(self.now)

    @property
    def by_others(self) -> bool:
        """Whether somebody else cancelled the task: that is no outcome of the call."""
        cancelling = getattr(self._task, "cancelling", None) if self._scope is None else None
        return cancelling is not None and cancelling() > 0

    async def _settle(self) -> None:
        """Take back what was asked for: a request that met no ``await`` would hit the next call."""
        if not self._asked or self._task is None:
            return
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)
        uncancel: Callable[[], object] = getattr(self._task, "uncancel", int)  # from Python 3.11 on
        for _ in range(self._asked):
            uncancel()
