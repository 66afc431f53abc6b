"""What the tests of the strategies share."""

from __future__ import annotations

import pytest

from tests.suite import Suite


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    """Return a suite of one module, with a small client above the tests that are given."""
    return Suite(pytester)
