"""Injections and active cassettes of vcrpy and pytest-recording."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import httpx2
import pytest
import requests
import urllib3
import vcr  # type: ignore[import-untyped]
import yaml  # type: ignore[import-untyped]

from pytest_llmfaults import Refused
from pytest_llmfaults._run import Run
from tests.suite import Suite
from tests.transports.tools import ASK, HOST, URL, inject

USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
TAPED = {"choices": [{"message": {"content": "taped"}, "finish_reason": "stop"}], "usage": USAGE}


def cassette(path: Path, *bodies: Any, url: str = URL, body: str | None = None) -> Path:
    """Write a cassette with replies to POST ``url``."""
    interactions = [
        {
            "request": {"method": "POST", "uri": url, "body": body, "headers": {}},
            "response": {
                "status": {"code": 200, "message": "OK"},
                "headers": {"Content-Type": ["application/json"]},
                "body": {"string": json.dumps(one)},
            },
        }
        for one in bodies
    ]
    path.write_text(yaml.safe_dump({"interactions": interactions, "version": 1}))
    return path


def said(envelope: Any) -> str:
    content: str = envelope["choices"][0]["message"]["content"]
    return content


def _requests() -> Any:
    return requests.post(URL, json=ASK, timeout=5).json()


def _urllib3() -> Any:
    with urllib3.PoolManager() as pool:
        return pool.request("POST", URL, json=ASK, retries=False).json()


def _urllib() -> Any:
    request = urllib.request.Request(URL, json.dumps(ASK).encode(), {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=5) as response:  # noqa: S310
        return json.load(response)


def _http_client() -> Any:
    connection = http.client.HTTPSConnection(HOST, timeout=5)
    connection.request("POST", "/v1/chat/completions", json.dumps(ASK), {"Content-Type": "application/json"})
    value = json.load(connection.getresponse())
    connection.close()
    return value


def _async_httpx(module: Any) -> Callable[[], Any]:
    async def main() -> Any:
        async with module.AsyncClient() as client:
            return (await client.post(URL, json=ASK)).json()

    return lambda: asyncio.run(main())


def _aiohttp() -> Any:
    async def main() -> Any:
        async with aiohttp.ClientSession() as session, session.post(URL, json=ASK) as response:
            return await response.json()

    return asyncio.run(main())


WAYS: dict[str, Callable[[], Any]] = {
    "requests": _requests,
    "urllib3": _urllib3,
    "urllib": _urllib,
    "http.client": _http_client,
    "httpx": lambda: httpx.post(URL, json=ASK).json(),
    "httpx2": lambda: httpx2.post(URL, json=ASK).json(),
    "httpx asyncio": _async_httpx(httpx),
    "httpx2 asyncio": _async_httpx(httpx2),
    "aiohttp": _aiohttp,
}
ways = pytest.mark.parametrize("ask", list(WAYS.values()), ids=list(WAYS))
modes = pytest.mark.parametrize("mode", ["none", "once", "new_episodes", "all"])


@ways
@modes
def test_an_injection_comes_first_and_is_not_recorded(
    run: Run, tmp_path: Path, ask: Callable[[], Any], mode: str
) -> None:
    tape = cassette(tmp_path / "tape.yaml", TAPED)
    before = tape.read_bytes()
    inject(run, "content.empty")
    with vcr.use_cassette(str(tape), record_mode=mode, allow_playback_repeats=True):
        assert [said(ask()), said(ask())] == ["", ""]
    assert tape.read_bytes() == before
    assert len(run.ledger.attempts) == 2


@ways
def test_an_injection_is_not_recorded_into_a_new_cassette(run: Run, tmp_path: Path, ask: Callable[[], Any]) -> None:
    inject(run, "content.empty")
    tape = tmp_path / "tape.yaml"
    with vcr.use_cassette(str(tape)):
        assert said(ask()) == ""
    assert not tape.exists()


@ways
def test_when_used_up_the_cassette_is_the_healthy_reply(run: Run, tmp_path: Path, ask: Callable[[], Any]) -> None:
    tape = cassette(tmp_path / "tape.yaml", TAPED)
    inject(run, "content.empty", times=1)
    with vcr.use_cassette(str(tape), record_mode="none"):
        assert [said(ask()) for _ in range(3)] == ["", "taped", "Hello from a healthy model."]
    assert len(run.ledger.attempts) == 2


@ways
def test_what_the_cassette_does_not_hold_is_refused(run: Run, tmp_path: Path, ask: Callable[[], Any]) -> None:
    tape = cassette(tmp_path / "tape.yaml", TAPED, url="https://other.example.com/v1/chat/completions")
    before = tape.read_bytes()
    inject(run, "content.empty", host="api.example.org")
    with vcr.use_cassette(str(tape), record_mode="new_episodes"), pytest.raises(Refused):
        ask()
    assert tape.read_bytes() == before
    assert len(run.ledger.refusals) == 1


@ways
def test_what_no_injection_covers_is_the_cassettes(run: Run, tmp_path: Path, ask: Callable[[], Any]) -> None:
    tape = cassette(tmp_path / "tape.yaml", TAPED)
    inject(run, "content.empty", host="api.example.org")
    with vcr.use_cassette(str(tape), record_mode="none"):
        assert said(ask()) == "taped"
    assert [sighting.above for sighting in run.ledger.sightings if sighting.answered] == ["a cassette"]


def test_what_is_cut_is_cut_under_a_cassette_too(run: Run, tmp_path: Path) -> None:
    inject(run, "transport.reset_peer_in_body", "transport.refused", "transport.timeout")
    errors = (requests.exceptions.ChunkedEncodingError, requests.ConnectionError, requests.ReadTimeout)
    with vcr.use_cassette(str(cassette(tmp_path / "tape.yaml", TAPED))), requests.Session() as session:
        for error in errors:
            with pytest.raises(error):
                session.post(URL, json=ASK, timeout=5)
    assert [attempt.outcome for attempt in run.ledger.attempts] == ["reset", "refused", "timed_out"]


def test_retry_meets_injection_and_cassette_in_turn(run: Run, tmp_path: Path) -> None:
    inject(run, "status.503", times=2)
    retry = urllib3.Retry(total=3, allowed_methods=None, status_forcelist=[503])
    tape = cassette(tmp_path / "tape.yaml", TAPED)
    with vcr.use_cassette(str(tape), record_mode="none"), requests.Session() as session:
        session.mount("https://", requests.adapters.HTTPAdapter(max_retries=retry))
        assert said(session.post(URL, json=ASK, timeout=5).json()) == "taped"
    assert len(run.ledger.attempts) == 2


def test_pytest_recording(suite: Suite) -> None:
    tapes = suite.pytester.mkdir("cassettes") / "test_suite"
    tapes.mkdir()
    for name in ("test_first", "test_then_taped", "test_named"):
        cassette(tapes / f"{name}.yaml", TAPED)
    before = {path.name: path.read_bytes() for path in tapes.iterdir()}
    result = suite.run(
        """
        @pytest.mark.vcr
        def test_first(llmfaults):
            llmfaults.inject("body.html_page", "content.empty")
            assert ask() == ""

        @pytest.mark.vcr
        def test_then_taped(llmfaults):
            llmfaults.inject("body.html_page", times=1)
            assert ask() == "taped"

        @pytest.mark.vcr
        @pytest.mark.block_network
        def test_named(llmfaults):
            llmfaults.inject("content.empty", model="gpt-4")
            assert ask() == "taped"
        """,
        "--record-mode=new_episodes",
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*a cassette answered it; its model is 'gpt-5', not model='gpt-4'*"])
    assert {path.name: path.read_bytes() for path in tapes.iterdir()} == before
