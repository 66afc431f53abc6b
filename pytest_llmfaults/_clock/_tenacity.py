"""`tenacity.sleep_using_event`, the one wait on an event that is known to be a pause between two attempts.

`threading.Event.wait` itself is left alone: it cannot be told from "wait for my worker".
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._clock._timeline import to_ns

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_llmfaults._clock._timeline import Timeline


class TenacityEvent:
    """The replacement, while a clock is active."""

    def __init__(self, find: Callable[[], Timeline | None]) -> None:
        """`find` gives the virtual time of the calling thread."""
        self._find = find
        self._class: Any = None
        self._original: Any = None

    def install(self) -> None:
        """Replace the wait, if tenacity has been imported."""
        module = sys.modules.get("tenacity.nap")
        kind = getattr(module, "sleep_using_event", None)
        if kind is None or self._class is not None:
            return
        self._class, self._original = kind, kind.__call__
        original, find = self._original, self._find

        @functools.wraps(original)
        def wait(pause: Any, timeout: float | None) -> None:
            timeline = find()
            if timeline is None or timeout is None or timeout <= 0:
                original(pause, timeout)
            elif not pause.event.is_set():
                timeline.sleep(to_ns(timeout))

        kind.__call__ = wait

    def uninstall(self) -> None:
        """Put the true wait back."""
        if self._class is not None:
            self._class.__call__ = self._original
            self._class = None
