"""What the tests of rules share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_llmfaults._pytest import sign
from tests.suite import Suite

sys.path.append(str(Path(__file__).parent.parent.parent / "docs" / "catalogue"))


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Return a suite of one module, with a small client above the tests that are given; it may sign contracts."""
    for name in sign.CI_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return Suite(pytester)
