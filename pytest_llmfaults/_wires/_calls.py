"""Which calls a healthy model makes: the same on every wire, once the request is read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._request import Request
from pytest_llmfaults._schema import example, fits

__all__ = ["Choice", "calls", "functions"]


class Choice(NamedTuple):
    """What a request says about tools.

    Attributes:
        offered: the schema of the arguments of each tool.
        must: whether the model has to call one.
        names: the tools that it may call.
        single: whether it may call only one.
    """

    offered: Mapping[str, Any]
    must: bool
    names: Sequence[str]
    single: bool

    def forced(self, data: Any) -> str | None:
        """Name the tool that the answer has to call: of several the first that ``data`` fits, else the first.

        Tools that name no arguments would fit anything; they are asked last.
        """
        if not self.must or not self.names:
            return None
        ranked = sorted(self.names, key=lambda name: not self.offered[name].get("properties"))
        return next((name for name in ranked if data is not None and fits(self.offered[name], data)), self.names[0])

    def schema(self, data: Any, otherwise: Any) -> Any:
        """Return the schema of the arguments of the tool that has to be called; where none has to, ``otherwise``."""
        forced = self.forced(data)
        return otherwise if forced is None else self.offered[forced]

    @property
    def data_slot(self) -> str:
        """The slot that holds structured data: the arguments of the call that has to be made, or the text."""
        return "content" if self.forced(None) is None else "arguments"

    def text(self, answer: Answer) -> str | None:
        """Return the text of an answer; data that go into no call are JSON there."""
        if answer.data is None or self.data_slot != "content":
            return answer.text
        return json.dumps(answer.data, ensure_ascii=False)


def calls(choice: Choice, answer: Answer) -> tuple[ToolCall, ...]:
    """Return the calls of an answer, the one first that the request forces."""
    forced = choice.forced(answer.data)
    first = (ToolCall(forced, answer.data),) if forced is not None and answer.data is not None else ()
    if answer.tool_calls == "offered":
        more = tuple(ToolCall(name, example(choice.offered[name])) for name in choice.names)
        return (first or more)[:1] if choice.single else first or more
    return first + tuple(call for call in answer.tool_calls if not isinstance(call, str))


def functions(request: Request) -> dict[str, Any]:
    """Return the schemas of the arguments by name, where each tool is an object with a function in it."""
    held = [tool.get("function") for tool in request.tools if isinstance(tool, dict)]
    named = [one for one in held if isinstance(one, dict) and isinstance(one.get("name"), str)]
    given = {one["name"]: one.get("parameters") for one in named}
    return {name: schema if isinstance(schema, dict) else {"type": "object"} for name, schema in given.items()}
