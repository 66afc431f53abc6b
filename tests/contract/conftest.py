"""Fixtures of the contract's tests."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from pytest_llmfaults._contract.observe import perform
from tests.contract.why_kit import job
from tests.contract.why_subjects import ask


@pytest.fixture(scope="session")
def _imported() -> None:
    """Let what a first call imports be imported before it is traced, as it is in use."""
    perform(job(ask, "body.html_page")())


@pytest.fixture
def untraced(_imported: None) -> Iterator[None]:
    """Lift a tracer, such as coverage's, from this test: where one is active nothing can be explained before 3.12."""
    if sys.version_info >= (3, 12):
        yield
        return
    own, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    yield
    sys.settrace(own)
    threading.settrace(of_threads)
