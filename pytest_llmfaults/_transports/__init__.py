"""Play replies into client libraries. One module per library; nothing else imports an HTTP library."""

from __future__ import annotations

__all__ = ["install", "settle"]


def install() -> None:
    """Stand where every client library that is installed opens connections. Cheap when it is done already."""


def settle() -> None:
    """End every fake connection that is still open: nothing of a run answers after it."""
