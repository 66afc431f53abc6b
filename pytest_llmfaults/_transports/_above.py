"""What stands above the wire: noted, so that a fault that never fired can say who swallowed the request."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final
from urllib.parse import urlsplit

from pytest_llmfaults._current import find
from pytest_llmfaults._run import Run
from pytest_llmfaults._secrets import masked_url
from pytest_llmfaults._transports._table import Table

__all__ = ["httpx_table", "requests_table"]

_UNSEEN: Final = (
    "respx is active and does not see this request: it was made with httpx2. Start respx with the mocker of "
    "pytest-httpx2, or inject."
)
_CORES: Final = {"httpx": "httpcore", "httpx2": "httpcore2"}


def httpx_table(name: str) -> Table:
    """Return the attributes of ``httpx`` or ``httpx2`` that a run replaces."""
    client, core = import_module(name), import_module(_CORES[name])
    table = Table(name)
    for prefix, handle in (("", "handle_request"), ("Async", "handle_async_request")):
        cls = getattr(client, f"{prefix}Client")
        if not hasattr(cls, "_transport_for_url"):
            raise table.moved(cls, "_transport_for_url")
        ways = (
            (cls, "_transport_for_url"),
            (getattr(client, f"{prefix}HTTPTransport"), handle),
            (getattr(core, f"{prefix}ConnectionPool"), handle),
            (getattr(core, f"{prefix}HTTPConnection"), handle),
        )
        table.add(cls, "send", functools.partial(_asend if prefix else _send, looks=_Httpx(name, ways)))
    return table


class _Httpx:
    """Looks for what stands between a client of httpx and the wire."""

    def __init__(self, library: str, ways: tuple[tuple[Any, str], ...]) -> None:
        self.library = library
        self.ways = ways
        self.own = ways[1][0]

    def note(self, client: Any, request: Any) -> None:
        run = find()
        if run is None or run.wire_of(request.method, request.url.path, request.url.host) is None:
            return
        _look_again()
        above = _stranger(self.ways)
        if above is None:
            transport = client._transport_for_url(request.url)  # noqa: SLF001 - checked when the table was made
            above = None if type(transport) is self.own else _name(type(transport), self.library)
        run.ledger.saw(masked_url(str(request.url)), self.library, above)
        unseen = above is None and self.library == "httpx2" and _respx_is_active()
        run.note((self.library, request.url.host, request.url.path), _UNSEEN if unseen else None)


def _respx_is_active() -> bool:
    """Tell whether a router of respx itself is started; it patches httpx and httpcore."""
    mocks: Any = sys.modules.get("respx.mocks")
    return mocks is not None and any(
        mocker.routers for name, mocker in mocks.Mocker.registry.items() if "2" not in name
    )


def _send(original: Callable[..., Any], looks: _Httpx) -> Callable[..., Any]:
    def send(self: Any, request: Any, **kwargs: Any) -> Any:
        looks.note(self, request)
        return original(self, request, **kwargs)

    return send


def _asend(original: Callable[..., Any], looks: _Httpx) -> Callable[..., Any]:
    async def send(self: Any, request: Any, **kwargs: Any) -> Any:
        looks.note(self, request)
        return await original(self, request, **kwargs)

    return send


def requests_table() -> Table:
    """Return the attributes of ``requests`` that a run replaces."""
    requests = import_module("requests")
    pools = import_module("urllib3.connectionpool")
    adapter = requests.adapters.HTTPAdapter
    table = Table("requests")

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def send(self: Any, request: Any, **kwargs: Any) -> Any:
            run = find()
            if run is not None and request.url is not None:
                _note_requests(run, self, request, adapter, pools.HTTPSConnectionPool)
            return original(self, request, **kwargs)

        return send

    table.add(requests.Session, "send", make)
    return table


def _note_requests(run: Run, session: Any, request: Any, adapter: type, pool: Any) -> None:
    url = urlsplit(request.url)
    if run.wire_of(request.method or "", url.path, url.hostname or "") is None:
        return
    _look_again()
    above = _stranger(((adapter, "send"),))
    if above is None:
        used = type(session.get_adapter(request.url))
        above = None if used is adapter else _name(used, "requests")
    if above is None and not pool.ConnectionCls.__module__.startswith("urllib3."):
        above = pool.ConnectionCls.__module__.partition(".")[0]
    run.ledger.saw(masked_url(request.url), "requests", above)


def _look_again() -> None:
    """Let injections go past a mock that was imported after the run began."""
    from pytest_llmfaults import _transports

    _transports.install_mocks()


def _stranger(ways: tuple[tuple[Any, str], ...]) -> str | None:
    """Name the package that has patched one of these methods, if any has."""
    for owner, name in ways:
        function = getattr(owner, name)
        module: str = getattr(function, "__globals__", {}).get("__name__", "")
        if not module.startswith(("httpx", "httpcore", "requests.", "pytest_llmfaults.")):
            return module.partition(".")[0] or repr(function)
    return None


def _name(cls: type, library: str) -> str:
    """Name a class as a person would: the library's own by the library, others by their module."""
    top = cls.__module__.partition(".")[0]
    return f"{library}.{cls.__name__}" if top == library else f"{cls.__module__}.{cls.__name__}"
