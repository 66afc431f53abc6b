from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_llmfaults._current import active
from pytest_llmfaults._run import Run
from tests.suite import Suite


@pytest.fixture
def run() -> Iterator[Run]:
    with active(Run(name="this test")) as run:
        yield run


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    return Suite(pytester)
