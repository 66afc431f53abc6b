"""A refusal in memory is what a real gateway's is: same class, same status, same body."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import openai
import pytest
import requests
from conversations import CONVERSATIONS

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._current import active
from pytest_llmfaults._injection import Filter, Injection, checked_steps
from pytest_llmfaults._rules import RULES
from pytest_llmfaults._run import Run, Settings
from pytest_llmfaults._standing import Standing
from tests.gateway import Gateway

Told = tuple[str, int, bytes]


def told(error: openai.APIStatusError) -> Told:
    return type(error).__name__, error.status_code, error.response.content


def by_openai(url: str, body: dict[str, Any]) -> Told:
    with openai.OpenAI(api_key="sk-judge", base_url=url) as client, pytest.raises(openai.APIStatusError) as caught:
        client.chat.completions.create(**body)
    return told(caught.value)


def by_openai_asyncio(url: str, body: dict[str, Any]) -> Told:
    async def ask() -> Told:
        async with openai.AsyncOpenAI(api_key="sk-judge", base_url=url) as client:
            with pytest.raises(openai.APIStatusError) as caught:
                await client.chat.completions.create(**body)
            return told(caught.value)

    return asyncio.run(ask())


def by_requests(url: str, body: dict[str, Any]) -> Told:
    response = requests.post(f"{url}/chat/completions", json=body, timeout=5)
    with pytest.raises(requests.HTTPError) as caught:
        response.raise_for_status()
    return type(caught.value).__name__, response.status_code, response.content


def by_httpx(url: str, body: dict[str, Any]) -> Told:
    response = httpx.post(f"{url}/chat/completions", json=body, trust_env=False)
    with pytest.raises(httpx.HTTPStatusError) as caught:
        response.raise_for_status()
    return type(caught.value).__name__, response.status_code, response.content


CLIENTS = (by_openai, by_openai_asyncio, by_requests, by_httpx)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_memory_and_socket_agree(name: str, client: Callable[[str, Any], Told], stream: bool) -> None:
    body = {"model": "gpt-judge", "messages": CONVERSATIONS[name].broken, "stream": stream}
    run = Run(Settings(answer=lambda: Answer("Hello.")), name="judge")
    run.add(
        Injection(
            checked_steps(["ok"], of=None),
            covers=Filter(wire="openai.chat"),
            times=None,
            per_request=False,
            answer=None,
            where="judge",
        )
    )
    run.strictness.standings.append(Standing([RULES[name]], covers=Filter(), where="judge"))
    with Gateway(lambda _, __: run.ledger.attempts[0].reply) as gateway:
        url = f"http://127.0.0.1:{gateway.port}/v1"
        with active(run):
            memory = client(url, body)
        assert (len(run.ledger.attempts), gateway.requests) == (1, [])
        sockets = client(url, body)
        assert len(gateway.requests) == 1
    assert memory == sockets
    assert memory[1] == 400
    assert [one.rule for one in run.strictness.violations] == [name]
