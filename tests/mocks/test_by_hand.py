"""A fault for a route that was made by hand, with and without a run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import httpx2
import openai
import pytest
import pytest_httpx2  # noqa: F401 - registers the mocker for httpcore2
import requests
import responses
import respx
import urllib3

from pytest_llmfaults import Answer, InvalidUse, Refused, Reply, UnknownFault, Unsupported, as_callback, as_side_effect
from pytest_llmfaults._faults import CATALOGUE, CORE, Fault
from pytest_llmfaults._run import Run
from pytest_llmfaults._transports._mocks._untold import UNTOLD
from pytest_llmfaults.errors import WaitsForever
from tests.judge import in_memory
from tests.judge_cases import Case
from tests.transports.tools import ASK, BASE, URL

from .clients import CLIENTS
from .handmade import HANDMADE, by_hand
from .test_truth import SHAPES, STEPS, fitting
from .test_truth import URL as JUDGED


def said(response: requests.Response | httpx.Response) -> str:
    content: str = response.json()["choices"][0]["message"]["content"]
    return content


def ask(session: requests.Session | None = None, timeout: float | None = 5) -> requests.Response:
    return (session or requests.Session()).post(URL, json=ASK, timeout=timeout)


def with_retry() -> requests.Session:
    session = requests.Session()
    retry = urllib3.Retry(total=2, backoff_factor=0, allowed_methods=None, status_forcelist=[503])
    session.mount("https://", requests.adapters.HTTPAdapter(max_retries=retry))
    return session


# What is told is told truly, and what is not is refused by name


def _cases() -> list[tuple[str, str]]:
    return [(name, family) for name in HANDMADE for family in (*SHAPES, "core")]


def _listed(name: str, step: Fault) -> bool:
    mock = "responses" if name.startswith("requests") else "respx"
    below_its_timeout = step.name == "transport.latency" and step.given["seconds"] == min(
        one.given["seconds"] for one in STEPS if one.name == "transport.latency"
    )
    return any(
        step.name in one.faults and one.mock == mock and (not one.retry or ("Retry" in name and not below_its_timeout))
        for one in UNTOLD
    )


@pytest.mark.parametrize(("name", "family"), _cases())
def test_rows(name: str, family: str) -> None:
    steps = [CATALOGUE[row] for row in CORE if row != "transport.latency"] if family == "core" else STEPS
    for step in steps:
        if family not in {"core", step.family}:
            continue
        body, answer = fitting(step)
        if _listed(name, step):
            with pytest.raises((Refused, Unsupported), match=step.name):
                by_hand(name, (step, "ok"), JUDGED, body, answer, 2)
            continue
        truth = in_memory(CLIENTS[HANDMADE[name][0]], (step, "ok"), JUDGED, Case(body, answer), 2, [])
        assert by_hand(name, (step, "ok"), JUDGED, body, answer, 2) == (truth.attempts, truth.outcomes), step.label


def test_what_is_listed_is_in_the_catalogue_and_says_why() -> None:
    for one in UNTOLD:
        assert set(one.faults) <= set(CATALOGUE)
        assert one.reason


# Without a run


@responses.activate
def test_a_callback() -> None:
    answer = Answer("fine")
    responses.add_callback("POST", URL, callback=as_callback("body.html_page", "status.503", "ok", answer=answer))
    page = ask()
    assert page.headers.get_all("Content-Type") if hasattr(page.headers, "get_all") else page.headers["Content-Type"]
    with pytest.raises(requests.JSONDecodeError):
        page.json()
    assert ask().status_code == 503
    assert [said(ask()), said(ask())] == ["fine", "fine"]
    assert len(responses.calls) == 4


@responses.activate
def test_a_body_that_breaks_part_way() -> None:
    responses.add_callback("POST", URL, callback=as_callback("transport.reset_peer_in_body"))
    response = requests.post(URL, json=ASK, timeout=5, stream=True)
    pieces: list[bytes] = []
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        pieces.extend(response.iter_content(1))
    assert response.status_code == 200


@responses.activate
def test_the_clients_own_timeout() -> None:
    responses.add_callback("POST", URL, callback=as_callback("transport.timeout"))
    with pytest.raises(requests.ReadTimeout, match=r"read timeout=5"):
        ask()
    with pytest.raises(WaitsForever):
        ask(timeout=None)


@responses.activate
def test_headers_that_come_twice() -> None:
    reply = Reply(headers=(("X-A", "1"), ("X-A", "2"), ("Content-Type", "a/b")), chunks=(b"{}",))
    responses.add_callback("POST", URL, callback=as_callback(reply))
    assert ask().headers["X-A"] == "1, 2"
    assert ask().headers["Content-Type"] == "a/b"


@pytest.fixture(params=["httpx", "httpcore"])
def router(request: pytest.FixtureRequest) -> Iterator[respx.MockRouter]:
    with respx.mock(using=request.param) as router:
        yield router


def test_a_side_effect(router: respx.MockRouter) -> None:
    router.post(URL).mock(side_effect=as_side_effect("transport.reset_peer", "status.503", "ok"))
    with pytest.raises(httpx.ReadError) as caught:
        httpx.post(URL, json=ASK)
    assert caught.value.request.method == "POST"
    assert httpx.post(URL, json=ASK).status_code == 503
    assert said(httpx.post(URL, json=ASK)) == "Hello from a healthy model."
    assert router.calls.call_count == 3


def test_an_async_side_effect(router: respx.MockRouter) -> None:
    router.post(URL).mock(side_effect=as_side_effect("transport.closed_in_body", "ok"))

    async def main() -> str:
        async with httpx.AsyncClient() as client:
            async with client.stream("POST", URL, json=ASK) as response:
                assert response.status_code == 200
                with pytest.raises(httpx.RemoteProtocolError):
                    await response.aread()
            return said(await client.post(URL, json=ASK))

    assert asyncio.run(main()) == "Hello from a healthy model."


def test_httpx2_gets_its_own_classes() -> None:
    with respx.mock(using="httpcore2") as router:
        router.post(URL).mock(side_effect=as_side_effect("transport.timeout", "transport.reset_peer_in_body", "ok"))
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(URL, json=ASK)
        with pytest.raises(httpx2.ReadError):
            httpx2.post(URL, json=ASK)
        with openai.OpenAI(api_key="k", base_url=BASE) as client:
            assert client.chat.completions.create(**ASK).choices  # type: ignore[call-overload]


def test_a_router_in_a_transport_made_by_hand() -> None:
    router = respx.MockRouter()
    router.post(URL).mock(side_effect=as_side_effect("content.empty"))
    with httpx.Client(transport=httpx.MockTransport(router.handler)) as client:
        assert said(client.post(URL, json=ASK)) == ""


@responses.activate
def test_another_path_names_its_wire() -> None:
    url = "https://llm.example.com/ask"
    responses.add_callback("POST", url, callback=as_callback("content.empty", wire="openai.chat"))
    assert said(requests.post(url, json=ASK, timeout=1)) == ""
    responses.replace(responses.CallbackResponse("POST", url, callback=as_callback("content.empty")))
    with pytest.raises(Refused, match="name it with wire="):
        requests.post(url, json=ASK, timeout=1)


def test_bad_steps_are_refused_where_they_are_written() -> None:
    with pytest.raises(UnknownFault, match=r"content.empty"):
        as_callback("content.emty")
    with pytest.raises(InvalidUse):
        as_side_effect()
    with pytest.raises(InvalidUse, match=r"openai.chat"):
        as_side_effect("ok", wire="openai.chatt")
    for make in (as_callback, as_side_effect):
        with pytest.raises(Unsupported, match=r"transport.stale_keep_alive cannot be told truly"):
            make("ok", "transport.stale_keep_alive")
    with pytest.raises(Unsupported, match="goes past the mock"):
        as_side_effect("transport.content_length_too_short")
    as_callback("transport.content_length_too_short")


@responses.activate
def test_a_function_that_returns_what_cannot_be_told() -> None:
    responses.add_callback("POST", URL, callback=as_callback(lambda _request: "transport.stale_keep_alive"))
    with pytest.raises(Refused, match=r"transport.stale_keep_alive cannot be told truly"):
        ask()


@responses.activate
def test_retry_never_runs_under_a_callback_and_that_is_said() -> None:
    responses.add_callback("POST", URL, callback=as_callback("transport.refused", "ok"))
    with with_retry() as session, pytest.raises(Refused, match=r"transport.refused cannot be told truly .* Retry"):
        ask(session)


@responses.activate
def test_what_responses_retries_itself_is_told() -> None:
    responses.add_callback("POST", URL, callback=as_callback("status.503", "ok"))
    with with_retry() as session:
        assert ask(session).status_code == 200
    assert len(responses.calls) == 2


def test_threads_and_tasks_do_not_disturb_each_other() -> None:
    async def main(router: respx.MockRouter) -> list[str]:
        router.post(URL).mock(side_effect=as_side_effect(*[Answer(str(number)) for number in range(20)]))
        async with httpx.AsyncClient() as client:
            return [said(one) for one in await asyncio.gather(*(client.post(URL, json=ASK) for _ in range(20)))]

    with respx.mock() as router:
        assert sorted(asyncio.run(main(router)), key=int) == [str(number) for number in range(20)]


# In a run


@responses.activate
def test_time_passes_in_the_run(run: Run) -> None:
    responses.add_callback(
        "POST", "https://llm.example.com/ask", callback=as_callback("transport.timeout", wire="openai.chat")
    )
    with pytest.raises(requests.ReadTimeout):
        requests.post("https://llm.example.com/ask", json=ASK, timeout=7)
    assert run.clock.elapsed_seconds == 7.0
    assert run.ledger.attempts == []


@responses.activate
def test_a_refusal_fails_the_run(run: Run) -> None:
    responses.add_callback("POST", URL, callback=as_callback("transport.refused"))
    with with_retry() as session, pytest.raises(Refused):
        ask(session)
    assert len(run.ledger.refusals) == 1
