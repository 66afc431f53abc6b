"""The healthy replies that variants start from."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._faults import Healthy, healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._schema import example
from pytest_llmfaults._wires import Wire, wire
from pytest_llmfaults.errors import DoesNotApply, InvalidUse

__all__ = ["Asked", "bases"]

Asked = Mapping[str, Any]
"""The JSON body of the request that is answered."""

_ORIGIN: Final = "https://gateway.example.com"
_HEADERS: Final = (("Accept-Encoding", "gzip, deflate"),)
_DATA: Final = {"items": [{"name": "first", "count": 1}, {"name": "second", "count": 2}]}
_CALLS: Final = (
    ToolCall("search", {"query": "first", "limit": 1}),
    ToolCall("search", {"query": "second", "limit": 2}),
)
_THOUGHT: Final = "First I look at the question."
_PLAIN: Final[Mapping[str, Answer]] = {
    "text": Answer(),
    "calls": Answer(tool_calls=_CALLS),
    "data": Answer(data=_DATA),
    "reasoning": Answer(reasoning=_THOUGHT),
}
"""What a model says to a request of which nothing is known."""


def bases(on: str | Wire, request: Asked | None, answer: Answer | None) -> Mapping[str, Healthy]:
    """Return the healthy replies by kind, the simplest first.

    Args:
        on: the wire, or its name.
        request: the JSON body of the request; None is a plain one.
        answer: what the model says; None is a text, and what the request asks for.

    Raises:
        InvalidUse: an argument is not what it may be.
    """
    known = wire(on) if isinstance(on, str) else on
    if request is None and answer is None:
        return _plain(known)
    if answer is not None and not isinstance(answer, Answer):
        msg = f"answer={answer!r} is not an Answer, such as Answer('text') or Answer(data={{...}})."
        raise InvalidUse(msg)
    asked = _request(known, request or {})
    if answer is not None:
        return {"answer": healthy(known, asked, answer)}
    return _asked(known, asked)


def _request(known: Wire, body: Asked) -> Request:
    if not isinstance(body, Mapping):
        msg = f"request={body!r} is not the JSON body of a request, such as {{'tools': [...]}}."
        raise InvalidUse(msg)
    try:
        return known.request({**known.example, **body}, origin=_ORIGIN, headers=_HEADERS)
    except (TypeError, ValueError) as error:
        msg = f"request= is not JSON: {error}."
        raise InvalidUse(msg) from None


@functools.cache
def _plain(known: Wire) -> Mapping[str, Healthy]:
    return _made(known, _request(known, {}), _PLAIN)


def _asked(known: Wire, asked: Request) -> Mapping[str, Healthy]:
    """Answer in each way that the request allows."""
    schema = known.wants_data(asked, None)
    answers: dict[str, Answer] = {}
    if schema is not None:
        answers["data"] = Answer(data=example(schema, items=2))
        answers["short data"] = Answer(data=example(schema, items=1))
    elif known.offered(asked):
        answers["calls"] = Answer(tool_calls="offered")
    if schema is None or known.data_slot(asked) == "content":
        more = {} if schema is not None else {"text": Answer(), "reasoning": Answer(reasoning=_THOUGHT)}
        answers.update(more)
    return _made(known, asked, answers)


def _made(known: Wire, asked: Request, answers: Mapping[str, Answer]) -> Mapping[str, Healthy]:
    """Return the replies that say this, each once, so far as the wire can."""
    found: dict[str, Healthy] = {}
    for kind, answer in answers.items():
        try:
            base = healthy(known, asked, answer)
        except DoesNotApply:
            continue
        if all(base.reply != other.reply for other in found.values()):
            found[kind] = base
    return MappingProxyType(found)
