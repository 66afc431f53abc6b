"""One line on a terminal that says how far a search is; nothing where nobody looks at one."""

from __future__ import annotations

import contextlib
import time
from typing import Any, Final

import pytest

__all__ = ["Progress"]

_EVERY_SECONDS: Final = 0.1


class Progress:
    """Rewrites a line, and takes it away when it is closed."""

    def __init__(self, config: pytest.Config) -> None:
        """Write where pytest writes; a worker of xdist has no such place."""
        self._reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
        self._capture: Any = config.pluginmanager.get_plugin("capturemanager")
        self._shown = self._reporter is not None and bool(self._reporter.isatty) and not hasattr(config, "workerinput")
        self._began = time.monotonic()
        self._last = 0.0

    def __call__(self, what: str, variants: int) -> None:
        """Say how far it is, now and then."""
        now = time.monotonic()
        if self._shown and now - self._last >= _EVERY_SECONDS:
            self._last = now
            self._write(f"{what}: {variants} variants, {now - self._began:.0f} s")

    def close(self) -> None:
        """Take the line away."""
        if self._shown and self._last:
            self._write("")

    def _write(self, text: str) -> None:
        quiet = contextlib.nullcontext() if self._capture is None else self._capture.global_and_fixture_disabled()
        with quiet:
            self._reporter.rewrite(text, erase=True)
            self._reporter.flush()
