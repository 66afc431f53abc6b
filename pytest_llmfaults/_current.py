"""Which run a request belongs to."""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Iterator
from typing import Final

from pytest_llmfaults._run import Run
from pytest_llmfaults.errors import Refused

__all__ = ["active", "find", "is_active", "own"]

_current: Final[contextvars.ContextVar[Run | None]] = contextvars.ContextVar("llmfaults_run", default=None)
_active: Final[list[Run]] = []
_lock: Final = threading.Lock()


def find() -> Run | None:
    """Return the run that the calling code belongs to, or None when none is active.

    A context variable says it; a thread that carries no context belongs to the one run that is active.

    Raises:
        Refused: several are active and nothing says which.
    """
    run = _current.get()
    if run is not None and run in _active:
        return run
    if not _active:
        return None
    if run is not None and run.observes:  # a task that an observed call left behind: no attempt of the next call
        return run
    if len(_active) > 1:
        names = ", ".join(one.name for one in _active)
        reason = (
            f"A request came from a thread that carries no context while several runs are active ({names}). "
            "Start the thread inside one of them with contextvars.copy_context().run."
        )
        for one in _active:
            one.ledger.refuse(reason, fatal=True)
        raise Refused(reason)
    return _active[0]


def own() -> Run | None:
    """Return the run that the calling context was started in, or None: a thread that takes no part has none."""
    run = _current.get()
    return run if run in _active else None


def is_active(run: Run | None) -> bool:
    """Tell whether ``run`` has not ended; None asks whether any run is active."""
    return bool(_active) if run is None else run in _active


@contextlib.contextmanager
def active(run: Run) -> Iterator[Run]:
    """Make ``run`` the one that requests of this context belong to, with its clock, until the block ends.

    A run that is active in this context already stands aside meanwhile, and so does its clock.
    """
    from pytest_llmfaults import _transports

    outer = own()
    with _lock:
        if outer is not None:
            _active.remove(outer)
            outer.clock.stop()
        _active.append(run)
    token = _current.set(run)
    try:
        run.clock.start()
        _transports.install()
        yield run
    finally:
        with contextlib.suppress(ValueError):  # the block ended in another context than it began in
            _current.reset(token)
        with _lock:
            run.ended = True
            if run in _active:  # a run that stands aside for another may end before it
                _active.remove(run)
            run.clock.stop()
            if outer is not None and not outer.ended:
                _active.append(outer)
                outer.clock.start()
        _transports.settle()
