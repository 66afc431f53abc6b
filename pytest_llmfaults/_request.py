"""A request as the wire saw it."""

from __future__ import annotations

import dataclasses
import json as jsonlib
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from pytest_llmfaults._secrets import masked_url
from pytest_llmfaults._turns import ToolResult, last_calls, tool_results

__all__ = ["IN_BODY", "Asks", "Request"]

_LIMITS: Final = ("max_completion_tokens", "max_tokens", "max_output_tokens")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Asks:
    """Where the requests of a wire say what they ask for; as it is, in fields of their bodies.

    Attributes:
        model: returns the model that a request names, as parsed.
        stream: tells whether a request asks for a stream.
        for_stream: returns a request as one that asks for a stream.
        how: how a request asks for a stream, in a person's words.
        messages: returns the conversation so far, as parsed.
        limit: returns the most tokens of the answer that a request allows, as parsed.
        tools: returns the tools that a request offers, as parsed.
    """

    model: Callable[[Request], Any] = lambda request: request.field("model")
    stream: Callable[[Request], bool] = lambda request: request.field("stream") is True
    for_stream: Callable[[Request], Request] = lambda request: request.with_fields(stream=True)
    how: str = "stream=true"
    messages: Callable[[Request], Any] = lambda request: request.field("messages")
    limit: Callable[[Request], Any] = lambda request: next(
        (value for value in map(request.field, _LIMITS) if isinstance(value, int)), None
    )
    tools: Callable[[Request], Any] = lambda request: request.field("tools")


IN_BODY: Final = Asks()


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
        dialect: name of the dialect in which its host speaks the wire; empty is none.
        trusting: whether the client takes any certificate.
        asks: where its wire has what it asks for.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    library: str = ""
    wire: str | None = None
    trusting: bool = False
    asks: Asks = IN_BODY
    dialect: str = ""

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
        model = self.asks.model(self)
        return model if isinstance(model, str) else None

    @property
    def messages(self) -> list[Any]:
        """The conversation so far, each message as parsed; empty when the body holds none."""
        messages = self.asks.messages(self)
        return messages if isinstance(messages, list) else []

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """The calls that the last assistant turn of the conversation makes, as parsed; empty when it makes none."""
        return last_calls(self.messages)

    @property
    def tool_results(self) -> list[ToolResult]:
        """What the conversation says came of tool calls: ``(tool_call_id, name, text)`` each, in its order."""
        return tool_results(self.messages)

    @property
    def tools(self) -> list[Any]:
        """The tools that the request offers, empty when it offers none."""
        tools = self.asks.tools(self)
        return tools if isinstance(tools, list) else []

    @property
    def stream(self) -> bool:
        """Whether the request asks for a stream."""
        return self.asks.stream(self)

    @property
    def token_limit(self) -> int | None:
        """The most tokens of the answer that the request allows, or None when it does not say."""
        limit = self.asks.limit(self)
        return limit if isinstance(limit, int) else None

    def on_wire(self, name: str, asks: Asks = IN_BODY, dialect: str = "") -> Request:
        """Return the request with its wire named, and the dialect; what was parsed already is kept."""
        if self.wire == name and self.asks is asks and self.dialect == dialect:
            return self
        other = object.__new__(Request)
        other.__dict__.update(self.__dict__, wire=name, asks=asks, dialect=dialect)
        return other

    def with_fields(self, **fields: Any) -> Request:
        """Return the request with further top-level fields in its JSON body."""
        body = jsonlib.dumps({**(self.json or {}), **fields}, ensure_ascii=False).encode()
        return dataclasses.replace(self, body=body)

    @property
    def short(self) -> str:
        """``POST api.openai.com/v1/chat/completions``, without query and keys."""
        where = self._split.netloc.rpartition("@")[2]
        return f"{self.method} {where}{self.path}"

    def __repr__(self) -> str:
        """Show method, address and size; headers and body may hold keys and stay out."""
        return f"<Request {self.method} {masked_url(self.url)}, {len(self.body)} bytes>"
