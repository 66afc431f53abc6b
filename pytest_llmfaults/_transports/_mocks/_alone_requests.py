"""One exchange of requests and urllib3 in memory, without a run."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._transports._mocks._alone import Alone, Came, Still
from pytest_llmfaults._transports._sockets import FakeSocket
from pytest_llmfaults._transports._urllib3 import connected, failed, timeout_seconds

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["body_of", "exchange"]


def exchange(request: Any, attempt: Attempt, still: Still) -> Came:
    """Send a prepared request through a real adapter to a connection that plays ``attempt``.

    Raises:
        requests.RequestException: what a client without retries gets, before there is a reply.
        WaitsForever: a reply never comes and the client has set no timeout.
    """
    import responses
    import urllib3.exceptions

    send: Any = responses.RequestsMock()._real_send  # noqa: SLF001 - the way past an active mock
    options = getattr(request, "req_kwargs", {})
    options = {"timeout": options.get("timeout"), "stream": True, "verify": True, "cert": None, "proxies": None}
    raw = send(_adapter(request.url, attempt, still), request, **options).raw
    pieces: list[bytes] = []
    error = None
    try:
        pieces.extend(raw.stream(65536, decode_content=False))  # as far as it comes
    except urllib3.exceptions.HTTPError as caught:
        error = caught
    return Came(raw.status, list(raw.headers.items()), pieces, error)


def _adapter(url: str, attempt: Attempt, still: Still) -> Any:
    """Return an adapter whose one pool opens connections that play ``attempt``."""
    import requests.adapters
    import urllib3
    from urllib3.util import parse_url

    parts = parse_url(url)
    scheme, host = parts.scheme or "http", (parts.host or "").strip("[]")
    port = parts.port or (443 if scheme == "https" else 80)
    base: Any = urllib3.HTTPSConnectionPool if scheme == "https" else urllib3.HTTPConnectionPool
    own: Any = base.ConnectionCls.__dict__.get(
        "_baseclass", base.ConnectionCls
    )  # a cassette puts a class of its own there

    class Connection(own):  # type: ignore[misc]
        def connect(self) -> None:
            conversation = Alone(scheme, host, port, "requests", attempt, still)
            self.sock = FakeSocket(
                conversation,
                timeout=timeout_seconds(self.timeout),
                dial=lambda: FakeSocket(conversation, timeout=None, dial=None, fail=None),  # type: ignore[arg-type,return-value]
                fail=lambda: failed(self, conversation),
            )
            connected(self, scheme)

    class Adapter(requests.adapters.HTTPAdapter):
        def get_connection_with_tls_context(self, *_args: Any, **_kwargs: Any) -> Any:
            pool = base(host, port)
            pool.ConnectionCls = Connection
            return pool

    return Adapter()


class _Body(io.RawIOBase):
    """The body of an exchange, and then its error."""

    def __init__(self, came: Came) -> None:
        super().__init__()
        self._pieces = [piece for piece in came.pieces if piece]
        self._error = came.error

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if not self._pieces:
            if self._error is not None:
                raise self._error
            return 0
        view = memoryview(buffer).cast("B")
        piece = self._pieces.pop(0)
        if len(piece) > len(view):
            self._pieces.insert(0, piece[len(view) :])
            piece = piece[: len(view)]
        view[: len(piece)] = piece
        return len(piece)


def body_of(came: Came) -> io.BufferedReader:
    """Return a body that ``responses`` takes: it ends as the exchange did."""
    return io.BufferedReader(_Body(came))
