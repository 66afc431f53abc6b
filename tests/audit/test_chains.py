"""Chains of litellm and langchain on their defaults: where the requests go, how long it takes, and what surfaces."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from pytest_llmfaults import Answer, LLMFaults, fault, quota
from pytest_llmfaults._injection import Step
from tests.chains.judge import PRIMARY, SECOND, memory_and_sockets

pytestmark = pytest.mark.filterwarnings("ignore")

QUESTION: Final = [{"role": "user", "content": "x"}]
OPENAI: Final = ("openai.chat", "api.openai.com", "gpt-5")
CLAUDE: Final = ("anthropic.messages", "api.anthropic.com", "claude-sonnet-5-5")
MODELS: Final = {"model": "openai/gpt-5", "fallbacks": ["anthropic/claude-sonnet-5-5"]}


@pytest.fixture
def litellm(offline: None) -> Any:  # noqa: ARG001 - it is imported in an environment in which it fetches nothing
    return importlib.import_module("litellm")


@pytest.fixture
def chain(offline: None) -> Iterator[Any]:  # noqa: ARG001
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", "placeholder-key")
        yield langchain_chain()


def langchain_chain(**options: Any) -> Any:
    first = importlib.import_module("langchain_openai").ChatOpenAI(model="gpt-5", **options)
    return first.with_fallbacks([importlib.import_module("langchain_anthropic").ChatAnthropic(model=CLAUDE[-1])])


def test_litellm_moves_on(llmfaults: LLMFaults, litellm: Any) -> None:
    llmfaults.inject("status.503", host="api.openai.com")
    llmfaults.inject(Answer("from claude"), host="api.anthropic.com")
    reply = litellm.completion(**MODELS, messages=QUESTION)
    assert reply.choices[0].message.content == "from claude"
    assert llmfaults.legs == [(*OPENAI, 3), (*CLAUDE, 1)]


@pytest.mark.asyncio
async def test_litellm_moves_on_in_a_loop(llmfaults: LLMFaults, litellm: Any) -> None:
    llmfaults.inject("status.503", host="api.openai.com")
    llmfaults.inject(Answer("from claude"), host="api.anthropic.com")
    reply = await litellm.acompletion(**MODELS, messages=QUESTION)
    assert reply.choices[0].message.content == "from claude"
    assert llmfaults.legs == [(*OPENAI, 3), (*CLAUDE, 1)]
    assert {one.library for one in llmfaults.requests} == {"aiohttp"}


def test_litellm_with_everything_down(llmfaults: LLMFaults, litellm: Any) -> None:
    llmfaults.inject("status.503", host="api.openai.com")
    llmfaults.inject("status.500", host="api.anthropic.com")
    with pytest.raises(litellm.APIConnectionError, match="AnthropicException"):
        litellm.completion(**MODELS, messages=QUESTION)
    assert llmfaults.legs == [(*OPENAI, 3), (*CLAUDE, 1)]


@pytest.mark.asyncio
async def test_litellm_in_a_loop_with_everything_down(llmfaults: LLMFaults, litellm: Any) -> None:
    llmfaults.inject("status.503", host="api.openai.com")
    llmfaults.inject("status.500", host="api.anthropic.com")
    with pytest.raises(Exception, match="AnthropicException") as raised:
        await litellm.acompletion(**MODELS, messages=QUESTION)
    assert type(raised.value) is Exception


def test_litellms_timeout_is_one_attempts_and_not_the_calls(llmfaults: LLMFaults, litellm: Any) -> None:
    llmfaults.inject(fault("transport.latency", seconds=40), host="api.openai.com")
    llmfaults.inject(Answer("from claude"), host="api.anthropic.com")
    litellm.completion(**MODELS, messages=QUESTION, timeout=10)
    assert llmfaults.legs == [(*OPENAI, 3), (*CLAUDE, 1)]
    assert 30 < llmfaults.elapsed_seconds < 33


def test_litellm_waits_for_a_spent_quota(llmfaults: LLMFaults, litellm: Any) -> None:
    llmfaults.inject(llmfaults.quota(requests=3, per_seconds=60), host="api.openai.com")
    llmfaults.inject(Answer("from claude"), host="api.anthropic.com")
    models = [litellm.completion(**MODELS, messages=QUESTION).model for _ in range(5)]
    assert models == ["gpt-5"] * 5
    assert llmfaults.waits == [0, 0, 0, 20, 0, 20]


def test_langchain_moves_on(llmfaults: LLMFaults, chain: Any) -> None:
    llmfaults.inject("status.503", host="api.openai.com")
    llmfaults.inject(Answer("from claude"), host="api.anthropic.com")
    assert chain.invoke("x").content == "from claude"
    assert llmfaults.legs == [(*OPENAI, 3), (*CLAUDE, 1)]


def test_langchain_with_everything_down_raises_what_came_first(llmfaults: LLMFaults, chain: Any) -> None:
    llmfaults.inject("status.503", host="api.openai.com")
    llmfaults.inject("status.500", host="api.anthropic.com")
    with pytest.raises(Exception, match="Error code: 503"):
        chain.invoke("x")
    assert llmfaults.legs == [(*OPENAI, 3), (*CLAUDE, 3)]


def test_langchain_takes_silence_for_an_answer(llmfaults: LLMFaults, chain: Any) -> None:
    llmfaults.inject("content.empty", host="api.openai.com")
    backup = llmfaults.inject(Answer("from claude"), host="api.anthropic.com")
    assert not chain.invoke("x").content
    assert backup.attempts == 0


@pytest.mark.asyncio
async def test_langchain_is_left_at_a_deadline(llmfaults: LLMFaults, chain: Any) -> None:
    llmfaults.inject(fault("transport.latency", seconds=40), host="api.openai.com")
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(chain.ainvoke("x"), 10)
    assert llmfaults.elapsed_seconds == 10


DOWN: Final[Mapping[str, Step]] = {PRIMARY: "status.503", SECOND: Answer("from claude")}
ALL_DOWN: Final[Mapping[str, Step]] = {PRIMARY: "status.503", SECOND: "status.500"}


def asked(litellm: Any) -> Any:
    return lambda: litellm.completion(**MODELS, messages=QUESTION).choices[0].message.content


def asked_in_a_loop(litellm: Any) -> Any:
    async def ask() -> Any:
        return (await litellm.acompletion(**MODELS, messages=QUESTION)).choices[0].message.content

    return lambda: asyncio.run(ask())


@pytest.mark.parametrize("make", [asked, asked_in_a_loop])
@pytest.mark.parametrize(("steps", "kind"), [(DOWN, "value"), (ALL_DOWN, "raised")])
def test_litellm_is_told_the_same_in_memory_as_by_sockets(
    litellm: Any, make: Any, steps: Mapping[str, Step], kind: str
) -> None:
    memory, sockets = memory_and_sockets(steps, make(litellm))
    assert memory == sockets
    assert (memory.outcome[0], memory.attempts) == (kind, {PRIMARY: 3, SECOND: 1})


@pytest.mark.parametrize(("steps", "kind"), [(DOWN, "value"), (ALL_DOWN, "raised")])
@pytest.mark.usefixtures("offline")
def test_langchain_is_told_the_same_in_memory_as_by_sockets(steps: Mapping[str, Step], kind: str) -> None:
    memory, sockets = memory_and_sockets(steps, lambda: langchain_chain().invoke("x").content)
    assert memory == sockets
    assert (memory.outcome[0], memory.attempts[PRIMARY]) == (kind, 3)


@pytest.mark.usefixtures("offline")
def test_a_quota_is_told_the_same_in_memory_as_by_sockets() -> None:
    steps: Mapping[str, Step] = {PRIMARY: quota(requests=2, per_seconds=2), SECOND: Answer("from claude")}
    memory, sockets = memory_and_sockets(
        steps, lambda: [langchain_chain().invoke("x").response_metadata["model_name"] for _ in range(3)]
    )
    assert memory == sockets
    assert memory.attempts == {PRIMARY: 4, SECOND: 0}
