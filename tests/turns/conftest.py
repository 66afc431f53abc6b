"""What the tests of rules share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.suite import Suite

sys.path.append(str(Path(__file__).parent.parent.parent / "docs" / "catalogue"))


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    """Return a suite of one module, with a small client above the tests that are given."""
    return Suite(pytester)
