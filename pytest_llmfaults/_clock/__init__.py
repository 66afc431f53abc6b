"""Virtual time."""

from __future__ import annotations


class Clock:
    """Stand-in until the room is built."""

    def start(self) -> None:
        """Join."""

    def stop(self) -> None:
        """Leave."""

    def join(self) -> None:
        """Join."""

    @property
    def seconds(self) -> float:
        """Virtual seconds."""
        return 0.0

    @property
    def elapsed_seconds(self) -> float:
        """Virtual seconds."""
        return 0.0

    @property
    def notes(self) -> list[str]:
        """Notes."""
        return []
