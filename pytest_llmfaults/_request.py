"""A request as the wire saw it."""

from __future__ import annotations

import dataclasses
import json as jsonlib
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult, urlsplit

from pytest_llmfaults._secrets import masked_url
from pytest_llmfaults._turns import ToolResult, calls_of, role_of, tool_results, turns

__all__ = ["Request"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Request:
    """One HTTP request that the code under test sent.

    Attributes:
        method: upper case, ``POST``.
        url: absolute, with query.
        headers: name and value pairs in the order sent.
        body: the bytes of the body, after chunked framing was taken off.
        library: the HTTP library that sent it (``httpx2``, ``requests``, ...).
        wire: name of the wire its route belongs to, or None.
        trusting: whether the client takes any certificate.
        streaming: whether it asks for a stream, where its wire tells that by anything else than ``stream: true``.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    library: str = ""
    wire: str | None = None
    trusting: bool = False
    streaming: bool | None = None

    @cached_property
    def _split(self) -> SplitResult:
        return urlsplit(self.url)

    @property
    def scheme(self) -> str:
        """``http`` or ``https``."""
        return self._split.scheme

    @property
    def host(self) -> str:
        """Host name in lower case, without port."""
        return self._split.hostname or ""

    @property
    def port(self) -> int:
        """Port, the scheme's own when the URL names none."""
        return self._split.port or (443 if self.scheme == "https" else 80)

    @property
    def path(self) -> str:
        """Path without query."""
        return self._split.path or "/"

    def header(self, name: str) -> str | None:
        """Return the first header of this name (case does not matter), or None."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @cached_property
    def json(self) -> Any:
        """The body as JSON, or None when it is not JSON."""
        try:
            return jsonlib.loads(self.body)
        except ValueError:
            return None

    def field(self, name: str) -> Any:
        """Return a top-level field of the JSON body, or None when there is no such field."""
        return self.json.get(name) if isinstance(self.json, dict) else None

    @property
    def model(self) -> str | None:
        """The model that the request names, or None."""
        model = self.field("model")
        return model if isinstance(model, str) else None

    @property
    def messages(self) -> list[Any]:
        """The conversation so far, each message as parsed; empty when the body holds none."""
        messages = self.field("messages")
        return messages if isinstance(messages, list) else []

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """The calls that the last assistant turn of the conversation makes, as parsed; empty when it makes none."""
        said = [message for _, message in turns(self.messages) if role_of(message) == "assistant"]
        return calls_of(said[-1]) if said else []

    @property
    def tool_results(self) -> list[ToolResult]:
        """What the conversation says came of tool calls: ``(tool_call_id, name, text)`` each, in its order."""
        return tool_results(self.messages)

    @property
    def tools(self) -> list[Any]:
        """The tools that the request offers, empty when it offers none."""
        tools = self.field("tools")
        return tools if isinstance(tools, list) else []

    @property
    def stream(self) -> bool:
        """Whether the request asks for a stream."""
        return self.field("stream") is True if self.streaming is None else self.streaming

    def on_wire(self, name: str, streaming: bool | None = None) -> Request:
        """Return the request with its wire named; what was parsed already is kept."""
        if (self.wire, self.streaming) == (name, streaming):
            return self
        other = object.__new__(Request)
        other.__dict__.update(self.__dict__, wire=name, streaming=streaming)
        return other

    @property
    def short(self) -> str:
        """``POST api.openai.com/v1/chat/completions``, without query and keys."""
        where = self._split.netloc.rpartition("@")[2]
        return f"{self.method} {where}{self.path}"

    def __repr__(self) -> str:
        """Show method, address and size; headers and body may hold keys and stay out."""
        return f"<Request {self.method} {masked_url(self.url)}, {len(self.body)} bytes>"
