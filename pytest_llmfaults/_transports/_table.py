"""Attributes of client libraries that are replaced while a run is active, and put back after it."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import platform
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any, Final

from pytest_llmfaults._current import find
from pytest_llmfaults._run import Run
from pytest_llmfaults.errors import Unsupported

__all__ = ["Table", "has_say", "truly"]

_MISSING: Final = object()

_truly: Final[contextvars.ContextVar[bool]] = contextvars.ContextVar("llmfaults_truly", default=False)


def _dialling_truly() -> bool:
    """Tell whether a transport is dialling the real server just now.

    Another patcher may hold an older replacement of ours as its original; that one must let the call through.
    """
    return _truly.get()


def has_say(host: str, port: int) -> Run | None:
    """Return the run that decides about connections to this address, if any."""
    run = None if _dialling_truly() else find()
    if run is None or run.goes_its_way("http", host, port) or run.goes_its_way("https", host, port):
        return None
    return run


@contextlib.contextmanager
def truly() -> Iterator[None]:
    """Let what is dialled in this block go its way."""
    token = _truly.set(True)
    try:
        yield
    finally:
        _truly.reset(token)


@dataclasses.dataclass(slots=True)
class _Entry:
    """One attribute.

    Attributes:
        owner: the class or module.
        name: the attribute.
        original: what it held, or a marker when it was inherited.
        ours: what it holds while a run is active.
        make: makes ``ours`` from the callable it stands before.
    """

    owner: Any
    name: str
    original: Any
    ours: Any
    make: Callable[[Any], Any]


class Table:
    """The attributes of one library."""

    def __init__(self, library: str) -> None:
        """Begin with none.

        Args:
            library: name of the distribution.
        """
        self.library = library
        self._entries: list[_Entry] = []
        self._installed = False

    def add(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Name an attribute that :meth:`install` replaces.

        Args:
            owner: the class or module.
            name: the attribute.
            make: takes what the attribute holds (a property stays one) and returns what it shall hold. That must pass
                everything on while no run is active.

        Raises:
            Unsupported: there is no such attribute in the installed version.
        """
        original = vars(owner).get(name, _MISSING)
        before = getattr(owner, name, _MISSING) if original is _MISSING else original
        if before is _MISSING:
            raise self.moved(owner, name)
        self._entries.append(_Entry(owner, name, original, make(before), make))

    def moved(self, owner: Any, name: str) -> Unsupported:
        """Return the error that says that ``owner`` has no ``name``."""
        try:
            version = metadata.version(self.library)
        except metadata.PackageNotFoundError:  # a module of the standard library
            version = f"of Python {platform.python_version()}"
        return Unsupported(
            f"{self.library} {version} has no {owner.__name__}.{name}, where faults are injected. "
            f"Install another version of {self.library}, or a newer pytest-llmfaults."
        )

    def install(self) -> None:
        """Replace every attribute. Once it is done, doing it again costs nothing."""
        if self._installed:
            return
        self._installed = True
        for entry in self._entries:
            current = vars(entry.owner).get(entry.name, _MISSING)
            if current is not entry.original and current is not entry.ours:
                # Somebody else patched it meanwhile: stand before theirs.
                entry.original = current
                entry.ours = entry.make(current)
            setattr(entry.owner, entry.name, entry.ours)

    def restore(self) -> None:
        """Put every attribute back, except where somebody else has patched it since: ours passes everything on."""
        if not self._installed:
            return
        self._installed = False
        for entry in self._entries:
            if vars(entry.owner).get(entry.name) is not entry.ours:
                continue
            if entry.original is _MISSING:
                delattr(entry.owner, entry.name)
            else:
                setattr(entry.owner, entry.name, entry.original)

    @property
    def replaced(self) -> list[tuple[Any, str]]:
        """The attributes that hold something of ours at the moment."""
        return [(e.owner, e.name) for e in self._entries if vars(e.owner).get(e.name) is e.ours]
