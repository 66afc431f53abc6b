"""What the audited clients are asked, and what the healthy model says to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from pytest_llmfaults import Answer, Fault, ToolCall

__all__ = [
    "ANSWERS",
    "ASKS",
    "BEDROCK",
    "CLAUDE",
    "DATA",
    "EMBEDDINGS",
    "GEMINI",
    "MESSAGES",
    "MODEL",
    "QUESTION",
    "SCHEMA",
    "TOOLS",
    "Kind",
    "kind_for",
]

Kind: TypeAlias = Literal["text", "data", "tools"]

MODEL: Final = "gpt-5"
CLAUDE: Final = "claude-sonnet-5-5"
GEMINI: Final = "gemini-3.8-flash"
BEDROCK: Final = "anthropic.claude-sonnet-5-5"
EMBEDDINGS: Final = "text-embedding-3-small"
QUESTION: Final = "What should I do?"
MESSAGES: Final[list[Any]] = [{"role": "user", "content": QUESTION}]

DATA: Final[Mapping[str, Any]] = {
    "actions": [
        {"action": "BUY", "ticker": "ACME", "quantity": 2},
        {"action": "SELL", "ticker": "INIT", "quantity": 1},
    ],
    "reasons": ["cheap today", "late tomorrow"],
    "final": True,
}
_ACTION: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["BUY", "SELL", "HOLD"]},
        "ticker": {"type": "string"},
        "quantity": {"type": "integer"},
    },
    "required": ["action", "ticker", "quantity"],
    "additionalProperties": False,
}
SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "actions": {"type": "array", "items": _ACTION},
        "reasons": {"type": "array", "items": {"type": "string"}},
        "final": {"type": "boolean"},
    },
    "required": ["actions", "reasons", "final"],
    "additionalProperties": False,
}

_RANGE: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["name", "days"],
}
_SEARCH: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "kind": {"type": "string", "enum": ["news", "web"]},
        "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "exact": {"type": "boolean"},
        "ranges": {"type": "array", "items": _RANGE},
    },
    "required": ["query", "kind"],
}
_ARGUMENTS: Final = {
    "query": "ACME today",
    "kind": "news",
    "limit": 3,
    "tags": ["price", "risk"],
    "exact": True,
    "ranges": [{"name": "week", "days": 7}, {"name": "month", "days": 30}],
}
TOOLS: Final[list[Any]] = [
    {"type": "function", "function": {"name": name, "description": f"{name.title()} the news.", "parameters": _SEARCH}}
    for name in ("search", "count")
]

_TOOLS_BY_SCHEMA: Final[list[Any]] = [
    {"name": tool["function"]["name"], "input_schema": tool["function"]["parameters"]} for tool in TOOLS
]
_DECLARED: Final[list[Any]] = [
    {"name": tool["function"]["name"], "parametersJsonSchema": tool["function"]["parameters"]} for tool in TOOLS
]
_TOOL_SPECS: Final[list[Any]] = [
    {"toolSpec": {"name": tool["function"]["name"], "inputSchema": {"json": tool["function"]["parameters"]}}}
    for tool in TOOLS
]
_TEXT_FORMAT: Final = {
    "textFormat": {
        "type": "json_schema",
        "structure": {"jsonSchema": {"name": "plan", "schema": json.dumps(SCHEMA)}},
    }
}
_CHAT: Final[Mapping[Kind, Mapping[str, Any]]] = {
    "text": {},
    "data": {"response_format": {"type": "json_schema", "json_schema": {"name": "plan", "schema": SCHEMA}}},
    "tools": {"tools": TOOLS, "tool_choice": "required"},
}
ASKS: Final[Mapping[str, Mapping[Kind, Mapping[str, Any]]]] = {
    "openai.chat": _CHAT,
    "anthropic.messages": {
        "text": {},
        "data": {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        "tools": {"tools": _TOOLS_BY_SCHEMA, "tool_choice": {"type": "any"}},
    },
    "openai.responses": {
        "text": {},
        "data": {"text": {"format": {"type": "json_schema", "name": "plan", "schema": SCHEMA}}},
        "tools": {
            "tools": [{"type": "function", **tool["function"]} for tool in TOOLS],
            "tool_choice": "required",
        },
    },
    "gemini": {
        "text": {},
        "data": {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}},
        "tools": {
            "tools": [{"functionDeclarations": _DECLARED}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        },
    },
    "bedrock.converse": {
        "text": {},
        "data": {"outputConfig": _TEXT_FORMAT},
        "tools": {"toolConfig": {"tools": _TOOL_SPECS, "toolChoice": {"any": {}}}},
    },
    "ollama.chat": {"text": {}, "data": {"format": SCHEMA}, "tools": {"tools": TOOLS}},
    "ollama.generate": {"text": {}, "data": {"format": SCHEMA}, "tools": {}},
    "cohere.chat": {
        "text": {},
        "data": {"response_format": {"type": "json_object", "json_schema": SCHEMA}},
        "tools": {"tools": TOOLS, "tool_choice": "REQUIRED"},
    },
    "openai.embeddings": {"text": {"encoding_format": "base64"}, "data": {}, "tools": {}},
    "mistral.chat": _CHAT,
}
"""How each wire asks for an answer of each kind."""

ANSWERS: Final[Mapping[Kind, Answer]] = {
    "text": Answer("Hold the position."),
    "data": Answer(data=DATA),
    "tools": Answer(tool_calls=(ToolCall("search", _ARGUMENTS), ToolCall("count", _ARGUMENTS))),
}


def kind_for(fault: Fault) -> Kind:
    """Choose the kind of request that a fault needs."""
    if fault.name == "tools.forced_ignored":
        return "tools"
    needed: Mapping[str | None, Kind] = {"tool_calls": "tools", "data": "data", "items": "data"}
    return needed.get(fault.needs, "text")
