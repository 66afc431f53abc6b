"""Statuses that are no error: no content, and redirects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from pytest_llmfaults._faults._edit import Play, page
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request

__all__ = ["ROWS"]


def _redirect(status: int, target: Callable[[Request], str], then: Play) -> Play:
    """Make a fault that sends the client to ``target``, and answers by ``then`` what follows it there."""

    def play(base: Healthy) -> Reply:
        if base.followed:
            return then(base)
        return Reply(status=status).with_headers(location=target(base.request))

    return play


def _query(request: Request) -> str:
    return urlsplit(request.url).query


def _with_slash(request: Request) -> str:
    return f"{request.path}/?{_query(request)}" if _query(request) else f"{request.path}/"


def _moved(request: Request) -> str:
    return f"{request.path}?moved=1&{_query(request)}" if _query(request) else f"{request.path}?moved=1"


def _same(request: Request) -> str:
    return f"{request.path}?{_query(request)}" if _query(request) else request.path


def _no_get(base: Healthy) -> Reply:
    """Answer as a route that takes POST only: a client may turn the method into GET on its way."""
    if base.request.method == "POST":
        return base.as_asked().reply
    return base.wire.failed(405, base.wire.error(405, "Method not allowed.", None))


def _signs_in(_base: Healthy) -> Reply:
    return Reply.text(page("Sign in"), content_type="text/html")


ROWS: Final = (
    Fault(
        name="status.204",
        play=lambda _base: Reply(status=204),
        meaning="The gateway answers No Content.",
        draw="fresh",
        wish="retry",
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.3.5",),
    ),
    Fault(
        name="status.301_trailing_slash",
        play=_redirect(301, _with_slash, _no_get),
        meaning="The gateway redirects to the same path with a slash at its end.",
        draw="same",
        wish="surface",
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.4.2",),
    ),
    Fault(
        name="status.302_login",
        play=_redirect(302, lambda _request: "/login", _signs_in),
        meaning="The gateway redirects to a sign-in page.",
        draw="same",
        wish="surface",
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.4.3",),
    ),
    Fault(
        name="status.302_no_location",
        play=lambda _base: Reply(status=302),
        meaning="The gateway redirects without a target.",
        draw="same",
        wish="surface",
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.4.3",),
    ),
    Fault(
        name="status.307_moved",
        play=_redirect(307, _moved, lambda base: base.as_asked().reply),
        meaning="The gateway redirects to an address where the healthy reply waits.",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.4.8",),
    ),
    Fault(
        name="status.307_loop",
        play=_redirect(307, _same, lambda base: base.as_asked().reply),
        meaning="The gateway redirects to the same address for ever.",
        draw="same",
        wish="surface",
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.4",),
    ),
)
