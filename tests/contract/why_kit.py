"""Make the calls that are explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_llmfaults._contract.observe import Job, Subject
from pytest_llmfaults._contract.plan import Plan
from pytest_llmfaults._run import Run, Settings


def job(call: Callable[[], Any], fault: Any, *, once: bool = False, **more: Any) -> Callable[[], Job]:
    """Return what makes a job: ``call`` under a fault."""

    def make() -> Job:
        settings = Settings()
        run = Run(settings, name="why", frozen=True, attempt_limit=200)
        plan = Plan(None if fault == "ok" else fault, at="every", answers=None, once=once)
        return Job(Subject(call=call, settings=settings, **more), run, plan, "low")

    return make
