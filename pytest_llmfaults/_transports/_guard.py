"""The guard: while a run is active, nothing that is not played in memory leaves this machine.

An audit hook sees every connect, datagram and name lookup that goes through Python's ``socket``. It cannot be removed,
so it is added once and looks at one list when no run is active. uvloop dials in C and is not seen: its loop's methods
are replaced while a run is active. Other C code (c-ares, libcurl, gRPC) is out of reach.
"""

from __future__ import annotations

import errno
import socket
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from pytest_llmfaults._current import find, is_active
from pytest_llmfaults._run import Run, is_loopback
from pytest_llmfaults._telemetry import is_telemetry
from pytest_llmfaults._transports._table import Table

__all__ = ["install", "uvloop_table"]

_LOOKUPS: Final = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
_SENDS: Final = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_WATCHED: Final = _LOOKUPS | _SENDS
_INTERNET: Final = (socket.AF_INET, socket.AF_INET6)
_UNSPECIFIED: Final = frozenset({"", "0.0.0.0", "::", "*"})  # noqa: S104 - compared, never bound

_lock: Final = threading.Lock()
_hooked: Final[list[bool]] = []
_inside: Final = threading.local()


def install() -> None:
    """Add the hook to the process, once."""
    with _lock:
        if not _hooked:
            _hooked.append(True)
            sys.addaudithook(_hook)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if not is_active(None) or event not in _WATCHED:
        return
    if event in _LOOKUPS:
        check_lookup(_text(args[0]), args[1] if len(args) > 1 else None)
    elif args[0].family in _INTERNET and isinstance(args[1], tuple):
        check_send(_text(args[1][0]), args[1][1])


def _text(host: object) -> str:
    """Return a host as text: sockets take str, bytes and None (this machine)."""
    if isinstance(host, (bytes, bytearray)):
        return bytes(host).decode("latin-1")
    return host if isinstance(host, str) else ""


def check_lookup(host: str, port: object) -> None:
    """Let a name be looked up, or not.

    Raises:
        Refused: the answer could only serve to leave the machine.
        OSError: the same, for telemetry, which must not fail a test.
    """
    if host in _UNSPECIFIED or is_loopback(host) or _is_address(host) or _is_own_name(host):
        return  # none of these asks another machine; an address is checked when it is dialled
    run = find()
    if run is None or getattr(_inside, "lookup", False):
        return
    if _passes(run, host, port):
        _remember(run, host)
        return
    _refuse(run, host, port, socket.gaierror(socket.EAI_NONAME, "Name or service not known"))


def check_send(host: str, port: object) -> None:
    """Let an address be dialled, or not.

    Raises:
        Refused: it is another machine's.
        OSError: the same, for telemetry, which must not fail a test.
    """
    if host in _UNSPECIFIED or is_loopback(host):
        return
    run = find()
    if run is None or host in _remembered(run) or _passes(run, host, port):
        return
    _refuse(run, host, port, ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"))


def _is_address(host: str) -> bool:
    for family in _INTERNET:
        try:
            socket.inet_pton(family, host.partition("%")[0])
        except OSError:
            continue
        return True
    return False


def _is_own_name(host: str) -> bool:
    own = socket.gethostname().lower()
    return host.lower().rstrip(".") in {own, own.partition(".")[0]}


def _passes(run: Run, host: str, port: object) -> bool:
    """Tell whether a passthrough origin covers this host; a lookup may name no port, or a service."""
    name = host.strip("[]").rstrip(".").lower()
    ports = {port} if isinstance(port, int) else _ports(run)
    return any(run.goes_its_way(scheme, name, one) for scheme in ("http", "https") for one in ports)


def _ports(run: Run) -> set[int]:
    """Return the ports of all passthrough origins."""
    ends = (origin.rpartition(":")[2] for origin in run.settings.passthrough)
    return {int(end) for end in ends if end.isdigit()}


def _remember(run: Run, host: str) -> None:
    """Note the addresses of a passthrough host: the connect that follows names nothing else."""
    _inside.lookup = True
    try:
        found = socket.getaddrinfo(host, None)
    except OSError:
        return  # the caller's own lookup fails the same way, and tells it
    finally:
        _inside.lookup = False
    _remembered(run).update(str(address[0]) for *_, address in found)


_addresses: Final[dict[int, tuple[Run, set[str]]]] = {}


def _remembered(run: Run) -> set[str]:
    """Return the addresses that passthrough hosts of a run were found at; those of runs that ended are forgotten."""
    for key, (other, _) in tuple(_addresses.items()):
        if not is_active(other):
            _addresses.pop(key, None)
    return _addresses.setdefault(id(run), (run, set()))[1]


def _refuse(run: Run, host: str, port: object, quiet: OSError) -> None:
    where = f"{host}:{port}" if isinstance(port, (int, str)) and port else host
    if is_telemetry(host.lower(), ""):
        run.ledger.refuse(f"telemetry: {where}", fatal=False)
        raise quiet
    reason = (
        f"A connection to {where} was refused before it left the machine. No fault is injected into the way it was "
        f"dialled: it is no HTTP request of a client library that {_PACKAGE} knows. Replace it in this test, or name "
        f"its origin in passthrough= ('http://{host}:{port or 80}') if the test may use it."
    )
    raise run.refusal(reason)


_PACKAGE: Final = "pytest-llmfaults"


@lru_cache(maxsize=1)
def uvloop_table() -> Table:
    """Return the methods of uvloop's loop that are replaced while a run is active.

    Raises:
        Unsupported: one of them has moved.
    """
    import uvloop

    made = Table("uvloop")
    made.add(uvloop.Loop, "create_connection", _checked("host", 1, "port", 2, check_both))
    made.add(uvloop.Loop, "getaddrinfo", _checked("host", 0, "port", 1, check_lookup))
    made.add(uvloop.Loop, "create_datagram_endpoint", _checked("remote_addr", 2, "", 99, _check_remote))
    return made


def check_both(host: str, port: object) -> None:
    """Check a name or address that is looked up and dialled in one call."""
    if _is_address(host):
        check_send(host, port)
    else:
        check_lookup(host, port)


def _check_remote(remote: object, _port: object) -> None:
    if isinstance(remote, tuple):
        check_both(_text(remote[0]), remote[1])


def _checked(
    host: str, host_at: int, port: str, port_at: int, check: Callable[[Any, object], None]
) -> Callable[[Any], Any]:
    """Make what makes a coroutine method that checks two of its arguments first."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        async def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
            if is_active(None):
                where = args[host_at] if len(args) > host_at else kwargs.get(host)
                there = args[port_at] if len(args) > port_at else kwargs.get(port)
                if where is not None:
                    check(where if isinstance(where, tuple) else _text(where), there)
            return await original(self, *args, **kwargs)

        return checked

    return make
