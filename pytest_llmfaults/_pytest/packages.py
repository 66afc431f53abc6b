"""Which installed packages extend this one, for runs in which pytest loads no plugin by itself."""

from __future__ import annotations

import re
from importlib import metadata
from typing import Final

__all__ = ["packages"]

_OURS: Final = re.compile(r"pytest[-_.]+llmfaults(?![\w.-])", re.IGNORECASE)


def packages() -> list[str]:
    """Return the names under which pytest knows the plugins of packages that depend on this one, sorted."""
    return sorted(
        {
            entry.name
            for package in metadata.distributions()
            if any(_OURS.match(line) for line in package.requires or ())
            for entry in package.entry_points
            if entry.group == "pytest11"
        }
    )
