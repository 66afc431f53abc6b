"""Clients as their users hold them, and runs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

import pytest
import uvloop

from pytest_llmfaults import _transports
from pytest_llmfaults._current import active
from pytest_llmfaults._run import Run

from .aiohttp_kit import Runner
from .tools import Server, attributes


@pytest.fixture(params=["asyncio", "uvloop"])
def go(request: pytest.FixtureRequest) -> Runner:
    return asyncio.run if request.param == "asyncio" else uvloop.run


@pytest.fixture
def run() -> Run:
    return Run(name="this test")


@pytest.fixture
def in_run(run: Run) -> Iterator[Run]:
    with active(run):
        yield run


@pytest.fixture(autouse=True)
def _no_proxy_and_nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    before = attributes()
    yield
    assert [table.replaced for table in _transports.tables() if table.replaced] == []
    if before:
        assert attributes()[: len(before)] == before  # a test may have brought a transport


@pytest.fixture
def server() -> Iterator[Server]:
    with contextlib.closing(Server()) as made:
        yield made
