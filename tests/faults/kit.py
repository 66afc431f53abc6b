"""Healthy replies to corrupt, and short ways to look at what a fault made of them."""

from __future__ import annotations

import json
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._faults import CATALOGUE, Fault, Healthy, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import DoesNotApply

WIRE: Final = WIRES["openai.chat"]
TEXT: Final = "Hold the position."
DATA: Final = {
    "actions": [
        {"action": "BUY", "ticker": "ACME", "quantity": 2},
        {"action": "SELL", "ticker": "INIT", "quantity": 1},
    ]
}
SEARCH: Final = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "kind": {"type": "string", "enum": ["news", "web"]},
        "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["query", "kind"],
}
ARGUMENTS: Final = {"query": "weather today", "kind": "news", "limit": 3, "tags": ["sun", "rain"]}


def tool(name: str, parameters: Any = SEARCH) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def request(**body: Any) -> Request:
    content = json.dumps({"model": "gpt-5", "messages": [], **body}).encode()
    return Request("POST", "https://api.openai.com/v1/chat/completions", body=content, wire=WIRE.name)


CALLS: Final = Answer(tool_calls=(ToolCall("search", ARGUMENTS),))
CASES: Final[dict[str, tuple[Request, Answer]]] = {
    "text": (request(), Answer(TEXT)),
    "data": (request(), Answer(data=DATA)),
    "calls": (request(tools=[tool("search")]), CALLS),
    "two calls": (request(tools=[tool("search"), tool("find")]), Answer(tool_calls="offered")),
}


def base(fault: Fault, ask: Request, answer: Answer) -> Healthy:
    return healthy(WIRE, ask, answer, needs=fault.needs, fault=fault.name)


def played(name: str, ask: Request, answer: Answer, **values: Any) -> Any:
    """Return the envelope that a row makes."""
    fault = CATALOGUE[name].with_values(values)
    return json.loads(fault.reply(base(fault, ask, answer)).body)


def message(name: str, case: str, **values: Any) -> Any:
    """Return the message that a row makes of a healthy reply."""
    return played(name, *CASES[case], **values)["choices"][0]["message"]


def structured(name: str, data: Any = DATA, schema: Any = None, **values: Any) -> str:
    """Return the text of the data that a row makes."""
    wanted = {"type": "json_schema", "json_schema": {"name": "data", "schema": schema}}
    ask = request() if schema is None else request(response_format=wanted)
    text = played(name, ask, Answer(data=data), **values)["choices"][0]["message"]["content"]
    assert isinstance(text, str)
    return text


def call(name: str, arguments: Any = ARGUMENTS, parameters: Any = SEARCH, **values: Any) -> Any:
    """Return the only call that a row makes."""
    answer = Answer(tool_calls=(ToolCall("search", arguments),))
    envelope = played(name, request(tools=[tool("search", parameters)]), answer, **values)
    (only,) = envelope["choices"][0]["message"]["tool_calls"]
    return only


def arguments(name: str, given: Any = ARGUMENTS, parameters: Any = SEARCH, **values: Any) -> Any:
    """Return the arguments of the only call that a row makes."""
    return call(name, given, parameters, **values)["function"]["arguments"]


def ending(name: str, case: str, **body: Any) -> tuple[str, int, int]:
    """Return finish reason, tokens of the answer and tokens of the reasoning that a row makes."""
    ask, answer = CASES[case]
    envelope = played(name, request(**{**ask.json, **body}), answer)
    usage = envelope["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    details = usage["completion_tokens_details"]
    return envelope["choices"][0]["finish_reason"], usage["completion_tokens"], details["reasoning_tokens"]


def replies(case: str, *families: str) -> dict[str, Reply]:
    """Return what each row of the families makes of a healthy reply; rows that do not apply are left out."""
    ask, answer = CASES[case]
    found: dict[str, Reply] = {}
    for row in CATALOGUE.values():
        if row.family in families:
            try:
                found[row.name] = row.reply(base(row, ask, answer))
            except DoesNotApply:
                continue
    return found
