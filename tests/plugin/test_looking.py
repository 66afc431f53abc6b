"""Looking for functions that were bound early must not wake what sleeps in a module."""

from __future__ import annotations

import sys
import time
from types import ModuleType
from typing import Any

import pytest

from tests.suite import Suite


class Lazy:
    """A stand-in that does its work when somebody asks for its class, as lazy modules of SDKs do."""

    woken = False

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        Lazy.woken = True
        return Lazy


def test_a_lazy_proxy_stays_asleep(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("module_with_a_proxy")
    vars(module).update(resource=Lazy(), sleep=time.sleep)
    monkeypatch.setitem(sys.modules, "module_with_a_proxy", module)
    Lazy.woken = False
    result = suite.run("""
        def test_it(llmfaults):
            llmfaults.inject("status.503", "ok")
            assert ask() == "Hello from a healthy model."
    """)
    result.assert_outcomes(passed=1)
    assert not Lazy.woken
