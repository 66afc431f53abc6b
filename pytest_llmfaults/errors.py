"""The exceptions of this plugin, and their messages."""

from __future__ import annotations


class WaitsForever(BaseException):
    """The code under test waits for something that never comes, without a limit.

    Not an `Exception`: a retry loop that catches everything must not swallow it.
    """

    def __init__(self, what: str = "A stalled reply") -> None:
        """Name the thing that waits."""
        super().__init__(
            f"{what} is waited for, no timeout is set, and nothing else is left that could end the wait: "
            "in production this call hangs for ever. Set a timeout (on the client, or around the call), "
            "or let the stall of the reply end after some seconds."
        )


class SpinsForever(BaseException):
    """The code under test reads a clock over and over, and never waits.

    Not an `Exception`: a retry loop that catches everything must not swallow it.
    """

    def __init__(self, reads: int) -> None:
        """Say how many times in a row a clock was read."""
        super().__init__(
            f"A clock was read {reads} times in a row without any wait in between. Here clocks stand still "
            "between waits, so this loop never ends: in production it burns a processor until its time is "
            "up. Wait in the loop (time.sleep, asyncio.sleep, trio.sleep) instead of polling the clock."
        )
