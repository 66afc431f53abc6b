"""Fixtures of the contract's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_llmfaults._contract.observe import perform
from tests.contract.why_kit import job, lifted
from tests.contract.why_subjects import ask


@pytest.fixture(scope="session")
def imported() -> None:
    """Let what a first call imports be imported before it is traced, as it is in use."""
    perform(job(ask, "body.html_page")())


@pytest.fixture
def untraced(imported: None) -> Iterator[None]:  # noqa: ARG001 - it has to come first
    """Lift a tracer from the whole test."""
    with lifted():
        yield
