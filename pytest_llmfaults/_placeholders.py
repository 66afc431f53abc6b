"""Keys that are missing, so that ``OpenAI()`` is not the first thing to fail."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

__all__ = ["placeholders"]


@contextlib.contextmanager
def placeholders() -> Iterator[None]:
    """Set the variables without which an official SDK does not start; only unset ones, and only in this block."""
    from pytest_llmfaults._wires import DIALECTS, WIRES

    environments = [*(one.environment for one in WIRES.values()), *(one.environment for one in DIALECTS.values())]
    wanted = {name: value for environment in environments for name, value in environment.items()}
    added = [name for name in wanted if name not in os.environ]
    os.environ.update({name: wanted[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            if os.environ.get(name) == wanted[name]:
                del os.environ[name]
