"""Play replies into client libraries. One module per library; nothing else imports an HTTP library."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final

from pytest_llmfaults._current import is_active
from pytest_llmfaults._dial import TRANSPORTS
from pytest_llmfaults._transports import _above, _aiohttp, _dialled, _guard, _httpcore, _sockets, _urllib3
from pytest_llmfaults._transports._asyncio_transport import dismiss_all
from pytest_llmfaults._transports._mocks import MOCKS
from pytest_llmfaults._transports._table import Table

__all__ = ["install", "install_mocks", "settle", "tables"]

_LIBRARIES: Final[dict[str, Callable[[], Table]]] = {
    "httpcore": lambda: _httpcore.table("httpcore"),
    "httpcore2": lambda: _httpcore.table("httpcore2"),
    "aiohttp": _aiohttp.table,
    "http.client": _urllib3.http_client_table,
    "urllib3": _urllib3.urllib3_table,
    "httpx": lambda: _above.httpx_table("httpx"),
    "httpx2": lambda: _above.httpx_table("httpx2"),
    "requests": _above.requests_table,
    "uvloop": _guard.uvloop_table,
}

_tables: Final[dict[str, Table]] = {}
_loaded: Final[dict[str, object]] = {}
"""What each table was made for: the module, as a nested test run may import a library anew, or the row of others."""

_absent: Final[set[str]] = set()
_lock: Final = threading.Lock()


def tables() -> tuple[Table, ...]:
    """Return what was ever installed, one table per library."""
    return tuple(_tables.values())


def install() -> None:
    """Stand where every client library that is installed opens connections. Cheap when it is done already.

    Raises:
        Unsupported: a library is installed in a version that has moved the place.
    """
    _guard.install()
    with _lock:
        for name, make in _LIBRARIES.items():
            if name in _tables or name in sys.modules or _is_installed(name):
                _stand(name, make, sys.modules.get(name))
        for name, one in TRANSPORTS.items():
            _stand(f"transport {name}", functools.partial(_dialled.table, one), one)
        _install_mocks()


def install_mocks() -> None:
    """Stand before the mocks that were imported since the run began. Cheap when there are none."""
    with _lock:
        if is_active(None):
            _install_mocks()


def _install_mocks() -> None:
    for name, make in MOCKS.items():
        if name in sys.modules:
            _stand(name, make, sys.modules[name])


def _stand(name: str, make: Callable[[], Table], of: object) -> None:
    """Install the table of a library, made anew where it was made for something else than ``of``."""
    if name not in _tables or _loaded[name] is not of:
        if name in _tables:
            _tables[name].restore()
        _tables[name] = make()
        _loaded[name] = sys.modules.get(name, of)  # making the table may have imported it
    _tables[name].install()


def _is_installed(name: str) -> bool:
    """Look on the path once for each library: that costs more than a test may."""
    if name in _absent:
        return False
    if find_spec(name) is None:
        _absent.add(name)
        return False
    return True


def settle() -> None:
    """Leave the client libraries as they were, once no run is active any more.

    A fake connection that is still open notices by itself that its run is over, and hangs up; one that an event loop
    drives has to be told.
    """
    dismiss_all(lambda conversation: not is_active(conversation.run))
    with _lock:
        if not is_active(None):
            for table in _tables.values():
                table.restore()
            _sockets.close_pipes()
