"""Make the calls that are explained."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from pytest_llmfaults._contract.call import Job, Subject
from pytest_llmfaults._contract.plan import Plan
from pytest_llmfaults._run import Run, Settings


def job(call: Callable[[], Any], fault: Any, *, once: bool = False, **more: Any) -> Callable[[], Job]:
    """Return what makes a job: ``call`` under a fault."""

    def make() -> Job:
        settings = Settings()
        run = Run(settings, name="why", frozen=True, attempt_limit=200)
        plan = Plan(None if fault == "ok" else fault, at="every", answers=None, usual=settings.answer, once=once)
        return Job(Subject(call=call, settings=settings, **more), run, plan, plan, "low", "why")

    return make


@contextlib.contextmanager
def lifted() -> Iterator[None]:
    """Lift a tracer, such as coverage's, for a while: where one is active nothing can be explained before 3.12."""
    if sys.version_info >= (3, 12):
        yield
        return
    own, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        sys.settrace(own)
        threading.settrace(of_threads)
