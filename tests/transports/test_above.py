"""What swallows a request above the wire is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import httpx2
import openai
import pytest
import requests
import responses
import respx
import vcr  # type: ignore[import-untyped]

from pytest_llmfaults._current import active
from pytest_llmfaults._run import Run

from .tools import ASK, OK, SAID, URL, inject


def above(run: Run) -> list[tuple[str, str | None]]:
    return [(sighting.library, sighting.above) for sighting in run.ledger.sightings]


@pytest.mark.parametrize("module", [httpx, httpx2], ids=lambda module: module.__name__)
def test_hand_made_transport(in_run: Run, module: Any) -> None:
    inject(in_run, OK)
    transport = module.MockTransport(lambda _request: module.Response(200, json={}))
    with module.Client(transport=transport) as client:
        client.post(URL, json=ASK)
        client.get(URL)
    assert above(in_run) == [(module.__name__, f"{module.__name__}.MockTransport")]
    assert in_run.ledger.attempts == []


def test_nothing_is_above(in_run: Run) -> None:
    inject(in_run, OK)
    with openai.OpenAI(api_key="k", base_url="https://gateway.example.com/v1") as client:
        client.chat.completions.create(**ASK)  # type: ignore[call-overload]
    requests.post(f"{URL}?api_key=secret", json=ASK, timeout=1)
    assert above(in_run) == [("httpx2", None), ("requests", None)]
    assert "secret" not in in_run.ledger.sightings[1].url


def test_responses(in_run: Run) -> None:
    inject(in_run, OK)
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.add("POST", URL, json={})
        assert requests.post(URL, json=ASK, timeout=1).json() == SAID
    assert above(in_run) == [("requests", "responses")]


def test_adapter(in_run: Run) -> None:
    class Adapter(requests.adapters.BaseAdapter):
        def send(self, *_args: Any, **_kwargs: Any) -> requests.Response:
            response = requests.Response()
            response.status_code = 200
            response._content = b"{}"
            response.raw = None
            response.url = URL
            return response

        def close(self) -> None:
            pass

    with requests.Session() as session:
        session.mount("https://", Adapter())
        session.hooks["response"] = []
        session.send(session.prepare_request(requests.Request("POST", URL, json=ASK)), stream=True)
    ((_, name),) = above(in_run)
    assert name is not None
    assert name.endswith("Adapter")


@pytest.mark.parametrize("using", ["httpx", "httpcore"])
def test_respx(in_run: Run, using: str) -> None:
    inject(in_run, OK)
    with respx.mock(using=using, assert_all_called=False) as router:
        router.post(URL).respond(json={})
        assert httpx.post(URL, json=ASK).json() == SAID
    assert httpx.post(URL, json=ASK).json() == SAID
    assert above(in_run) == [("httpx", "respx"), ("httpx", None)]


def test_respx_before_the_run(run: Run) -> None:
    with respx.mock(using="httpcore", assert_all_called=False) as router:
        router.post(URL).respond(json={})
        with active(run):
            httpx.post(URL, json=ASK)
        httpx.post(URL, json=ASK)
    assert above(run) == [("httpx", "respx"), ("httpx", "a route of respx")]


def test_cassette(in_run: Run, tmp_path: Path) -> None:
    inject(in_run, OK)
    with vcr.use_cassette(str(tmp_path / "tape.yaml")):
        assert requests.post(URL, json=ASK, timeout=1).json() == SAID
        assert httpx.post(URL, json=ASK).json() == SAID
    assert above(in_run) == [("requests", "vcr"), ("httpx", "vcr")]
    assert len(in_run.ledger.attempts) == 2
