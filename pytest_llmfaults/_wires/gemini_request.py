"""What a request on the wire ``gemini`` asks for: model and kind in its path, the rest in its configuration.

A name may be written in camel case or with underscores, as the provider takes both, and the official SDK sends both.

https://ai.google.dev/api/generate-content
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from pytest_llmfaults._request import Asks, Request
from pytest_llmfaults._wires._calls import Choice
from pytest_llmfaults._wires.gemini_schema import json_schema

__all__ = ["ASKS", "PLAIN", "STREAMED", "choice", "data_schema", "offered", "other_form"]

PLAIN: Final = ":generateContent"
STREAMED: Final = ":streamGenerateContent"
_MODEL: Final = re.compile(r"/([^/]+):(?:stream)?[gG]enerateContent/?$")
_CAPITAL: Final = re.compile(r"(?=[A-Z])")


def _in(value: Any, name: str) -> Any:
    """Return a member of an object by its name in camel case, however it is written; None when there is none."""
    if not isinstance(value, dict):
        return None
    return value[name] if name in value else value.get("_".join(_CAPITAL.split(name)).lower())


def _config(request: Request) -> Any:
    return _in(request.json, "generationConfig")


def _model(request: Request) -> str | None:
    found = _MODEL.search(request.path)
    return unquote(found[1]) if found else None


def _for_stream(request: Request) -> Request:
    url = request.url.replace(PLAIN, f"{STREAMED}?alt=sse") if PLAIN in request.path else request.url
    return dataclasses.replace(request, url=url)


def other_form(request: Request) -> str | None:
    """Say how a request wants its stream if it does not want events, or return None."""
    query = parse_qs(urlsplit(request.url).query)
    asked = [*query.get("alt", ()), *query.get("$alt", ())]
    return None if "sse" in asked else "as one JSON array (there is no alt=sse in its query)"


ASKS: Final = Asks(
    model=_model,
    stream=lambda request: request.path.rstrip("/").endswith(STREAMED),
    for_stream=_for_stream,
    how=STREAMED,
    messages=lambda request: request.field("contents"),
    limit=lambda request: _in(_config(request), "maxOutputTokens"),
)


def offered(request: Request) -> dict[str, Any]:
    """Return the schema of the arguments of each function that the client runs, by name."""
    found = {}
    for tool in request.tools:
        declared = _in(tool, "functionDeclarations")
        for function in declared if isinstance(declared, list) else ():
            if isinstance(function, dict) and isinstance(function.get("name"), str):
                found[function["name"]] = _arguments(function)
    return found


def _arguments(function: Mapping[str, Any]) -> Any:
    schema = _in(function, "parametersJsonSchema")
    if isinstance(schema, dict):
        return schema
    schema = _in(function, "parameters")
    return json_schema(schema) if isinstance(schema, dict) else {"type": "object"}


def choice(request: Request) -> Choice:
    """Return what a request says about functions."""
    known = offered(request)
    config = _in(_in(request.json, "toolConfig"), "functionCallingConfig")
    allowed = _in(config, "allowedFunctionNames")
    names = [name for name in known if name in allowed] if isinstance(allowed, list) else []
    must = str(_in(config, "mode")).upper() == "ANY"
    return Choice(known, must and bool(known), names or list(known), single=False)


def data_schema(request: Request) -> Any:
    """Return the JSON schema of the answer that a request asks for, or None."""
    config = _config(request)
    if _in(config, "responseMimeType") != "application/json":
        return None
    schema = _in(config, "responseJsonSchema")
    if isinstance(schema, dict):
        return schema
    schema = _in(config, "responseSchema")
    return json_schema(schema) if isinstance(schema, dict) else {"type": "object"}
