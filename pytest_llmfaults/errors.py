"""Every exception this package raises, and the texts they share."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "ContractBroken",
    "ContractError",
    "DoesNotApply",
    "InvalidUse",
    "LLMFaultsError",
    "NeverFired",
    "OtherWire",
    "Refused",
    "SpinsForever",
    "TooManyAttempts",
    "UnknownFault",
    "Unsupported",
    "WaitsForever",
    "nearest",
]


class LLMFaultsError(Exception):
    """Base class of the errors that a call of this package's API raises."""


class InvalidUse(LLMFaultsError, ValueError):
    """An argument, a marker or an option is not what it may be."""


class UnknownFault(InvalidUse):
    """No fault, family or wire has this name."""


class Unsupported(LLMFaultsError):
    """A client library is installed in a version that faults cannot be injected into."""


class DoesNotApply(InvalidUse):
    """The fault makes no sense on this wire, or for this request."""


class OtherWire(DoesNotApply):
    """The fault belongs to other wires than the one of the request."""


class ContractError(InvalidUse):
    """A signed file cannot be read or written, or what it says makes no sense."""


class ContractBroken(LLMFaultsError, AssertionError):
    """The code under test does something else than what was signed."""


class NeverFired(LLMFaultsError, AssertionError):
    """An injected fault met no request before the test ended."""


class Refused(BaseException):
    """A request was refused before it left the machine.

    Not an ``Exception``: code under test that catches everything must not be able to swallow it. It is also
    recorded, and fails the test whatever the code did with it.
    """


class WaitsForever(BaseException):
    """The code under test waits for something that never comes, and has set no timeout.

    Not an ``Exception``: a retry loop that catches everything must not swallow it.
    """

    def __init__(self, what: str = "A stalled reply") -> None:
        """Name the thing that is waited for."""
        super().__init__(
            f"{what} is waited for, no timeout is set, and nothing else is left that could end the wait: "
            "in production this call hangs for ever. Set a timeout (on the client, or around the call), "
            "or let the stall of the reply end after some seconds."
        )


class SpinsForever(BaseException):
    """The code under test reads a clock over and over, and never waits.

    Not an ``Exception``: a retry loop that catches everything must not swallow it.
    """

    def __init__(self, reads: int) -> None:
        """Say how many times in a row a clock was read."""
        super().__init__(
            f"A clock was read {reads} times in a row without any wait in between. Here clocks stand still "
            "between waits, so this loop never ends: in production it burns a processor until its time is up. "
            "Wait in the loop (time.sleep, asyncio.sleep, trio.sleep) instead of polling the clock."
        )


class TooManyAttempts(BaseException):
    """The code under test asks again and again, and shows no sign of an end."""

    def __init__(self, limit: int) -> None:
        """Say how many attempts there were."""
        super().__init__(f"The code under test made {limit} attempts in one call and wants more. Give it a limit.")


def nearest(given: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the names in ``known`` most like ``given`` (empty when none is near)."""
    import difflib

    close = difflib.get_close_matches(given, list(known), n=3, cutoff=0.55)
    return f" Did you mean {' or '.join(repr(name) for name in close)}?" if close else ""
