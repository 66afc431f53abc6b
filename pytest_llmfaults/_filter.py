"""Which requests something is about: by wire, host and model, or by a function."""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES, Wire, dialect, wire
from pytest_llmfaults._wires._hosts import HOST, host_matches
from pytest_llmfaults.errors import InvalidUse

__all__ = ["Filter"]

_NEAR: Final = 0.85
"""How much alike two names are of which one looks like a misspelling of the other; two providers are less alike."""


@dataclasses.dataclass(frozen=True, slots=True)
class Filter:
    """Which requests an injection covers; None asks nothing.

    Attributes:
        when: a function of the request.
        wire: a wire's name.
        host: a host name; ``*.example.com`` covers its subdomains.
        model: the model that the request names; ``gpt-5*`` covers all that begin so.
        dialect: how the host speaks its wire; it covers requests on that wire.
    """

    when: Callable[[Request], object] | None = None
    wire: str | None = None
    host: str | None = None
    model: str | None = None
    dialect: str | None = None

    def __post_init__(self) -> None:
        """Refuse a filter that could never match."""
        for name in ("wire", "host", "model", "dialect"):
            value: Any = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value):
                msg = f"{name}={value!r} is not the name of a {name}; leave it out, or give one as a text."
                raise InvalidUse(msg)
        if self.wire is not None:
            wire(self.wire)
        if self.dialect is not None and self.wire not in {None, dialect(self.dialect).wire}:
            msg = (
                f"dialect={self.dialect!r} is one of the wire {dialect(self.dialect).wire}, not of wire={self.wire!r}."
            )
            raise InvalidUse(msg)
        if self.when is not None and not callable(self.when):
            msg = f"when={self.when!r} is not a function of a request, such as lambda request: request.tools."
            raise InvalidUse(msg)
        if self.host is not None and not HOST.fullmatch(self.host):
            msg = (
                f"host={self.host!r} is not a host name, such as 'api.openai.com' or '*.openai.com'; leave scheme, "
                "port and path out (when=lambda request: request.port == 8000 tells ports apart)."
            )
            raise InvalidUse(msg)

    @property
    def is_open(self) -> bool:
        """Whether it asks nothing."""
        return all(value is None for value in (self.when, self.on, self.host, self.model))

    @property
    def on(self) -> str | None:
        """The name of the wire that a request has to be on: the one given, or that of the dialect."""
        return self.wire if self.dialect is None else dialect(self.dialect).wire

    def misses(self, request: Request) -> str | None:
        """Say why ``request`` is not covered, or return None when it is."""
        if self.on is None and request.wire is None:
            return "its path is not the route of a known wire (name it with wire= or the ini llmfaults_routes)"
        if self.on is not None and self.on != request.wire and not _could_be_on(WIRES[self.on], request):
            given = f"wire={self.wire!r}" if self.wire is not None else f"that of dialect={self.dialect!r}"
            return f"it is on the wire {request.wire}, not {given}"
        if self.host is not None and not host_matches(self.host, request.host):
            return f"its host is {request.host!r}, not host={self.host!r}"
        if self.model is not None and not _model_matches(self.model, request.model):
            return f"its model is {request.model!r}, not model={self.model!r}"
        if self.when is not None and not self.when(request):
            return "when= said no"
        return None

    def meant(self, request: Request) -> str:
        """Ask whether a name here is a misspelling of the request's, behind :meth:`misses`; empty where it is none."""
        pairs = (
            (self.host, request.host, host_matches),
            (self.model, request.model or "", _model_matches),
        )
        for given, own, matches in pairs:
            if given is not None and own and not matches(given, own) and _alike(given, own):
                return f"; did you mean {own!r}?"
        return ""

    def takes_all_of(self, other: Filter) -> bool:
        """Tell whether every request that ``other`` covers is covered here, too, as far as names say it."""
        if self.is_open:
            return True
        if self.on != other.on or (self.when is not None and self.when is not other.when):
            return False
        hosts = self.host is None or (other.host is not None and _host_within(other.host, self.host))
        models = self.model is None or (other.model is not None and fnmatch.fnmatchcase(other.model, self.model))
        return hosts and models

    def __str__(self) -> str:
        """Write the filter as the keywords of ``inject``."""
        pairs = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return "".join(
            f", {name}={'...' if name == 'when' else repr(value)}" for name, value in pairs if value is not None
        )


def _could_be_on(wire: Wire, request: Request) -> bool:
    """Tell whether a request that is not known to be on a wire is one where somebody says so.

    Its path is no known route and its body has the format, or another wire has the same route on any host.
    """
    if request.wire is None:
        return wire.recognises(request)
    found = WIRES[request.wire]
    return not found.hosts and wire.matches(request.path) and not {*wire.routes}.isdisjoint(found.routes)


def _host_within(pattern: str, wider: str) -> bool:
    """Tell whether ``wider`` covers all hosts of ``pattern``, which may have ``*.`` before it."""
    return pattern.lower() == wider.lower() or (wider.startswith("*.") and host_matches(wider, pattern.lower()))


def _model_matches(pattern: str, model: str | None) -> bool:
    return model is not None and (model == pattern or fnmatch.fnmatchcase(model, pattern))


def _alike(given: str, own: str) -> bool:
    import difflib

    return difflib.SequenceMatcher(None, given.lower(), own.lower()).ratio() >= _NEAR
