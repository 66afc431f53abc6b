"""Around aiohttp in memory: proxies, what goes its way, pools, the end of a run, what is put back."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from aiohttp import client_proto

from pytest_llmfaults import _transports
from pytest_llmfaults._current import active
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._transports import _aiohttp
from pytest_llmfaults._transports._table import Table
from pytest_llmfaults.errors import Unsupported
from tests.gateway import Gateway
from tests.transports.aiohttp_kit import BODY, STALLED, URL, Runner, ask, injected, pieces


@pytest.mark.parametrize("proxy", ["http://proxy.example.com:3128", "http://127.0.0.1:9"])
def test_through_a_proxy(go: Runner, proxy: str) -> None:
    run = injected("ok", Reply(connection="refused"))
    with active(run):
        assert go(ask(proxy=proxy))["choices"]
        with pytest.raises(aiohttp.ClientProxyConnectionError):
            go(ask(proxy=proxy))


def test_through_a_proxy_of_the_environment(go: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example.com:3128")

    async def trusting() -> Any:
        async with aiohttp.ClientSession(trust_env=True) as session, session.post(URL, json=BODY) as response:
            return await response.json()

    run = injected("ok")
    with active(run):
        assert go(trusting())["choices"]


@pytest.mark.parametrize("streamed", [False, True])
def test_loopback_that_is_no_route_goes_its_way(go: Runner, *, streamed: bool) -> None:
    truth = Reply.json({"true": True})
    run = injected("ok")
    with Gateway(lambda *_: truth) as gateway, active(run):
        url = f"http://127.0.0.1:{gateway.port}/health"
        body: dict[str, Any] = {"json": None, "data": pieces()} if streamed else {}
        assert go(ask(url=url, **body)) == {"true": True}
    assert len(gateway.requests) == 1
    assert run.ledger.attempts == []


def test_pools_do_not_leak_in_or_out(go: Runner) -> None:
    truth = Reply.json({"choices": "true"})

    async def before_during_after(url: str) -> list[Any]:
        async with aiohttp.ClientSession() as session:

            async def one() -> Any:
                async with session.post(url, json=BODY) as response:
                    return (await response.json())["choices"]

            seen = [await one()]
            with active(run):
                seen += [await one(), await one()]
            return [*seen, await one()]

    run = injected(Reply.json({"choices": "fake"}))
    with Gateway(lambda *_: truth) as gateway:
        url = f"http://127.0.0.1:{gateway.port}/v1/chat/completions"
        assert go(before_during_after(url)) == ["true", "fake", "fake", "true"]
    assert len(gateway.requests) == 2


def test_a_reply_that_is_still_awaited_ends_with_the_run(go: Runner) -> None:
    async def left_behind() -> None:
        with active(run):
            task = asyncio.create_task(ask(aiohttp.ClientTimeout(total=600)))
            await asyncio.sleep(1)
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await task

    run = injected(STALLED)
    go(left_behind())


def test_many_at_once(go: Runner) -> None:
    async def many() -> list[Any]:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=3)) as session:

            async def one(number: int) -> Any:
                async with session.post(URL, json={**BODY, "user": str(number)}) as response:
                    return await response.json()

            return list(await asyncio.gather(*(one(number) for number in range(10))))

    run = injected(lambda request: Reply.json({"user": request.field("user")}))
    with active(run):
        assert go(many()) == [{"user": str(number)} for number in range(10)]


def test_a_slow_reader_holds_a_large_body_back(go: Runner) -> None:
    async def slowly() -> int:
        async with aiohttp.ClientSession() as session, session.post(URL, json=BODY) as response:
            size = 0
            async for piece in response.content.iter_chunked(10_000):
                size += len(piece)
                await asyncio.sleep(0)
            return size

    run = injected(Reply.bytes(b"x" * 3_000_000))
    with active(run):
        assert go(slowly()) == 3_000_000
    assert [attempt.outcome for attempt in run.ledger.attempts] == ["read"]


def test_everything_is_put_back() -> None:
    before = (aiohttp.TCPConnector._create_connection, client_proto.ResponseHandler.is_connected)
    with active(injected("ok")):
        assert aiohttp.TCPConnector._create_connection is not before[0]
    assert (aiohttp.TCPConnector._create_connection, client_proto.ResponseHandler.is_connected) == before
    assert all(not table.replaced for table in _transports.tables())


def test_a_place_that_moved_is_named() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(aiohttp.TCPConnector, "_create_connection")
        # The base class has it too, and raises NotImplementedError: take that one away as well.
        patch.delattr(aiohttp.BaseConnector, "_create_connection")
        with pytest.raises(Unsupported, match=r"aiohttp \d.*TCPConnector\._create_connection"):
            _aiohttp.table.__wrapped__()


def test_the_table_is_one() -> None:
    assert isinstance(_aiohttp.table(), Table)
    assert _aiohttp.table() is _aiohttp.table()
