"""What a request on the wire ``bedrock.converse`` asks for: model and kind in its path, the rest in its body.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any, Final
from urllib.parse import unquote

from pytest_llmfaults._request import Asks, Request
from pytest_llmfaults._wires._calls import Choice
from pytest_llmfaults._wires._slot import value_at

__all__ = ["ASKS", "PLAIN", "STREAMED", "choice", "data_schema", "offered"]

PLAIN: Final = "/converse"
STREAMED: Final = "/converse-stream"
_MODEL: Final = re.compile(r"/model/([^/]+)/converse(?:-stream)?/?$")
_PLAIN_END: Final = re.compile(rf"{PLAIN}(?=/?(?:\?|$))")


def _model(request: Request) -> str | None:
    found = _MODEL.search(request.path)
    return unquote(found[1]) if found else None


def _for_stream(request: Request) -> Request:
    return dataclasses.replace(request, url=_PLAIN_END.sub(STREAMED, request.url))


ASKS: Final = Asks(
    model=_model,
    stream=lambda request: request.path.rstrip("/").endswith(STREAMED),
    for_stream=_for_stream,
    how=STREAMED,
    limit=lambda request: value_at(request.json, ("inferenceConfig", "maxTokens")),
    tools=lambda request: value_at(request.json, ("toolConfig", "tools")),
)


def offered(request: Request) -> dict[str, Any]:
    """Return the schema of the arguments of each tool that the client runs, by name."""
    specs = [value_at(tool, ("toolSpec",)) for tool in request.tools]
    named = [spec for spec in specs if isinstance(value_at(spec, ("name",)), str)]
    given = {spec["name"]: value_at(spec, ("inputSchema", "json")) for spec in named}
    return {name: schema if isinstance(schema, dict) else {"type": "object"} for name, schema in given.items()}


def choice(request: Request) -> Choice:
    """Return what a request says about tools."""
    known = offered(request)
    asked = value_at(request.json, ("toolConfig", "toolChoice"))
    named = value_at(asked, ("tool", "name"))
    names = [name for name in known if name == named]
    must = bool(names) or (isinstance(asked, dict) and "any" in asked)
    return Choice(known, must, names or list(known), single=False)


def data_schema(request: Request) -> Any:
    """Return the JSON schema of the answer that a request asks for, or None; it is a text in the request."""
    wanted = value_at(request.json, ("outputConfig", "textFormat"))
    if value_at(wanted, ("type",)) != "json_schema":
        return None
    try:
        schema = json.loads(value_at(wanted, ("structure", "jsonSchema", "schema")))
    except (TypeError, ValueError):
        return {"type": "object"}
    return schema if isinstance(schema, dict) else {"type": "object"}
