"""What litellm on its routes and langchain-anthropic make of healthy replies, and how often they ask."""

from __future__ import annotations

import asyncio
import functools
import importlib
import json
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pytest

from pytest_llmfaults import Answer, ToolCall, Usage, inject

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("offline")]

QUESTION: Final = [{"role": "user", "content": "What now?"}]
TOOL: Final = {
    "type": "function",
    "function": {
        "name": "search",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}
ARGUMENTS: Final = {"query": "ACME today"}
THOUGHT: Final = Answer("Hold.", reasoning="First I look.", usage=Usage(24, 17, 5))
CALLS: Final = Answer(tool_calls=(ToolCall("search", ARGUMENTS),))
ROUTES: Final[Mapping[str, Mapping[str, Any]]] = {
    "openai.chat": {"model": "openai/acme-large", "api_base": "https://gateway.example/v1"},
    "anthropic.messages": {"model": "anthropic/claude-sonnet-5-5"},
    "gemini": {"model": "gemini/gemini-3.8-flash"},
}
"""A gateway that speaks as OpenAI does, and two providers' own wires."""

ATTEMPTS: Final = {"openai.chat": 3, "anthropic.messages": 1, "gemini": 1}
"""Only on the first litellm asks through an SDK, which retries."""


def ways(litellm: Any) -> Iterator[Callable[..., Any]]:
    yield litellm.completion
    yield lambda **asked: asyncio.run(litellm.acompletion(**asked))


def streamed(litellm: Any) -> Iterator[Callable[..., list[Any]]]:
    async def chunks(**asked: Any) -> list[Any]:
        return [chunk async for chunk in await litellm.acompletion(**asked, stream=True)]

    yield lambda **asked: list(litellm.completion(**asked, stream=True))
    yield lambda **asked: asyncio.run(chunks(**asked))


@pytest.fixture
def litellm() -> Any:
    return importlib.import_module("litellm")


@pytest.mark.parametrize("wire", ROUTES)
def test_litellm_makes_its_own_objects_of_a_healthy_reply(litellm: Any, wire: str) -> None:
    for ask in ways(litellm):
        with inject(THOUGHT) as seen:
            reply = ask(**ROUTES[wire], messages=QUESTION)
        assert [one.wire for one in seen.requests] == [wire]
        assert type(reply) is litellm.ModelResponse
        message = reply.choices[0].message
        assert (message.content, message.reasoning_content) == ("Hold.", "First I look.")
        assert reply.choices[0].finish_reason == "stop"
        assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (24, 17)
        with inject(CALLS):
            reply = ask(**ROUTES[wire], messages=QUESTION, tools=[TOOL])
        (call,) = reply.choices[0].message.tool_calls
        assert isinstance(call, litellm.ChatCompletionMessageToolCall)
        assert (call.function.name, json.loads(call.function.arguments)) == ("search", ARGUMENTS)
        assert reply.choices[0].finish_reason == "tool_calls"


@pytest.mark.parametrize("wire", ROUTES)
def test_litellm_makes_its_own_chunks_of_a_healthy_stream(litellm: Any, wire: str) -> None:
    for ask in streamed(litellm):
        with inject(THOUGHT) as seen:
            chunks = ask(**ROUTES[wire], messages=QUESTION)
        assert len(seen.streams) == 1
        assert {type(chunk) for chunk in chunks} <= {litellm.ModelResponseStream}
        deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
        assert "".join(delta.content or "" for delta in deltas) == "Hold."
        assert "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas) == "First I look."
        with inject(CALLS):
            chunks = ask(**ROUTES[wire], messages=QUESTION, tools=[TOOL])
        pieces = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
        assert [piece.function.name for piece in pieces if piece.function.name] == ["search"]
        assert json.loads("".join(piece.function.arguments or "" for piece in pieces)) == ARGUMENTS


@pytest.mark.parametrize("wire", ROUTES)
def test_how_often_litellm_asks_an_overloaded_server(litellm: Any, wire: str) -> None:
    for ask in ways(litellm):
        with inject("status.503") as seen, pytest.raises(litellm.ServiceUnavailableError):
            ask(**ROUTES[wire], messages=QUESTION)
        assert seen.attempts == ATTEMPTS[wire]
        assert [one.wire for one in seen.requests] == [wire] * ATTEMPTS[wire]


def asked(method: str) -> Callable[..., Any]:
    """Return what asks ChatAnthropic by one of its four methods, and adds what comes in pieces."""
    model = importlib.import_module("langchain_anthropic").ChatAnthropic(model="claude-sonnet-5-5")

    async def apieces(model: Any) -> list[Any]:
        return [chunk async for chunk in model.astream("x")]

    made: Mapping[str, Callable[[Any], Any]] = {
        "invoke": lambda model: model.invoke("x"),
        "ainvoke": lambda model: asyncio.run(model.ainvoke("x")),
        "stream": lambda model: functools.reduce(operator.add, model.stream("x")),
        "astream": lambda model: functools.reduce(operator.add, asyncio.run(apieces(model))),
    }
    return lambda tools=(): made[method](model.bind_tools(list(tools)) if tools else model)


@pytest.mark.parametrize("method", ["invoke", "ainvoke", "stream", "astream"])
def test_langchain_anthropic_makes_messages_of_a_healthy_reply(method: str) -> None:
    messages = importlib.import_module("langchain_core.messages")
    made = messages.AIMessageChunk if "stream" in method else messages.AIMessage
    ask = asked(method)
    with inject(THOUGHT) as seen:
        message = ask()
    assert [one.wire for one in seen.requests] == ["anthropic.messages"]
    assert len(seen.streams) == ("stream" in method)
    assert type(message) is made
    assert str(message.text) == "Hold."
    assert [one["reasoning"] for one in message.content_blocks if one["type"] == "reasoning"] == ["First I look."]
    assert message.response_metadata["stop_reason"] == "end_turn"
    assert (message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]) == (24, 17)
    with inject(CALLS):
        message = ask([TOOL])
    assert [(call["name"], call["args"]) for call in message.tool_calls] == [("search", ARGUMENTS)]
    assert message.invalid_tool_calls == []


@pytest.mark.parametrize("method", ["invoke", "ainvoke", "stream", "astream"])
def test_langchain_anthropic_asks_an_overloaded_server_again(method: str) -> None:
    ask = asked(method)
    with inject("status.503", "status.503", "ok") as seen:
        message = ask()
    assert message.text
    assert seen.attempts == 3
    with inject("status.503") as seen, pytest.raises(Exception, match="503"):
        ask()
    assert seen.attempts == 3


def test_the_loop_of_the_audited_clients_is_closed_also_where_they_left_nothing_in_it() -> None:
    ways, rows = importlib.import_module("ways"), importlib.import_module("ways_by_wire").WAYS
    way = next(one for one in rows if one.name == "ollama, async")
    for _ in range(2):
        with inject(Answer("Hold.")):
            parts = ways.called(way)("text")
        assert parts["text"] == "Hold."
        ways.close()
