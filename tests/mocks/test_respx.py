"""Injections and active mocks of respx, for httpx and httpx2, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import httpx2
import openai
import pytest
import pytest_httpx2  # noqa: F401 - registers the mocker for httpcore2
import requests
import respx
import trio

from pytest_llmfaults import Answer, Refused
from pytest_llmfaults._current import active
from pytest_llmfaults._run import Run
from tests.suite import Suite
from tests.transports.tools import ASK, BASE, URL, Server, inject

OTHER = "https://example.com/weather"
MINE = {"mine": True}
HELLO = "Hello from a healthy model."


def said(response: Any) -> str:
    content: str = response.json()["choices"][0]["message"]["content"]
    return content


def _sync(module: Any) -> Callable[..., Any]:
    return lambda url=URL, method="POST": module.request(method, url, json=ASK, timeout=5)


def _async(module: Any, run: Callable[..., Any]) -> Callable[..., Any]:
    def send(url: str = URL, method: str = "POST") -> Any:
        async def main() -> Any:
            async with module.AsyncClient(timeout=5) as client:
                return await client.request(method, url, json=ASK)

        return run(main)

    return send


def _asyncio(main: Any) -> Any:
    return asyncio.run(main())


WAYS: dict[str, tuple[str, Callable[..., Any]]] = {
    "httpx, at httpx": ("httpx", _sync(httpx)),
    "httpx, at httpcore": ("httpcore", _sync(httpx)),
    "httpx asyncio, at httpx": ("httpx", _async(httpx, _asyncio)),
    "httpx asyncio, at httpcore": ("httpcore", _async(httpx, _asyncio)),
    "httpx trio, at httpx": ("httpx", _async(httpx, trio.run)),
    "httpx trio, at httpcore": ("httpcore", _async(httpx, trio.run)),
    "httpx2": ("httpcore2", _sync(httpx2)),
    "httpx2 asyncio": ("httpcore2", _async(httpx2, _asyncio)),
    "httpx2 trio": ("httpcore2", _async(httpx2, trio.run)),
}
ways = pytest.mark.parametrize(("using", "send"), list(WAYS.values()), ids=list(WAYS))


@ways
def test_an_injection_answers_beside_the_users_routes(run: Run, using: str, send: Callable[..., Any]) -> None:
    inject(run, "status.503", Answer("healthy"))
    with respx.mock(using=using, assert_all_called=False) as router:
        other = router.get(OTHER).respond(json=MINE)
        route = router.post(URL).respond(json=MINE)
        assert send().status_code == 503
        assert said(send()) == "healthy"
        assert send(OTHER, "GET").json() == MINE
        assert (other.call_count, route.call_count, router.calls.call_count) == (1, 0, 1)
    assert [attempt.request.library for attempt in run.ledger.attempts] == [using.replace("core", "x")] * 2


@ways
def test_our_requests_do_not_call_the_users_routes(run: Run, using: str, send: Callable[..., Any]) -> None:
    inject(run, "ok")

    def body() -> None:
        with respx.mock(using=using) as router:
            router.post(URL).respond(json=MINE)
            send()

    with pytest.raises(AssertionError, match="not called"):
        body()


@ways
def test_when_used_up_the_users_route_is_the_healthy_reply(run: Run, using: str, send: Callable[..., Any]) -> None:
    inject(run, "status.503", times=1)
    with respx.mock(using=using) as router:
        router.post(URL).respond(json=MINE)
        assert send().status_code == 503
        assert send().json() == MINE


@ways
def test_when_used_up_and_without_a_route(run: Run, using: str, send: Callable[..., Any]) -> None:
    inject(run, "status.503", times=1)
    with respx.mock(using=using):
        assert send().status_code == 503
        assert said(send()) == HELLO


@ways
def test_what_nothing_answers_is_refused(run: Run, using: str, send: Callable[..., Any]) -> None:
    inject(run, "status.503", host="api.example.org")
    with respx.mock(using=using), pytest.raises(Refused):
        send()
    assert len(run.ledger.refusals) == 1


@ways
def test_other_addresses_stay_the_mocks_own(run: Run, using: str, send: Callable[..., Any]) -> None:
    inject(run, "ok")
    with respx.mock(using=using), pytest.raises(AssertionError, match="not mocked"):
        send(OTHER, "GET")
    assert run.ledger.refusals == []


@ways
def test_a_route_that_passes_through(run: Run, using: str, send: Callable[..., Any]) -> None:
    server = Server()
    try:
        with respx.mock(using=using) as router:
            router.get(url__startswith=server.url).pass_through()
            assert send(f"{server.url}/mine", "GET").json() == {"real": "/mine"}
    finally:
        server.close()
    assert run.ledger.refusals == []


@pytest.mark.parametrize("using", ["httpx", "httpcore"])
def test_a_mock_from_before_the_run(using: str) -> None:
    run = Run()
    inject(run, "content.empty")
    with respx.mock(using=using, assert_all_called=False) as router:
        router.post(URL).respond(json=MINE)
        with active(run):
            assert said(httpx.post(URL, json=ASK)) == ""
        assert httpx.post(URL, json=ASK).json() == MINE


def test_a_run_and_a_mock_that_ends_in_it(run: Run) -> None:
    inject(run, "content.empty")
    with respx.mock:
        assert said(httpx.post(URL, json=ASK)) == ""
    assert said(httpx.post(URL, json=ASK)) == ""


@respx.mock
def test_the_decorator_and_a_used_up_injection(run: Run) -> None:
    respx.post(URL).respond(json=MINE)
    inject(run, "status.503", times=1)
    assert [httpx.post(URL, json=ASK).status_code for _ in range(2)] == [503, 200]


def test_unmocked_addresses_that_the_mock_answers_itself(run: Run) -> None:
    inject(run, "status.503", times=1)
    with respx.mock(assert_all_mocked=False):
        assert [httpx.post(URL, json=ASK).content for _ in range(2)][1] == b""


def test_a_router_in_a_transport_made_by_hand(run: Run) -> None:
    inject(run, "transport.reset_peer", "content.empty", times=2)
    router = respx.MockRouter(assert_all_called=False)
    route = router.post(URL).respond(json=MINE)
    with httpx.Client(transport=httpx.MockTransport(router.handler)) as client:
        with pytest.raises(httpx.ReadError):
            client.post(URL, json=ASK)
        assert said(client.post(URL, json=ASK)) == ""
        assert route.call_count == 0
        assert client.post(URL, json=ASK).json() == MINE
        route.side_effect = None
        with pytest.raises(AssertionError, match="not mocked"):
            client.get(OTHER)
    assert route.call_count == 1


def test_a_router_in_an_async_transport_made_by_hand(run: Run) -> None:
    inject(run, "transport.timeout", "content.empty", times=2)
    router = respx.MockRouter(assert_all_called=False)

    async def main() -> list[str]:
        transport = httpx.MockTransport(router.async_handler)
        async with httpx.AsyncClient(transport=transport, timeout=7) as client:
            with pytest.raises(httpx.ReadTimeout):
                await client.post(URL, json=ASK)
            return [said(await client.post(URL, json=ASK)) for _ in range(2)]

    assert asyncio.run(main()) == ["", HELLO]
    assert run.clock.elapsed_seconds == 7.0


def test_a_timeout_costs_virtual_time_and_retries_wait(run: Run) -> None:
    inject(run, "transport.timeout", "ok")
    with respx.mock(using="httpcore2"), openai.OpenAI(api_key="k", base_url=BASE, timeout=9, max_retries=1) as client:
        client.chat.completions.create(**ASK)  # type: ignore[call-overload]
    first, second = run.ledger.attempts
    assert (first.outcome, first.ended_seconds) == ("timed_out", 9.0)
    assert second.started_seconds > 9.0


def test_the_fixtures(suite: Suite) -> None:
    result = suite.run("""
        import httpx, httpx2, openai

        @pytest.mark.respx(assert_all_called=False)
        def test_respx(llmfaults, respx_mock):
            llmfaults.inject("content.empty")
            respx_mock.post(URL).respond(json={})
            assert httpx.post(URL, json={"messages": []}).json()["choices"][0]["message"]["content"] == ""

        def test_httpx2(httpx2_mock, llmfaults):
            llmfaults.inject("status.503", "ok")
            client = openai.OpenAI(base_url=URL.removesuffix("/chat/completions"))
            assert client.chat.completions.create(model="m", messages=[]).choices[0].message.content
            assert llmfaults.attempts == 2
    """)
    assert result.parseoutcomes() == {"passed": 2}


def test_a_route_that_answered_is_named_when_a_fault_never_fired(suite: Suite) -> None:
    result = suite.run("""
        import httpx

        def test_it(llmfaults, respx_mock):
            llmfaults.inject("content.empty", host="api.openai.com")
            respx_mock.post(URL).respond(json={})
            httpx.post(URL, json={"messages": []})
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*(httpx): a route of respx answered it; its host is 'gateway.example.com', not *"])


def test_what_was_made_by_hand_is_still_named(suite: Suite) -> None:
    result = suite.run("""
        import httpx

        def test_it(llmfaults):
            llmfaults.inject("content.empty")
            with httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(200, json={}))) as client:
                client.post(URL, json={"messages": []})
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*httpx was asked for *, and httpx.MockTransport answered it above the wire*"])


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(("using", "told"), [("httpx", True), ("httpcore", True), ("httpcore2", False)])
def test_a_request_that_respx_does_not_see_is_refused_and_told_why(using: str, told: bool) -> None:
    with respx.mock(using=using, assert_all_called=False) as router:
        router.get(URL).respond(json={})
        with pytest.raises(Refused) as caught:
            httpx2.post(URL, json=ASK)
    assert ("respx is active and does not see this request" in str(caught.value)) is told


@pytest.mark.usefixtures("run")
def test_what_was_told_of_one_request_is_not_told_of_the_next() -> None:
    told = "respx is active and does not see this request"
    with respx.mock(assert_all_called=False) as router:
        router.get(URL).respond(json={})
        with pytest.raises(Refused, match=told):
            httpx2.post(URL, json=ASK)
        with pytest.raises(Refused) as elsewhere:
            requests.post(URL, json=ASK, timeout=5)
    with pytest.raises(Refused) as afterwards:
        httpx2.post(URL, json=ASK)
    assert told not in str(elsewhere.value)
    assert told not in str(afterwards.value)
