"""``responses``: an injection goes past an active mock to the real adapter, as a passthrough route does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_llmfaults._request import Request
from pytest_llmfaults._transports._mocks._claim import Asked, as_bytes, ask
from pytest_llmfaults._transports._table import Table

__all__ = ["table"]


class _NoRoute(BaseException):
    """No route of the mock answers: raised before the mock writes down a call or makes an error of its own."""


def table() -> Table:
    """Return the attributes of ``responses`` that a run replaces."""
    import responses

    made = Table("responses")
    mock: Any = responses.RequestsMock
    if not hasattr(mock(), "_real_send"):
        raise made.moved(mock, "_real_send")
    made.add(mock, "_on_request", _on_request)
    made.add(mock, "_find_match", _find_match)
    return made


def _on_request(original: Callable[..., Any]) -> Callable[..., Any]:
    def on_request(self: Any, adapter: Any, request: Any, *, retries: Any = None, **kwargs: Any) -> Any:
        asked = _ask(request)
        if asked is None:
            return original(self, adapter, request, retries=retries, **kwargs)
        if asked.first:
            return self._real_send(adapter, request, **kwargs)
        request.llmfaults_asked = asked
        try:
            return original(self, adapter, request, retries=retries, **kwargs)
        except _NoRoute:
            pass  # and what is raised below did not come from it
        finally:
            request.__dict__.pop("llmfaults_asked", None)
        return self._real_send(adapter, request, **kwargs)

    return on_request


def _find_match(original: Callable[..., Any]) -> Callable[..., Any]:
    def find_match(self: Any, request: Any) -> Any:
        found = original(self, request)
        asked: Asked | None = request.__dict__.get("llmfaults_asked")
        if asked is None:
            return found
        if found[0] is None:
            raise _NoRoute
        if not found[0].passthrough:
            asked.answered_by("a route of responses")
        return found

    return find_match


def _ask(request: Any) -> Asked | None:
    body = request.body
    if body is not None and not isinstance(body, (str, bytes, bytearray)):
        # A file or a generator can be read once: keep what is in it, for the wire and for the mock.
        if hasattr(body, "read"):
            body = request.body = body.read()
        elif hasattr(body, "__iter__"):
            pieces = list(body)
            body, request.body = b"".join(map(as_bytes, pieces)), iter(pieces)
    headers = tuple((str(name), _text(value)) for name, value in request.headers.items())
    return ask(Request((request.method or "").upper(), request.url or "", headers, as_bytes(body), "requests"))


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
