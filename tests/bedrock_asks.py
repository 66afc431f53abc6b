"""How a request on bedrock.converse asks for text, for data and for calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["bedrock_asks", "formatted", "tooled"]


def tooled(schemas: Mapping[str, Any], **choice: Any) -> dict[str, Any]:
    """Return the fields that offer tools with these schemas; ``choice`` is what the model has to do with them."""
    tools = [{"toolSpec": {"name": name, "inputSchema": {"json": schema}}} for name, schema in schemas.items()]
    return {"toolConfig": {"tools": tools, **({"toolChoice": choice} if choice else {})}}


def formatted(schema: Any) -> dict[str, Any]:
    """Return the fields that ask for data of this schema, which the request holds as a text."""
    structure = {"jsonSchema": {"name": "plan", "schema": json.dumps(schema)}}
    return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}}}


def bedrock_asks(schema: Any, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the fields of a request of each kind: text, data, tools of these names that have to be called."""
    return {"text": {}, "data": formatted(schema), "tools": tooled(dict.fromkeys(names, schema), any={})}
