"""Whose request is it: an injection's, a mock's, or nobody's?"""

from __future__ import annotations

from typing import Any, NamedTuple

from pytest_llmfaults._current import find
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run
from pytest_llmfaults._secrets import masked_url

__all__ = ["Asked", "as_bytes", "ask", "request_of_httpx"]


class Asked(NamedTuple):
    """A request that a run has a say in, seen above a mock.

    Attributes:
        run: the run.
        request: the request, without the headers that the library adds below.
        first: whether an injection answers it, whatever routes there are; else it is answered or refused by the run
            once no route and no cassette has an answer.
    """

    run: Run
    request: Request
    first: bool

    def answered_by(self, above: str) -> None:
        """Note that a route or a cassette has answered it, for the day when a fault never fires."""
        self.run.ledger.saw(masked_url(self.request.url), self.request.library, above, self.request)


def ask(request: Request) -> Asked | None:
    """Ask the current run about a request, before a mock sees it; nothing is used up.

    Returns:
        None when no run is active, or the request is none of its business.

    Raises:
        Refused: two runs are active, or ``when=`` fails.
    """
    run = find()
    claim = None if run is None else run.claims(request)
    return None if run is None or claim is None else Asked(run, run.with_wire(request), claim == "first")


def as_bytes(body: Any) -> bytes:
    """Return a body as bytes; one that can be read only once counts as empty."""
    if isinstance(body, str):
        return body.encode()
    return bytes(body) if isinstance(body, (bytes, bytearray)) else b""


def request_of_httpx(request: Any, library: str) -> Request:
    """Translate a request of httpx or httpx2, whose body has been read."""
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw)
    return Request(request.method.upper(), str(request.url), headers, request.content, library)
