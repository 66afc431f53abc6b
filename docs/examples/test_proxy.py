"""A proxy between a browser and a model: under TestClient, and under a real uvicorn on this machine."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
import pytest_asyncio
import uvicorn
from fastapi.testclient import TestClient
from proxy import app

from pytest_llmfaults import Answer, LLMFaults, fault


@pytest.fixture
def llmfaults_answer() -> Answer:
    return Answer("Hold the position.")


@pytest.fixture
def browser() -> Iterator[TestClient]:
    with TestClient(app) as client:
        yield client


@pytest_asyncio.fixture
async def page(caplog: pytest.LogCaptureFixture) -> AsyncIterator[httpx.AsyncClient]:
    """Serve the endpoint in the loop of the test, and open a browser that takes 8 seconds of silence for the end."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    serving = asyncio.create_task(server.serve([listening]))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    async with httpx.AsyncClient(base_url=url, timeout=8) as client:
        yield client
    server.should_exit = True
    await serving
    assert not caplog.get_records("call")  # the server has nothing to complain of


def test_a_cut_answer_does_not_end_well(llmfaults: LLMFaults, browser: TestClient) -> None:
    llmfaults.inject("stream.closed")
    text = browser.get("/chat?question=What now?").text
    assert text == 'data: "Hold"\n\ndata: " the"\n\nevent: error\ndata: The answer broke off.\n\n'


def test_a_slow_model_costs_its_time(llmfaults: LLMFaults, browser: TestClient) -> None:
    llmfaults.inject(fault("stream.slow_first_event", seconds=14))
    text = browser.get("/chat?question=What now?").text
    assert text.startswith(': still there\n\n: still there\n\ndata: "Hold"\n\n')
    assert llmfaults.elapsed_seconds == 14


@pytest.mark.asyncio
async def test_a_browser_sees_that_the_answer_was_cut(llmfaults: LLMFaults, page: httpx.AsyncClient) -> None:
    llmfaults.inject("stream.closed")
    text = (await page.get("/chat?question=What now?")).text
    assert text.endswith("event: error\ndata: The answer broke off.\n\n")
    assert llmfaults.streams[0].closed == "cut"


@pytest.mark.asyncio
async def test_keep_alives_hold_a_browser_that_would_leave(llmfaults: LLMFaults, page: httpx.AsyncClient) -> None:
    llmfaults.inject(fault("stream.slow_first_event", seconds=14))
    text = (await page.get("/chat?question=What now?")).text
    assert text.startswith(': still there\n\n: still there\n\ndata: "Hold"\n\n')
    assert text.endswith("event: end\ndata:\n\n")


@pytest.mark.asyncio
async def test_a_browser_that_leaves_takes_the_stream_along(llmfaults: LLMFaults, page: httpx.AsyncClient) -> None:
    llmfaults.inject("stream.stall")
    async with page.stream("GET", "/chat?question=What now?") as reply:
        assert await anext(reply.aiter_lines()) == 'data: "Hold"'
    await asyncio.sleep(1)  # virtual, and the server hears meanwhile that the browser has left
    assert str(llmfaults.streams[0]) == "3 events, 8 characters, closed by the client"
