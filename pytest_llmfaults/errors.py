"""Every exception this package raises, and the texts they share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "DoesNotApply",
    "InvalidUse",
    "LLMFaultsError",
    "NeverFired",
    "Refused",
    "SpinsForever",
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


class NeverFired(LLMFaultsError, AssertionError):
    """An injected fault met no request before the test ended."""


class Refused(BaseException):
    """A request was refused before it left the machine.

    Not an ``Exception``: code under test that catches everything must not be able to swallow it. It is also
    recorded, and fails the test whatever the code did with it.
    """


class WaitsForever(BaseException):
    """The code under test waits for something that never comes, and has set no timeout."""


class SpinsForever(BaseException):
    """The code under test reads a clock over and over and never waits."""


def nearest(given: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the names in ``known`` most like ``given`` (empty when none is near)."""
    close = difflib.get_close_matches(given, list(known), n=3, cutoff=0.55)
    return f" Did you mean {' or '.join(repr(name) for name in close)}?" if close else ""
