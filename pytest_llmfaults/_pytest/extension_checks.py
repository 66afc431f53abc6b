"""What other packages may lend: a fault or a wire that fits in, refused in words where it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, Final, get_args

from pytest_llmfaults._dial import TRANSPORTS, Transport
from pytest_llmfaults._faults import CATALOGUE, FAMILIES, Draw, Fault, Parameter, Scope
from pytest_llmfaults._faults._fault import Streamed, Wish
from pytest_llmfaults._registry import Kind, Registry
from pytest_llmfaults._wires import DIALECTS, FOREIGN_ROUTES, WIRES, Dialect, Need, Slot, Wire
from pytest_llmfaults._wires._hosts import HOST
from pytest_llmfaults._wires._wire import PARTS
from pytest_llmfaults.errors import InvalidUse, nearest

__all__ = ["CHECKS"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
_WORD: Final = re.compile(r"[a-z][a-z0-9_]*")
_RESERVED: Final = ("turn", "core", "all", "ok")
_WORDS: Final[Mapping[str, tuple[Any, ...]]] = {
    "draw": get_args(Draw),
    "scope": get_args(Scope),
    "wish": get_args(Wish),
    "streamed": get_args(Streamed),
    "needs": (*get_args(Need), None),
}
"""Fields of a fault that are one of a few words."""


def _check_kind(value: Any, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        msg = f"{value!r} is no {what}. Each is a pytest_llmfaults.{what}(...)."
        raise InvalidUse(msg)


def _check_name(name: Any, sample: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        msg = (
            f"name={name!r} does not read {sample}: two words of lower-case letters, digits and _, with a dot between."
        )
        raise InvalidUse(msg)


def _check_free(what: str, name: str, among: Registry[Any]) -> None:
    if name in among:
        msg = f"the {what} {name} is there already, from {_whose(among.origin(name))}. Take another name."
        raise InvalidUse(msg)


def check_wire(wire: Any, _origin: str) -> None:
    """Refuse a wire that cannot be one of several.

    Raises:
        InvalidUse: it is none, or its name or a route of it is taken.
    """
    _check_kind(wire, Wire, "Wire")
    _check_name(wire.name, "company.format")
    _check_free("wire", wire.name, WIRES)
    if isinstance(wire.routes, str) or not wire.routes:
        msg = f"{wire.name} has routes={wire.routes!r}; a tuple of path endings is needed, such as ('/llm/ask',)."
        raise InvalidUse(msg)
    for route in wire.routes:
        _check_route(wire, route)
    for slot, place in wire.slots.items():
        if not isinstance(place, Slot):
            msg = f"{wire.name} has slots={{{slot!r}: {place!r}}}; a Slot is needed, such as at('result', 0, 'text')."
            raise InvalidUse(msg)


def _check_route(wire: Wire, route: Any) -> None:
    name = wire.name
    if not isinstance(route, str) or not re.fullmatch(r"/[^?#\s]*[^?#\s/]", route):
        msg = f"{name} has the route {route!r}; it is a path ending that begins with /, such as '/llm/ask'."
        raise InvalidUse(msg)
    others = (one for one in WIRES.values() if route in one.routes)
    taken = next((one for one in others if one.hosts == wire.hosts or {*one.hosts} & {*wire.hosts}), None)
    if taken is not None:
        whose = _whose(WIRES.origin(taken.name))
        msg = f"the route {route} of {name} is taken by {taken.name}, from {whose}. Name a longer ending of your path."
        raise InvalidUse(msg)
    if route in FOREIGN_ROUTES:
        msg = (
            f"the route {route} of {name} is that of {FOREIGN_ROUTES[route]}, which a later version speaks. Name a "
            f"longer ending of your path, or another one, and write the ini llmfaults_routes = {name} = {route}."
        )
        raise InvalidUse(msg)


def check_dialect(dialect: Any, _origin: str) -> None:
    """Refuse a dialect that cannot be one of several.

    Raises:
        InvalidUse: it is none, its wire is nowhere, or its name, a host or a slot of it is not what it may be.
    """
    _check_kind(dialect, Dialect, "Dialect")
    if not isinstance(dialect.name, str) or not _WORD.fullmatch(dialect.name):
        msg = f"name={dialect.name!r} is not one word of lower-case letters, digits and _, such as 'acme'."
        raise InvalidUse(msg)
    _check_free("dialect", dialect.name, DIALECTS)
    if dialect.wire not in WIRES:
        more = f"{nearest(str(dialect.wire), WIRES)} Known wires: {', '.join(sorted(WIRES))}."
        msg = f"{dialect.name} has wire={dialect.wire!r}, which is no wire.{more}"
        raise InvalidUse(msg)
    _check_hosts(dialect)
    _check_fields(dialect)
    for slot, place in dialect.slots.items():
        if place is not None and not isinstance(place, Slot):
            msg = f"{dialect.name} has slots={{{slot!r}: {place!r}}}; a Slot is needed, such as at('text'), or None."
            raise InvalidUse(msg)


def _check_fields(dialect: Dialect) -> None:
    """Refuse fields of a part that the wire does not have."""
    known = {"", *WIRES[dialect.wire].slots}
    for field in ("fields", "unstreamed", "optional"):
        for slot in getattr(dialect, field):
            if slot not in known:
                slots = ", ".join(sorted(known - {""}))
                msg = (
                    f"{dialect.name} has {field}={{{slot!r}: ...}}, which is no part of {dialect.wire}."
                    f"{nearest(str(slot), known)} Known: {slots}; '' is the envelope."
                )
                raise InvalidUse(msg)


def _check_hosts(dialect: Dialect) -> None:
    if isinstance(dialect.hosts, str) or not all(
        isinstance(host, str) and HOST.fullmatch(host) for host in dialect.hosts
    ):
        msg = (
            f"{dialect.name} has hosts={dialect.hosts!r}; a tuple of host names is needed, such as ('*.acme.example',)."
        )
        raise InvalidUse(msg)
    for host in dialect.hosts:
        taken = next((one for one in DIALECTS.values() if one.wire == dialect.wire and host in one.hosts), None)
        if taken is not None:
            whose = _whose(DIALECTS.origin(taken.name))
            msg = f"the host {host} of {dialect.name} is taken by the dialect {taken.name}, from {whose}."
            raise InvalidUse(msg)


def check_fault(row: Any, origin: str) -> None:
    """Refuse a row that cannot be one of several.

    Raises:
        InvalidUse: it is none, its name or family is taken, or a field of it is not what it may be.
    """
    _check_kind(row, Fault, "Fault")
    _check_name(row.name, "family.slot_shape")
    _check_family(row, origin)
    for field, allowed in _WORDS.items():
        value = getattr(row, field)
        if value not in allowed:
            msg = f"{row.name} has {field}={value!r}; it is one of {', '.join(map(repr, allowed))}."
            raise InvalidUse(msg)
    if not callable(row.play):
        msg = f"{row.name} has play={row.play!r}; it is a function (healthy, **values) -> Reply."
        raise InvalidUse(msg)
    if type(row.since) is not int or row.since < 1:
        msg = f"{row.name} has since={row.since!r}; it is the edition of the family that brought it, from 1."
        raise InvalidUse(msg)
    if not isinstance(row.meaning, str) or not row.meaning.strip():
        msg = f"{row.name} has meaning={row.meaning!r}; it says in one sentence what the client gets."
        raise InvalidUse(msg)
    if not isinstance(row.parameters, tuple) or not all(isinstance(one, Parameter) for one in row.parameters):
        msg = f"{row.name} has parameters={row.parameters!r}; it is a tuple of Parameter(name, default, ...)."
        raise InvalidUse(msg)
    _check_places(row)


def _check_family(row: Fault, origin: str) -> None:
    _check_free("fault", row.name, CATALOGUE)
    if row.family in FAMILIES or row.family in _RESERVED:
        msg = (
            f"{row.name} is in the family {row.family!r} of pytest-llmfaults itself, whose globs would mean your row. "
            f"Take a family of your own, such as acme.{row.name.partition('.')[2]}."
        )
        raise InvalidUse(msg)
    owner = next((loan.origin for loan in CATALOGUE.lent.values() if loan.value.family == row.family), origin)
    if owner != origin:
        msg = f"{row.name} is in the family {row.family!r}, which {owner} brings. Take a family of your own."
        raise InvalidUse(msg)


def _check_places(row: Fault) -> None:
    """Refuse names of wires and slots that are nowhere: the row could never be played."""
    for name in row.wires:
        if name not in WIRES:
            more = f"{nearest(str(name), WIRES)} Known wires: {', '.join(sorted(WIRES))}."
            msg = f"{row.name} has wires={row.wires!r}, and {name!r} is no wire.{more}"
            raise InvalidUse(msg)
    slots = {slot for wire in WIRES.values() for slot in wire.slots} | {"structured", *PARTS}
    for slot in (*((row.slot,) if row.slot is not None else ()), *row.touches):
        if slot not in slots:
            more = f"{nearest(str(slot), slots)} Known slots: {', '.join(sorted(slots))}."
            msg = f"{row.name} is about the slot {slot!r}, which no wire has.{more}"
            raise InvalidUse(msg)


def _whose(origin: str | None) -> str:
    return origin or "pytest-llmfaults itself"


def check_transport(transport: Any, _origin: str) -> None:
    """Refuse a transport whose library cannot be found, or that is there already.

    Raises:
        InvalidUse: it is none, or a field of it is not what it may be.
    """
    _check_kind(transport, Transport, "extending.Transport")
    if not isinstance(transport.name, str) or not transport.name:
        msg = f"name={transport.name!r} is no name of a library, such as 'acme_rpc'."
        raise InvalidUse(msg)
    _check_free("transport", transport.name, TRANSPORTS)
    try:
        found = find_spec(transport.module)
    except (ImportError, ValueError, AttributeError):
        found = None
    if found is None:
        msg = f"{transport.name} has module={transport.module!r}, which is not installed. Bring it where it is."
        raise InvalidUse(msg)
    if not isinstance(transport.function, str) or not all(map(str.isidentifier, transport.function.split("."))):
        msg = f"{transport.name} has function={transport.function!r}; a name is needed, 'dial' or 'Client.connect'."
        raise InvalidUse(msg)
    if not callable(transport.address):
        msg = f"{transport.name} has address={transport.address!r}; a function of the same arguments is needed."
        raise InvalidUse(msg)


CHECKS: Final[Mapping[Kind, Callable[[Any, str], None]]] = {
    "wires": check_wire,
    "dialects": check_dialect,
    "faults": check_fault,
    "transports": check_transport,
}
"""What checks each kind, given the thing and who brings it; what is lent already is known."""
