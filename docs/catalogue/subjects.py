"""The audited clients, each on its defaults: what it is asked, and what it hands to its caller."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import importlib.util
import logging
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import pydantic
from asks import MESSAGES, MODEL, QUESTION, SCHEMA, TOOLS, Kind

__all__ = ["Parts", "Plan", "Subject", "missing", "quiet", "subjects"]

Parts: TypeAlias = "dict[str, Any]"
"""What a caller reads of a result, by name."""

_ENVIRONMENT: Final = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "OPENAI_API_KEY": "placeholder-key",
    "GROQ_API_KEY": "placeholder-key",
}
_MADE_UP: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""An id that a client draws at random where the reply has none."""

PACKAGES: Final = ("openai", "groq", "litellm", "langchain_openai", "instructor", "pydantic_ai")


@dataclasses.dataclass(frozen=True, slots=True)
class Subject:
    """A client as ordinary code uses it.

    Attributes:
        name: its column.
        package: the distribution whose version says what was observed; None is this repository.
        kinds: the kinds of request that it makes; the first where a fault does not care.
        call: asks once and returns what a caller reads.
        turns: whether it comes back with results of tools; then the fault meets the first turn only.
    """

    name: str
    package: str | None
    kinds: tuple[Kind, ...]
    call: Callable[[Kind], Parts]
    turns: bool = False


class Action(pydantic.BaseModel):
    """One thing to do."""

    action: Literal["BUY", "SELL", "HOLD"]
    ticker: str
    quantity: int


class Range(pydantic.BaseModel):
    """What a tool looks through."""

    name: str
    days: int


class Plan(pydantic.BaseModel):
    """The data that frameworks are asked for."""

    actions: list[Action]
    reasons: list[str]
    final: bool


def missing() -> list[str]:
    """Name the packages of the group ``audit`` that are not installed."""
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Give the clients placeholder keys; none of them fetches prices, sends traces or writes to the terminal."""
    before = dict(os.environ)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_ORG_ID", "OPENAI_PROXY", "GROQ_BASE_URL"):
        os.environ.pop(name, None)
    os.environ.update(_ENVIRONMENT)
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
        os.environ.clear()
        os.environ.update(before)


def subjects() -> tuple[Subject, ...]:
    """Make every audited client; their packages have to be installed. Use them inside :func:`quiet`."""
    raw: tuple[Kind, ...] = ("text", "data", "tools")
    return (
        Subject("demo", None, ("data",), _demo()),
        Subject("openai", "openai", raw, _sdk(_module("openai").OpenAI())),
        Subject("groq", "groq", raw, _sdk(_module("groq").Groq(base_url="https://gateway.example.com"))),
        Subject("litellm", "litellm", raw, _litellm()),
        Subject("langchain", "langchain-openai", ("text", "tools"), _langchain()),
        Subject("langchain structured", "langchain-openai", ("data",), _langchain_structured()),
        Subject("instructor", "instructor", ("data",), _instructor()),
        Subject("pydantic-ai", "pydantic-ai-slim", ("data",), _pydantic_ai()),
        Subject("pydantic-ai tools", "pydantic-ai-slim", ("tools",), _pydantic_ai_tools(), turns=True),
    )


def _module(name: str) -> Any:
    return importlib.import_module(name)


def _demo() -> Callable[[Kind], Parts]:
    examples = str(Path(__file__).resolve().parent.parent / "examples")
    if examples not in sys.path:
        sys.path.append(examples)
    decide = _module("trader").decide

    def call(_kind: Kind) -> Parts:
        decision = decide()
        return {"data": list(decision.actions), "error": decision.error}

    return call


def asked(kind: Kind) -> dict[str, Any]:
    """Return the keywords of ``chat.completions.create`` for a kind of request."""
    more: Mapping[Kind, dict[str, Any]] = {
        "text": {},
        "data": {"response_format": {"type": "json_schema", "json_schema": {"name": "plan", "schema": SCHEMA}}},
        "tools": {"tools": TOOLS, "tool_choice": "required"},
    }
    return {"model": MODEL, "messages": MESSAGES, **more[kind]}


def _sdk(client: Any) -> Callable[[Kind], Parts]:
    return lambda kind: completion(client.chat.completions.create(**asked(kind)))


def _litellm() -> Callable[[Kind], Parts]:
    litellm = _module("litellm")
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return lambda kind: completion(litellm.completion(**{**asked(kind), "model": f"openai/{MODEL}"}))


def _langchain() -> Callable[[Kind], Parts]:
    model = _module("langchain_openai").ChatOpenAI(model=MODEL)
    with_tools = model.bind_tools(TOOLS, tool_choice="required")

    def call(kind: Kind) -> Parts:
        message = (with_tools if kind == "tools" else model).invoke(QUESTION)
        calls = [{"name": one["name"], "arguments": one["args"]} for one in message.tool_calls]
        usage = message.usage_metadata or {}
        return {
            "text": message.content,
            "calls": calls,
            "bad calls": [{"name": one["name"], "arguments": one["args"]} for one in message.invalid_tool_calls],
            "finish": message.response_metadata.get("finish_reason"),
            "refusal": message.additional_kwargs.get("refusal"),
            "usage": {name: usage.get(f"{name}_tokens") for name in ("input", "output", "total")},
        }

    return call


def _data(value: Any) -> Parts:
    if isinstance(value, pydantic.BaseModel):
        return {"data": value.model_dump()}
    return {"returns": type(value).__name__, "value": repr(value)}


def _langchain_structured() -> Callable[[Kind], Parts]:
    model = _module("langchain_openai").ChatOpenAI(model=MODEL).with_structured_output(Plan)
    return lambda _kind: _data(model.invoke(QUESTION))


def _instructor() -> Callable[[Kind], Parts]:
    client = _module("instructor").from_openai(_module("openai").OpenAI())
    return lambda _kind: _data(
        client.chat.completions.create(model=MODEL, messages=list(MESSAGES), response_model=Plan)
    )


@functools.cache
def _agent(output: type) -> Any:
    return _module("pydantic_ai").Agent(f"openai-chat:{MODEL}", output_type=output)


def _pydantic_ai() -> Callable[[Kind], Parts]:
    agent = _agent(Plan)

    def call(_kind: Kind) -> Parts:
        result = agent.run_sync(QUESTION)
        return {**_data(result.output), "usage": _tokens(result)}

    return call


def _tokens(result: Any) -> Parts:
    usage = result.usage() if callable(result.usage) else result.usage
    return {"input": usage.input_tokens, "output": usage.output_tokens}


def _pydantic_ai_tools() -> Callable[[Kind], Parts]:
    agent = _agent(str)
    ran: list[Any] = []

    def add(name: str) -> None:
        def tool(
            query: str,
            kind: Literal["news", "web"],
            limit: int = 10,
            tags: list[str] | None = None,
            exact: bool = False,
            ranges: list[Range] | None = None,
        ) -> str:
            days = [one.model_dump() for one in ranges or ()]
            given = {"query": query, "kind": kind, "limit": limit, "tags": tags, "exact": exact, "ranges": days}
            ran.append({"name": name, **given})
            return "nothing new"

        agent.tool_plain(tool, name=name, description=f"{name.title()} the news.")

    for offered in TOOLS:
        add(offered["function"]["name"])

    def call(_kind: Kind) -> Parts:
        ran.clear()
        result = agent.run_sync(QUESTION)
        return {"text": result.output, "ran": sorted(ran, key=repr), "usage": _tokens(result)}

    return call


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def completion(value: Any) -> Parts:
    """Return what a caller reads of a chat completion; of anything else, what it is."""
    if not hasattr(value, "choices"):
        return {"returns": type(value).__name__, "value": repr(value)}
    choices, usage = value.choices, _field(value, "usage")
    tokens = {name: _field(usage, f"{name}_tokens") for name in ("prompt", "completion", "total")}
    parts: Parts = {"usage": tokens}
    if not isinstance(choices, list) or not choices:
        return {**parts, "choices": repr(choices)}
    message = _field(choices[0], "message")
    if message is None:
        return {**parts, "message": None}
    calls = _field(message, "tool_calls")
    thought = _field(message, "reasoning_content")
    return {
        **parts,
        "choices": len(choices),
        "text": _field(message, "content"),
        "calls": [_call(one) for one in calls] if isinstance(calls, list) else calls,
        "finish": _field(choices[0], "finish_reason"),
        "refusal": _field(message, "refusal"),
        "reasoning": thought if thought is not None else _field(message, "reasoning"),
    }


def _call(one: Any) -> Parts:
    function, one_id = _field(one, "function"), _field(one, "id")
    return {
        "name": _field(function, "name"),
        "arguments": _field(function, "arguments"),
        "id": _MADE_UP.sub("made up by the client", one_id) if isinstance(one_id, str) else one_id,
        "type": _field(one, "type"),
    }
