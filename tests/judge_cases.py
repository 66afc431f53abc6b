"""Requests to judge with: each row gets one that holds what it corrupts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._faults import Fault, healthy
from pytest_llmfaults._injection import Step
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import DIALECTS, WIRES, in_dialect
from pytest_llmfaults.errors import DoesNotApply
from tests.bedrock_asks import formatted, tooled

PATH: Final = "/v1/chat/completions"
PATHS: Final = {
    "openai.chat": PATH,
    "anthropic.messages": "/v1/messages",
    "openai.responses": "/v1/responses",
    "ollama.chat": "/api/chat",
    "ollama.generate": "/api/generate",
    "cohere.chat": "/v2/chat",
    "openai.embeddings": "/v1/embeddings",
    "mistral.chat": PATH,
}
GEMINI_ROOT: Final = "/v1/models/gemini-judge:"
GEMINI_PATHS: Final = {False: f"{GEMINI_ROOT}generateContent", True: f"{GEMINI_ROOT}streamGenerateContent?alt=sse"}
BEDROCK_MODEL: Final = "anthropic.judge"
BEDROCK_PATHS: Final = {False: f"/model/{BEDROCK_MODEL}/converse", True: f"/model/{BEDROCK_MODEL}/converse-stream"}
_MESSAGES: Final = [{"role": "user", "content": "hello"}]
_BODIES: Final[dict[str, dict[str, Any]]] = {
    "openai.chat": {"model": "gpt-judge", "messages": _MESSAGES},
    "anthropic.messages": {"model": "claude-judge", "max_tokens": 1024, "messages": _MESSAGES},
    "openai.responses": {"model": "gpt-judge", "input": _MESSAGES},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]},
    "bedrock.converse": {"messages": [{"role": "user", "content": [{"text": "hello"}]}]},
    "ollama.chat": {"model": "qwen-judge", "messages": _MESSAGES, "stream": False},
    "ollama.generate": {"model": "qwen-judge", "prompt": "hello", "stream": False},
    "cohere.chat": {"model": "command-judge", "messages": _MESSAGES},
    "openai.embeddings": {"model": "text-embedding-judge", "input": ["hello", "there"], "dimensions": 8},
    "mistral.chat": {"model": "mistral-judge", "messages": _MESSAGES},
}


@dataclasses.dataclass(frozen=True)
class Case:
    """A request, and what a healthy model answers.

    Attributes:
        extra: fields of the request's body besides model and messages.
        answer: the answer.
        wire: the wire.
        at: the path that the request goes to, where the wire has several.
        dialect: how the host speaks the wire.
    """

    extra: dict[str, Any]
    answer: Answer
    wire: str = "openai.chat"
    at: str = ""
    dialect: str | None = None

    @property
    def path(self) -> str:
        """The path that the request goes to."""
        return self.at or PATHS[self.wire]

    @property
    def body(self) -> dict[str, Any]:
        """The body of the request."""
        return {**_BODIES[self.wire], **self.extra}

    def reply(self, fault: Fault) -> Reply:
        """Make the reply that a row plays.

        Raises:
            DoesNotApply: this request does not hold what the row corrupts.
        """
        headers = (("Accept-Encoding", "gzip, deflate"),)
        content = json.dumps(self.body).encode()
        wire = WIRES[self.wire]
        if self.dialect is not None:
            wire = in_dialect(wire, DIALECTS[self.dialect])
        request = wire.takes(Request("POST", f"http://127.0.0.1:80{self.path}", headers, content))
        base = healthy(wire, request, fault.answer or self.answer, needs=fault.needs, fault=fault.name)
        return fault.reply(base)

    def connection(self, step: Step) -> str:
        """Tell how the connection opens, or does not, under a step."""
        if isinstance(step, Fault):
            return self.reply(step).connection
        return step.connection if isinstance(step, Reply) else "accepted"


def _tool(name: str) -> dict[str, Any]:
    properties = {
        "query": {"type": "string"},
        "kind": {"type": "string", "enum": ["news", "web"]},
        "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "exact": {"type": "boolean"},
        "ranges": {"type": "array", "items": {"type": "object", "properties": {"days": {"type": "integer"}}}},
    }
    schema = {"type": "object", "properties": properties, "required": ["query", "kind"]}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


_ARGUMENTS: Final = {
    "query": "weather",
    "kind": "news",
    "limit": 3,
    "tags": ["sun", "rain"],
    "exact": True,
    "ranges": [{"days": 7}, {"days": 30}],
}
_DATA: Final = {
    "orders": [{"kind": "news", "n": 1, "name": "a"}, {"kind": "web", "n": 2, "name": "b"}],
    "on": True,
    "note": "A text.",
    "kind": "news",
    "count": 3,
    "price": 1.5,
}
_ITEM: Final = {"type": "object", "properties": {"kind": {"enum": ["news", "web"]}, "n": {"type": "integer"}}}
_SCHEMA: Final = {
    "type": "object",
    "properties": {"kind": {"enum": ["news", "web"]}, "orders": {"type": "array", "items": _ITEM}},
}
_FORMAT: Final = {"type": "json_schema", "json_schema": {"name": "data", "schema": _SCHEMA}}

PLAIN: Final = Case({}, Answer("Hold the position."))
CASES: Final = (
    PLAIN,
    Case({"tools": [_tool("search")]}, Answer(tool_calls=(ToolCall("search", _ARGUMENTS),))),
    Case({"tools": [_tool("search"), _tool("find")]}, Answer(tool_calls="offered")),
    Case({"tools": [_tool("search")], "tool_choice": "required"}, Answer()),
    Case({}, Answer(data=_DATA)),
    Case({"response_format": _FORMAT}, Answer(data=_DATA)),
    Case({}, Answer(data={"ids": ["a", "b"], "kind": "news"})),
    Case({"response_format": _FORMAT}, Answer(data={"ids": ["a", "b"], "kind": "news"})),
)


_WITH_USAGE: Final = {"stream": True, "stream_options": {"include_usage": True}}
STREAMS: Final = (
    *(Case({**case.extra, **_WITH_USAGE}, case.answer) for case in CASES),
    *(Case({**PLAIN.extra, "stream": True, **more}, PLAIN.answer) for more in ({}, {"n": 2})),
)
"""The same requests for a stream, with usage; and one without usage, and one for two choices."""


MISTRAL: Final = tuple(Case(case.extra, case.answer, "mistral.chat") for case in CASES)
MISTRAL_STREAMS: Final = (
    *(Case({**case.extra, "stream": True}, case.answer, "mistral.chat") for case in MISTRAL),
    Case({"stream": True, "n": 2}, PLAIN.answer, "mistral.chat"),
)
"""The same on the wire mistral.chat, where usage comes unasked."""


def _anthropic(extra: dict[str, Any], answer: Answer) -> Case:
    return Case(extra, answer, "anthropic.messages")


_INPUTS: Final = [{"name": name, "input_schema": _tool(name)["function"]["parameters"]} for name in ("search", "find")]
_CONFIG: Final = {"format": {"type": "json_schema", "schema": _SCHEMA}}
ANTHROPIC: Final = (
    _anthropic({}, PLAIN.answer),
    _anthropic({"tools": _INPUTS[:1]}, Answer(tool_calls=(ToolCall("search", _ARGUMENTS),))),
    _anthropic({"tools": _INPUTS}, Answer(tool_calls="offered")),
    _anthropic({"tools": _INPUTS[:1], "tool_choice": {"type": "any"}}, Answer()),
    _anthropic({}, Answer(data=_DATA)),
    _anthropic({"output_config": _CONFIG}, Answer(data=_DATA)),
    _anthropic({}, Answer(data={"ids": ["a", "b"], "kind": "news"})),
    _anthropic({"output_config": _CONFIG}, Answer(data={"ids": ["a", "b"], "kind": "news"})),
)
"""The same on the wire anthropic.messages."""

ANTHROPIC_STREAMS: Final = tuple(_anthropic({**case.extra, "stream": True}, case.answer) for case in ANTHROPIC)


def _responses(extra: dict[str, Any], answer: Answer) -> Case:
    return Case(extra, answer, "openai.responses")


_FUNCTIONS: Final = [{"type": "function", **_tool(name)["function"]} for name in ("search", "find")]
_TEXT: Final = {"format": {"type": "json_schema", "name": "data", "schema": _SCHEMA}}
RESPONSES: Final = (
    _responses({}, PLAIN.answer),
    _responses({"tools": _FUNCTIONS[:1]}, Answer(tool_calls=(ToolCall("search", _ARGUMENTS),))),
    _responses({"tools": _FUNCTIONS}, Answer(tool_calls="offered")),
    _responses({"tools": _FUNCTIONS[:1], "tool_choice": "required"}, Answer()),
    _responses({}, Answer(data=_DATA)),
    _responses({"text": _TEXT}, Answer(data=_DATA)),
    _responses({}, Answer(data={"ids": ["a", "b"], "kind": "news"})),
    _responses({"text": _TEXT}, Answer(data={"ids": ["a", "b"], "kind": "news"})),
)
"""The same on the wire openai.responses."""

RESPONSES_STREAMS: Final = tuple(_responses({**case.extra, "stream": True}, case.answer) for case in RESPONSES)


_DECLARED: Final = [
    {"name": name, "parametersJsonSchema": _tool(name)["function"]["parameters"]} for name in ("search", "find")
]
_MIME: Final = {"responseMimeType": "application/json", "responseJsonSchema": _SCHEMA}
_GEMINI: Final[tuple[tuple[dict[str, Any], Answer], ...]] = (
    ({}, PLAIN.answer),
    ({"tools": [{"functionDeclarations": _DECLARED[:1]}]}, Answer(tool_calls=(ToolCall("search", _ARGUMENTS),))),
    ({"tools": [{"functionDeclarations": _DECLARED}]}, Answer(tool_calls="offered")),
    (
        {
            "tools": [{"functionDeclarations": _DECLARED[:1]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        },
        Answer(),
    ),
    ({}, Answer(data=_DATA)),
    ({"generationConfig": _MIME}, Answer(data=_DATA)),
    ({}, Answer(data={"ids": ["a", "b"], "kind": "news"})),
    ({"generationConfig": _MIME}, Answer(data={"ids": ["a", "b"], "kind": "news"})),
)
GEMINI: Final = tuple(Case(extra, answer, "gemini", GEMINI_PATHS[False]) for extra, answer in _GEMINI)
GEMINI_STREAMS: Final = tuple(Case(extra, answer, "gemini", GEMINI_PATHS[True]) for extra, answer in _GEMINI)
"""The same on the wire gemini."""


_SEARCH: Final = _tool("search")["function"]["parameters"]
_BEDROCK: Final[tuple[tuple[dict[str, Any], Answer], ...]] = (
    ({}, PLAIN.answer),
    (tooled({"search": _SEARCH}), Answer(tool_calls=(ToolCall("search", _ARGUMENTS),))),
    (tooled({"search": _SEARCH, "find": _SEARCH}), Answer(tool_calls="offered")),
    (tooled({"search": _SEARCH}, any={}), Answer()),
    ({}, Answer(data=_DATA)),
    (formatted(_SCHEMA), Answer(data=_DATA)),
    ({}, Answer(data={"ids": ["a", "b"], "kind": "news"})),
    (formatted(_SCHEMA), Answer(data={"ids": ["a", "b"], "kind": "news"})),
)
BEDROCK: Final = tuple(Case(extra, answer, "bedrock.converse", BEDROCK_PATHS[False]) for extra, answer in _BEDROCK)
BEDROCK_STREAMS: Final = tuple(
    Case(extra, answer, "bedrock.converse", BEDROCK_PATHS[True]) for extra, answer in _BEDROCK
)
"""The same on the wire bedrock.converse."""


_OF_OLLAMA: Final[tuple[dict[str, Any], ...]] = ({}, {"format": _SCHEMA})
OLLAMA_CHAT: Final = (
    Case({}, PLAIN.answer, "ollama.chat"),
    Case({"tools": [_tool("search")]}, Answer(tool_calls=(ToolCall("search", _ARGUMENTS),)), "ollama.chat"),
    Case({"tools": [_tool("search"), _tool("find")]}, Answer(tool_calls="offered"), "ollama.chat"),
    *(Case(extra, Answer(data=_DATA), "ollama.chat") for extra in _OF_OLLAMA),
    *(Case(extra, Answer(data={"ids": ["a", "b"], "kind": "news"}), "ollama.chat") for extra in _OF_OLLAMA),
)
"""The same on the wire ollama.chat."""

OLLAMA_GENERATE: Final = tuple(
    Case(case.extra, case.answer, "ollama.generate") for case in OLLAMA_CHAT if "tools" not in case.extra
)
"""And on ollama.generate, which has no tools."""


_FORMATTED: Final = {"response_format": {"type": "json_object", "json_schema": _SCHEMA}}
_OF_COHERE: Final[tuple[tuple[dict[str, Any], Answer], ...]] = (
    *((case.extra, case.answer) for case in CASES[:3]),
    ({"tools": [_tool("search")], "tool_choice": "REQUIRED"}, Answer()),
    *((extra, Answer(data=_DATA)) for extra in ({}, _FORMATTED)),
    *((extra, Answer(data={"ids": ["a", "b"], "kind": "news"})) for extra in ({}, _FORMATTED)),
)
COHERE: Final = tuple(Case(extra, answer, "cohere.chat") for extra, answer in _OF_COHERE)
COHERE_STREAMS: Final = tuple(Case({**extra, "stream": True}, answer, "cohere.chat") for extra, answer in _OF_COHERE)
"""The same on the wire cohere.chat."""


EMBEDDINGS: Final = tuple(
    Case({"encoding_format": name}, PLAIN.answer, "openai.embeddings") for name in ("base64", "float")
)
"""What asks for vectors, in either format."""


def case_for(step: Step, cases: Sequence[Case] = CASES) -> Case | None:
    """Return the first case that a step applies to, or None."""
    if not isinstance(step, Fault):
        return cases[0]
    for case in cases:
        try:
            case.reply(step)
        except DoesNotApply:
            continue
        return case
    return None


def is_about_the_wire(reply: Reply) -> bool:
    """Tell whether a reply differs from a healthy one in how it crosses the wire, not only in what it says."""
    plain = Reply(status=reply.status, headers=reply.headers, chunks=reply.chunks)
    coded = any(reply.header(name) for name in ("content-encoding", "content-length", "transfer-encoding", "location"))
    paused = any(not isinstance(chunk, bytes) for chunk in reply.chunks)
    return reply != plain or coded or paused or len(reply.chunks) > 1 or reply.status in {204, 304}
