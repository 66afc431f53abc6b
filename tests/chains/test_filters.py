"""``wire=``, ``host=``, ``model=``, ``on(...)`` and ``legs``: what is covered and seen, and names that are wrong."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from pytest_llmfaults import InvalidUse, Leg, LLMFaults, NeverFired, Refused, inject
from pytest_llmfaults._filter import Filter
from pytest_llmfaults._request import Request

OPENAI = "https://api.openai.com/v1/chat/completions"
CLAUDE = "https://api.anthropic.com/v1/messages"


@functools.cache
def _client() -> httpx2.Client:
    return httpx2.Client()


def post(url: str = OPENAI, model: str = "gpt-5") -> int:
    body = {"model": model, "messages": [{"role": "user", "content": "x"}], "max_tokens": 9}
    return _client().post(url, json=body).status_code


def request(url: str = OPENAI, model: str = "gpt-5") -> Request:
    return Request("POST", url, body=f'{{"model": "{model}", "messages": []}}'.encode(), wire="openai.chat")


def test_legs_are_the_way_that_requests_took(llmfaults: LLMFaults) -> None:
    llmfaults.inject("ok")
    for url, model in ((OPENAI, "gpt-5"), (OPENAI, "gpt-5"), (OPENAI, "gpt-5-mini"), (CLAUDE, "c"), (OPENAI, "gpt-5")):
        post(url, model)
    assert llmfaults.legs == [
        ("openai.chat", "api.openai.com", "gpt-5", 2),
        ("openai.chat", "api.openai.com", "gpt-5-mini", 1),
        ("anthropic.messages", "api.anthropic.com", "c", 1),
        ("openai.chat", "api.openai.com", "gpt-5", 1),
    ]
    assert llmfaults.on(wire="anthropic.messages").legs == [Leg("anthropic.messages", "api.anthropic.com", "c", 1)]


def test_a_view_of_a_wire_a_host_or_a_model(llmfaults: LLMFaults) -> None:
    primary = llmfaults.inject("status.503", wire="openai.chat")
    llmfaults.inject("ok", host="*.anthropic.com")
    for url, model in ((OPENAI, "gpt-5"), (CLAUDE, "claude-a"), (OPENAI, "gpt-5-mini")):
        post(url, model)
    on = llmfaults.on
    assert [on(wire="openai.chat").attempts, on(host="api.anthropic.com").attempts, on(model="gpt-5*").attempts] == [
        2,
        1,
        2,
    ]
    assert [reply.status for reply in on(host="*.openai.com").replies] == [503, 503]
    assert primary.on(model="gpt-5-mini").waits == []
    assert on(model="claude-b").attempts == 0


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ({"wire": "openai.chta"}, "wire='openai.chta' is not a wire. Did you mean 'openai.chat'"),
        ({"wire": 7}, "wire=7 is not the name of a wire"),
        ({"host": ""}, "host='' is not the name of a host"),
        ({"host": "https://api.openai.com"}, "leave scheme, port and path out"),
        ({"host": "api.openai.com:443"}, "leave scheme, port and path out"),
        ({"host": "api.*.com"}, "is not a host name, such as 'api.openai.com' or '*.openai.com'"),
        ({"host": "api openai com"}, "is not a host name"),
        ({"host": ["api.openai.com"]}, "is not the name of a host"),
        ({"model": ""}, "model='' is not the name of a model"),
        ({"model": ("gpt-5", "gpt-6")}, "is not the name of a model"),
        ({"when": "tools"}, "when='tools' is not a function of a request"),
    ],
)
def test_names_that_no_request_could_match(llmfaults: LLMFaults, names: dict[str, Any], text: str) -> None:
    uses: tuple[Callable[[], object], ...] = (lambda: llmfaults.inject("ok", **names), lambda: llmfaults.on(**names))
    for use in uses:
        with pytest.raises(InvalidUse) as raised:
            use()
        assert text in str(raised.value)


@pytest.mark.parametrize("host", ["api.openai.com", "API.OpenAI.com", "*.openai.com", "localhost", "127.0.0.1", "::1"])
def test_hosts_that_are_names(host: str) -> None:
    url = "http://[::1]:8000/v1/chat/completions" if host == "::1" else f"http://{host.replace('*', 'eu')}:80/x"
    assert Filter(host=host).misses(request(url)) is None


def test_a_misspelt_host_is_told_when_the_fault_never_fires(llmfaults: LLMFaults) -> None:
    llmfaults.inject("ok", host="api.openai.com")
    with pytest.raises(NeverFired) as raised, llmfaults.inject("status.503", host="api.opnai.com"):
        post()
    assert "its host is 'api.openai.com', not host='api.opnai.com'; did you mean 'api.openai.com'?" in str(raised.value)


def test_a_misspelt_model_is_told_when_the_request_is_refused() -> None:
    with pytest.raises(Refused, match=r"not model='gtp-5-mini'; did you mean 'gpt-5-mini'\?"):
        with_model("gtp-5-mini", "gpt-5-mini")


def test_another_provider_is_no_misspelling() -> None:
    with pytest.raises(Refused) as raised:
        with_model("claude-sonnet-5-5", "gpt-5")
    assert "its model is 'gpt-5'" in str(raised.value)
    assert "did you mean" not in str(raised.value)
    assert not Filter(host="api.anthropic.com").meant(request())


def with_model(injected: str, asked: str) -> None:
    with inject("ok", model=injected):
        post(model=asked)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {"host": "api.openai.com"}),
        ({"host": "api.openai.com"}, {"host": "API.openai.com"}),
        ({"host": "*.openai.com"}, {"host": "eu.api.openai.com"}),
        ({"host": "*.openai.com"}, {"host": "*.api.openai.com", "model": "gpt-5"}),
        ({"wire": "openai.chat"}, {"wire": "openai.chat", "model": "gpt-5"}),
        ({"model": "gpt-5*"}, {"model": "gpt-5-mini"}),
        ({"model": "gpt-5"}, {"model": "gpt-5", "when": bool}),
    ],
)
def test_one_that_is_hidden_by_an_earlier_one(
    llmfaults: LLMFaults, first: dict[str, Any], second: dict[str, Any]
) -> None:
    llmfaults.inject("ok", **first)
    with pytest.raises(InvalidUse, match="can never be reached"):
        llmfaults.inject("ok", **second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"host": "api.openai.com"}, {}),
        ({"host": "api.openai.com"}, {"host": "*.openai.com"}),
        ({"host": "api.openai.com"}, {"wire": "openai.chat", "host": "api.openai.com"}),  # a path that is no route
        ({"wire": "openai.chat"}, {"wire": "anthropic.messages"}),
        ({"model": "gpt-5-mini"}, {"model": "gpt-5*"}),
        ({"model": "gpt-5", "when": bool}, {"model": "gpt-5"}),
        ({"model": "gpt-5", "times": 1}, {"model": "gpt-5"}),
    ],
)
def test_one_that_is_not_hidden(llmfaults: LLMFaults, first: dict[str, Any], second: dict[str, Any]) -> None:
    llmfaults.inject("ok", **first)
    llmfaults.inject("ok", **second)
