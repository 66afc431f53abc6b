"""Injections and active mocks of ``responses``, side by side."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator

import pytest
import requests
import responses
import urllib3
from responses import registries

from pytest_llmfaults import Answer, Refused, Reply
from pytest_llmfaults._run import Run
from tests.suite import Suite
from tests.transports.tools import ASK, URL, Server, inject

OTHER = "https://example.com/weather"
MINE = {"mine": True}


def said(response: requests.Response) -> str:
    content: str = response.json()["choices"][0]["message"]["content"]
    return content


def ask(**more: object) -> requests.Response:
    return requests.post(URL, json={**ASK, **more}, timeout=5)


def test_an_injection_answers_beside_the_users_routes(run: Run) -> None:
    inject(run, "status.503", Answer("healthy"))
    with responses.RequestsMock() as mock:
        other = mock.add("GET", OTHER, json=MINE)
        route = mock.add("POST", URL, json=MINE)
        assert ask().status_code == 503
        assert said(ask()) == "healthy"
        assert requests.get(OTHER, timeout=1).json() == MINE
        assert (len(mock.calls), other.call_count, route.call_count) == (1, 1, 0)
        mock.assert_all_requests_are_fired = False
    assert len(run.ledger.attempts) == 2


def test_our_requests_do_not_fire_the_users_routes(run: Run) -> None:
    inject(run, "ok")

    def body() -> None:
        with responses.RequestsMock() as mock:
            mock.add("POST", URL, json=MINE)
            ask()

    with pytest.raises(AssertionError, match="Not all requests have been executed"):
        body()


def test_when_used_up_the_users_route_is_the_healthy_reply(run: Run) -> None:
    inject(run, "status.503", times=1)
    with responses.RequestsMock() as mock:
        mock.add("POST", URL, json=MINE)
        assert ask().status_code == 503
        assert ask().json() == MINE


def test_when_used_up_and_without_a_route_the_healthy_reply_answers(run: Run) -> None:
    inject(run, "status.503", times=1)
    with responses.RequestsMock() as mock:
        assert ask().status_code == 503
        assert said(ask()) == "Hello from a healthy model."
        assert len(mock.calls) == 0


def test_an_injection_that_does_not_cover_leaves_the_route_alone(run: Run) -> None:
    inject(run, "status.503", host="api.example.org")
    with responses.RequestsMock() as mock:
        mock.add("POST", URL, json=MINE)
        assert ask().json() == MINE
        assert len(mock.calls) == 1


def test_what_nothing_answers_is_refused_and_cannot_be_swallowed(run: Run) -> None:
    inject(run, "status.503", host="api.example.org")
    with responses.RequestsMock(), pytest.raises(Refused, match=r"its host is 'gateway.example.com'"):
        ask()
    assert len(run.ledger.refusals) == 1


def test_other_addresses_stay_the_mocks_own(run: Run) -> None:
    inject(run, "ok")
    with responses.RequestsMock() as mock:
        with pytest.raises(requests.ConnectionError, match="Connection refused by Responses"):
            requests.get(OTHER, timeout=1)
        assert len(mock.calls) == 1


@responses.activate(registry=registries.OrderedRegistry)
def test_the_order_of_a_registry_is_not_disturbed(run: Run) -> None:
    inject(run, "status.503", times=1)
    responses.add("POST", URL, json={"number": 1})
    responses.add("POST", URL, json={"number": 2})
    assert [ask().status_code, ask().json(), ask().json()] == [503, {"number": 1}, {"number": 2}]


def test_a_subclass_and_its_callback(run: Run) -> None:
    seen: list[int] = []

    class Mock(responses.RequestsMock):
        pass

    def note(response: requests.Response) -> requests.Response:
        seen.append(response.status_code)
        return response

    inject(run, "status.503", times=1)
    with Mock(response_callback=note) as mock:
        mock.add("POST", URL, json=MINE)
        assert [ask().status_code, ask().status_code] == [503, 200]
    assert seen == [200]


def test_passthrough_dials_out_and_is_refused_unless_loopback(run: Run) -> None:
    server = Server()
    try:
        with responses.RequestsMock() as mock:
            mock.add_passthru(server.url)
            mock.add_passthru(OTHER)
            assert requests.get(f"{server.url}/mine", timeout=1).json() == {"real": "/mine"}
            with pytest.raises(Refused):
                requests.get(OTHER, timeout=1)
    finally:
        server.close()
    assert len(run.ledger.refusals) == 1


def test_retry_runs_below_the_mock(run: Run) -> None:
    inject(run, "transport.reset_peer", "status.503", "ok")
    retry = urllib3.Retry(total=3, backoff_factor=2, allowed_methods=None, status_forcelist=[503])
    with responses.RequestsMock(), requests.Session() as session:
        session.mount("https://", requests.adapters.HTTPAdapter(max_retries=retry))
        assert session.post(URL, json=ASK, timeout=5).status_code == 200
    starts = [attempt.started_seconds for attempt in run.ledger.attempts]
    assert starts == [0.0, 0.0, 4.0]


@pytest.mark.parametrize("kind", ["file", "generator"])
def test_a_body_that_can_be_read_once(run: Run, kind: str) -> None:
    injection = inject(run, "ok", times=1)

    def pieces() -> Iterator[bytes]:
        yield b'{"model": "m", '
        yield b'"messages": []}'

    def send() -> requests.Response:
        return requests.post(URL, data=io.BytesIO(b"".join(pieces())) if kind == "file" else pieces(), timeout=1)

    with responses.RequestsMock() as mock:
        mock.add("POST", URL, json=MINE)
        assert said(send()) == "Hello from a healthy model."
        assert send().json() == MINE
    assert injection.attempts[0].request.body == b"".join(pieces())


def test_a_redirect_goes_past_the_mock_hop_by_hop(run: Run) -> None:
    inject(run, Reply(status=307, headers=(("Location", f"{URL}?again=1"),)), "ok")
    with responses.RequestsMock():
        assert said(ask()) == "Hello from a healthy model."
    assert [attempt.request.url for attempt in run.ledger.attempts] == [URL, f"{URL}?again=1"]


def test_a_route_that_answered_is_named_when_a_fault_never_fired(suite: Suite) -> None:
    result = suite.run("""
        import responses

        @responses.activate
        def test_it(llmfaults):
            llmfaults.inject("content.empty", model="gpt-4")
            responses.add("POST", URL, json={"choices": [{"message": {"content": "mine"}}]})
            assert ask() == "mine"
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*content.empty never fired*",
            "*chat/completions (requests): a route of responses answered it; its model is 'gpt-5', not model='gpt-4'*",
        ]
    )


def test_pytest_responses(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = requests.adapters.HTTPAdapter  # with its fixture in use, pytest-responses leaves this method mocked
    monkeypatch.setattr(adapter, "send", adapter.send)
    result = suite.run(
        """
        import responses as module

        def test_beside(llmfaults):
            llmfaults.inject("body.html_page", "content.empty")
            module.add("GET", "https://example.com/", json={})
            assert ask() == ""
            assert requests.get("https://example.com/").json() == {}
            assert llmfaults.waits == [1.0]
            assert len(module.calls) == 1

        def test_fixture(llmfaults, responses):
            llmfaults.inject("content.empty")
            responses.add("GET", "https://example.com/", json={})
            requests.get("https://example.com/")
            assert ask() == ""

        @pytest.mark.llmfaults("body.html_page", "content.empty", then="ok")
        def test_marker(llmfaults):
            ask()

        def test_without_us():
            with pytest.raises(requests.ConnectionError):
                ask(attempts=1)
        """,
        "-p",
        "pytest_responses",
    )
    outcomes = result.parseoutcomes()
    assert outcomes.keys() == {"passed"}


def test_imported_after_the_run_began() -> None:
    code = """
import sys, requests
from pytest_llmfaults import inject
with inject("content.empty") as seen:
    assert "responses" not in sys.modules
    import responses
    with responses.RequestsMock():
        requests.post("https://gateway.example.com/v1/chat/completions", json={"messages": []}, timeout=1)
assert seen.attempts == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True)
