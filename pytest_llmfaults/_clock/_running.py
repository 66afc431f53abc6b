"""Which event loop runs in the calling thread; nothing is imported that is not there already."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


def asyncio_loop() -> asyncio.AbstractEventLoop | None:
    """The asyncio loop that runs in this thread, if any."""
    module = sys.modules.get("asyncio")
    if module is None:
        return None
    # Documented for those who write event loops, and cheaper than an exception where none runs.
    loop: asyncio.AbstractEventLoop | None = module._get_running_loop()  # noqa: SLF001
    return loop


def in_trio() -> bool:
    """Whether a trio run is in progress in this thread."""
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_run())
