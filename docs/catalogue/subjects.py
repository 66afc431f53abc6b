"""The audited clients, each on its defaults: what it is asked, and what it hands to its caller."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import importlib
import importlib.util
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

import pydantic
from asks import ASKS, MESSAGES, MODEL, QUESTION, TOOLS, Kind
from readers import Parts
from ways import Way, called, close
from ways_by_wire import WAYS

from pytest_llmfaults._wires import WIRES

__all__ = ["Parts", "Plan", "Subject", "missing", "quiet", "subjects"]

_ENVIRONMENT: Final = {
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    **{name: value for wire in WIRES.values() for name, value in wire.environment.items()},
}
_ELSEWHERE: Final = ("_BASE_URL", "_API_BASE", "_ORG_ID", "_PROXY", "_HOST", "_AUTH_TOKEN", "GOOGLE_API_KEY")
"""How variables end that would send a client somewhere else, or with another key."""

PACKAGES: Final = (
    "anthropic",
    "boto3",
    "cohere",
    "google.genai",
    "groq",
    "instructor",
    "langchain_anthropic",
    "langchain_openai",
    "litellm",
    "mistralai",
    "ollama",
    "openai",
    "pydantic_ai",
)


@dataclasses.dataclass(frozen=True, slots=True)
class Subject:
    """A client as ordinary code uses it.

    Attributes:
        name: its column.
        package: the distribution whose version says what was observed; None is this repository.
        kinds: the kinds of request that it makes; the first where a fault does not care.
        call: asks once and returns what a caller reads.
        turns: whether it comes back with results of tools; then the fault meets the first turn only.
        streamed: whether it asks for a stream.
        like: the column of the synchronous client whose other half under asyncio it is.
        own: the module of its own exceptions; None is the distribution's name.
        about: one line for the page.
    """

    name: str
    package: str | None
    kinds: tuple[Kind, ...]
    call: Callable[[Kind], Parts]
    turns: bool = False
    streamed: bool = False
    like: str | None = None
    own: str | None = None
    about: str = ""

    @property
    def module(self) -> str:
        """The module of its own exceptions."""
        return self.own or (self.package or "").replace("-", "_")


def of_way(way: Way) -> Subject:
    """Return the client that a row of data says."""
    return Subject(
        name=way.name,
        package=way.package,
        kinds=way.kinds,
        call=called(way),
        streamed=way.streamed,
        like=way.like,
        own=way.own,
        about=way.about,
    )


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
    """Give the clients placeholder keys; none of them fetches prices, sends traces or writes to the terminal.

    What a library sets in the environment when it is imported stays: litellm says once where its tokenizers are.
    """
    elsewhere = {name: value for name, value in os.environ.items() if name.endswith(_ELSEWHERE)}
    before = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | elsewhere
    for name in elsewhere:
        del os.environ[name]
    os.environ.update(_ENVIRONMENT)
    loop = asyncio.new_event_loop()  # for clients that ask for one outside of any: they would not close theirs
    asyncio.set_event_loop(loop)
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        close()
        loop.close()
        asyncio.set_event_loop(None)
        logging.disable(logging.NOTSET)
        for name in _ENVIRONMENT:
            os.environ.pop(name, None)
        os.environ.update(before)


def subjects() -> tuple[Subject, ...]:
    """Make every audited client of ``openai.chat`` that asks for a whole reply; their packages have to be installed.

    Use them inside :func:`quiet`.
    """
    plain = (of_way(way) for way in WAYS if way.wire == "openai.chat" and not way.streamed and way.like is None)
    return (
        Subject(
            "demo",
            None,
            ("data",),
            _demo(),
            own="trader",
            about="`docs/examples/trader.py`, on requests; it asks for data without a schema",
        ),
        *plain,
        Subject(
            "langchain structured",
            "langchain-openai",
            ("data",),
            _langchain_structured(),
            about="`ChatOpenAI().with_structured_output(Plan)`, a pydantic model",
        ),
        Subject(
            "instructor",
            "instructor",
            ("data",),
            _instructor(),
            about="`from_openai(OpenAI())` with that model as `response_model`",
        ),
        Subject(
            "pydantic-ai",
            "pydantic-ai-slim",
            ("data",),
            _pydantic_ai(),
            own="pydantic_ai",
            about="`Agent` with that model as `output_type`",
        ),
        Subject(
            "pydantic-ai tools",
            "pydantic-ai-slim",
            ("tools",),
            _pydantic_ai_tools(),
            turns=True,
            own="pydantic_ai",
            about='`Agent` with two tools; the fault meets the first turn, and the model then says "Done."',
        ),
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
    return {"model": MODEL, "messages": MESSAGES, **ASKS["openai.chat"][kind]}


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
